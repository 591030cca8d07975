"""The study of blood cells: its crops and splits, and the document's algorithms in Python."""

import json
import shutil
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from fastsvm.solvers import pegasos, sdca
from fastsvm_apps.cells.data.image_files import find_images
from fastsvm_apps.common.cache import Cache
from fastsvm_apps.studies.cli import main
from fastsvm_apps.studies.data import cell_crops
from fastsvm_apps.studies.documents import cells
from fastsvm_apps.studies.report.study import Context

SAMPLE = Path(__file__).parents[2] / "data" / "cells"


def test_the_documents_python_takes_the_steps_of_the_compiled_solvers():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(230, 7)) + 1, np.where(rng.random(230) < 0.5, -1.0, 1.0)
    orders = np.array([each.permutation(230) for each in [np.random.default_rng(3)] for _ in range(2)])
    how = {"alpha": cells.ALPHA, "order": orders, "max_iter": 2, "fit_intercept": False}
    compiled = {
        cells.SDCA_NAME: sdca(X, y, tol=None, **how),
        cells.STARTED: sdca(X, y, tol=None, sgd_init=True, **how),
        cells.PEGASOS: pegasos(X, y, batch_size=cells.BATCH, **how),
    }
    for name, (algorithm, _) in cells.ALGORITHMS.items():
        *_, w = (each.copy() for each in islice(algorithm(X, y, np.random.default_rng(3)), 6))
        np.testing.assert_allclose(w, compiled[name].w, rtol=1e-9, err_msg=name)
    found = cells.python_runs(X, y, 2, 3, lambda: None)[cells.PEGASOS]
    assert found[0, 0, :4].tolist() == [100, 200, 230, 460]
    np.testing.assert_allclose(found[2, 0, 3], compiled[cells.PEGASOS].objective)


def test_crops_are_kept_by_what_is_in_the_files(tmp_path, monkeypatch):
    context = Context(parts=Cache(tmp_path / "parts"))
    sample = sorted((SAMPLE / "images").rglob("*.jpg"))
    for number, path in enumerate(sample[:2]):
        shutil.copy(path, tmp_path / f"{number}.jpg")
    (tmp_path / "2.jpg").write_bytes(sample[2].read_bytes()[:300])  # damaged
    here = find_images([str(tmp_path / f"{number}.jpg") for number in range(3)])
    assert cells.cropped(context, here).pixels.shape == (2, 120 * 120)

    def refuse(files, settings, **_):
        raise AssertionError([file.name for file in files])

    monkeypatch.setattr(cell_crops, "crop_cells", refuse)
    (tmp_path / "0.jpg").rename(tmp_path / "00.jpg")
    moved = find_images([str(tmp_path / f"{name}.jpg") for name in ("00", "1", "2")])
    assert len(cells.cropped(context, moved).files) == 2
    shutil.copy(sample[3], tmp_path / "1.jpg")
    with pytest.raises(AssertionError, match=r"00\.jpg"):
        cells.cropped(context, moved)


@pytest.mark.slow
def test_photographs(shared, tmp_path):
    done = CliRunner().invoke(main, ["cells", "--data", str(shared), "--quick", "-o", str(tmp_path / "out")])
    assert (done.exit_code, done.stderr) == (0, "")
    record = json.loads((tmp_path / "out" / "report.json").read_text())
    verdicts = {claim["name"]: claim["verdict"] for claim in record["claims"]}
    assert verdicts["pca-epochs"] == verdicts["many-rows"] == "held"
    assert {verdicts[name] for name in ("raw-error", "converges")} == {"cannot be tested"}
    assert (tmp_path / "out" / "crops-photo.png").exists()
