"""The study of blood cells: its crops, its components, and how it judges."""

import csv
import re
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from fastsvm_apps.cells.data.image_files import find_images
from fastsvm_apps.cells.data.image_reader import ImageFile
from fastsvm_apps.common.cache import Cache
from fastsvm_apps.studies.cli import main
from fastsvm_apps.studies.documents import cell_crops, cells, principal_components
from fastsvm_apps.studies.race.race_curves import Curves
from fastsvm_apps.studies.report.charts import draw_figure
from fastsvm_apps.studies.report.study_report import Context, Verdict

SAMPLE = Path(__file__).parents[2] / "data" / "cells"
FIGURES = {
    *(f"{name}-{of}" for name in ("loss", "excess", "error", "gap") for of in ("raw", "pca")),
    *("singular-values", "originals", "crops", "rebuilt", "whitened", "steps"),
}
PHOTOGRAPHS = {f"{name}-photographs" for name in FIGURES if "-" not in name}


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def run(*args):
    done = CliRunner().invoke(main, ["cells", *map(str, args)])
    assert (done.exit_code, done.stderr) == (0, "")


@pytest.fixture
def files():
    return find_images(
        [str(SAMPLE / "images")], groups=str(SAMPLE / "groups.csv"), classes=cell_crops.CLASSES
    )


@pytest.fixture
def no_crops(monkeypatch):
    """From now on nothing is cropped."""

    def refuse(files, settings, **_):
        raise AssertionError([file.name for file in files])

    return lambda: monkeypatch.setattr(cell_crops, "crop_cells", refuse)


def test_a_folder_of_images_is_enough(tmp_path):
    shutil.copytree(SAMPLE, tmp_path / "cells")
    damaged = min((tmp_path / "cells" / "images" / "LYMPHOCYTE").iterdir())
    damaged.write_bytes(damaged.read_bytes()[:300])
    report = cells.run(Context(data=str(tmp_path), runs=6))
    judged = [claim for claim in report.claims if claim.verdict is not Verdict.UNTESTED]
    assert "In 1 image no cell was found." in report.data
    assert all(claim.ours and claim.why.startswith("Holds where") for claim in judged)
    assert {figure.name for figure in report.figures} == FIGURES | PHOTOGRAPHS
    assert {figure.name for figure in report.figures if figure.shows_data} == PHOTOGRAPHS
    sheets = [figure for figure in report.figures if re.match("originals|crops|rebuilt|steps", figure.name)]
    assert all(figure.draw(None).startswith(b"\x89PNG") for figure in sheets)
    assert all(0 <= row[4] <= 1 for row in report.tables[0].rows)


def test_checked_labels_take_the_place_of_the_documents(tmp_path):
    shutil.copytree(SAMPLE, tmp_path / "cells")
    labels = "smear_00.jpg,NEUTROPHIL,\nsmear_03.jpg,LYMPHOCYTE,2\nsmear_30.jpg,NEUTROPHIL,\n"
    (tmp_path / "smears").mkdir()
    (tmp_path / "smears" / "labels_checked.csv").write_text(f"file,checked,doubtful\n{labels}")
    files, checked = cell_crops.photographs(str(tmp_path))
    assert Counter(file.label for file in files) == {"LYMPHOCYTE": 10, "NEUTROPHIL": 10, "EOSINOPHIL": 1}
    crops = cell_crops.Crops(files, np.arange(21))
    theirs, ours = crops.labelled({}), crops.labelled(checked)
    assert (theirs.signs.sum(), ours.signs.sum()) == (0, 12 - 8)
    assert {*ours.pixels} ^ {*theirs.pixels} == {0, 4}
    assert cell_crops.photographs(None) == cell_crops.photographs(str(SAMPLE)) == ([], {})


def test_crops_are_kept_by_what_is_in_the_files(files, tmp_path, no_crops):
    context = Context(parts=Cache(tmp_path / "parts"))
    for number, file in enumerate(files[:2]):
        shutil.copy(file.path, tmp_path / f"{number}.jpg")
    here = find_images([str(tmp_path / "0.jpg"), str(tmp_path / "1.jpg")])
    cell_crops.cropped(context, here)
    no_crops()
    (tmp_path / "0.jpg").rename(tmp_path / "moved.jpg")
    moved = find_images([str(tmp_path / "moved.jpg"), str(tmp_path / "1.jpg")])
    assert len(cell_crops.cropped(context, moved).pixels) == 2
    shutil.copy(files[2].path, tmp_path / "moved.jpg")
    with pytest.raises(AssertionError, match="moved"):
        cell_crops.cropped(context, moved)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    return rng.integers(0, 256, (30, 8)) @ rng.integers(0, 4, (8, 50)) // 24


def test_components_are_those_of_scikit_learn(rows):
    from sklearn.decomposition import PCA

    pixels, train, test = rows.astype(np.uint8), np.arange(5, 30)[::-1], np.arange(5)
    X = pixels / 255
    peer = PCA(6, whiten=True, svd_solver="full").fit(X[train])
    found = principal_components.project(principal_components.inner_products(pixels, 1 / 255), train, test, 6)
    np.testing.assert_allclose(found[2], peer.singular_values_, rtol=1e-9)
    signs = np.sign((found[0] * peer.transform(X[train])).sum(axis=0))
    for part, mine in zip((train, test), principal_components.whitened(found), strict=True):
        np.testing.assert_allclose(mine * signs, peer.transform(X[part]), atol=1e-8)
    mean, axes = principal_components.components(pixels[train], 1 / 255, found)
    np.testing.assert_allclose(mean, peer.mean_)
    np.testing.assert_allclose(axes * signs[:, None], peer.components_, atol=1e-5)


def test_splits():
    groups = np.array([f"{k % 12}" for k in range(60)])
    files = [ImageFile("", "", cell_crops.CLASSES[k % 2], group) for k, group in enumerate(groups)]
    crops = cell_crops.Crops(files, np.zeros((60, 1), np.uint8))
    for splits, shares in (
        (crops.random_splits(3, 0), True),
        (crops.grouped_splits(0), False),
    ):
        for train, test in splits:
            assert sorted([*train, *test]) == list(range(60))
            assert bool({*groups[train]} & {*groups[test]}) is shares
    few = [file for file in files if int(file.original) < 8]  # four of each class
    assert cell_crops.Crops(few, crops.pixels).grouped_splits(0) == []


@pytest.mark.filterwarnings("error")
def test_a_run_that_is_at_the_optimum_at_once_is_drawn():
    fields = dict.fromkeys(("primal", "gap", "error"), np.full((100, 3), 0.3))
    fields["seconds"] = np.tile(np.arange(1.0, 4.0), (100, 1))
    traces = dict.fromkeys(cells.FEATURES, Curves(dict.fromkeys(cells.SOLVERS, fields), 0.3))
    for figure in cells.solver_curves(traces):
        assert draw_figure(figure)


@pytest.mark.slow
def test_photographs(shared, tmp_path):
    run("--data", shared, "--quick", "--runs", 6, "-o", tmp_path / "out")
    rows = read(tmp_path / "out" / "errors.csv")
    assert {row["split"] for row in rows} == {"random", "grouped"}
    assert all(0.05 < float(row["error"]) < 0.6 for row in rows)  # 0.75 is chance
    verdicts = {row["claim"]: row["verdict"] for row in read(tmp_path / "out" / "claims.csv")}
    assert verdicts["Test error of SDCA, raw crops, random split"] in ("held", "refuted")
