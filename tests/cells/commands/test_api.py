"""Finding, classifying and training from Python, in one line each."""

import json
from pathlib import Path

import pytest

from fastsvm_apps import cells
from fastsvm_apps.common.errors import AppError


def test_the_same_as_the_command_finds(record, smears, model):
    of_command = record("classify", smears, "-m", model, "--also", "rbc")
    found = cells.classify(smears, model, also=["rbc"])
    assert json.loads(json.dumps(found.to_records())) == of_command["images"]
    assert found.labels == of_command["counts"]
    assert found.percent("LYMPHOCYTE") == of_command["percent"]["LYMPHOCYTE"]
    assert [*found.interval("LYMPHOCYTE")] == of_command["percent_intervals"]["LYMPHOCYTE"]
    assert found.others["red cell"] == of_command["others"]["red cell"]["count"]
    assert len(found.findings) == found.images == 42


def test_a_loaded_model_serves_several_times(folder, model):
    loaded, top = cells.load(model), folder(0, 20)
    for images in top, sorted(top.iterdir()):
        found = cells.classify(images, loaded, min_score=0)
        assert {label for label, n in found.labels.items() if n} == {"LYMPHOCYTE", "NEUTROPHIL"}
    assert len(cells.load().classes) == 4


def test_the_same_bits_as_the_command_trains(run, folder, work):
    top = folder(0, 1, 20, 21, by_label=True)
    assert run("train", top, "--versions", 1, "--alpha", 0.1, "--folds", 2).exit_code == 0
    done = cells.train(top, work / "python.safetensors", versions=1, alpha=0.1, folds=2)
    assert Path(done.path).read_bytes() == Path("cells.safetensors").read_bytes()
    assert done.label_counts == {"LYMPHOCYTE": 2, "NEUTROPHIL": 2}
    assert (done.errors.n, done.skipped.count) == (4, 0)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"cell_width": 3}, "^cell_width: 3.0 is not in the range"),
        ({"min_score": 2}, "^min_score: 2.0 is not in the range"),
        ({"also": ["rbc", "blasts"]}, "^also: 'blasts' cannot be counted; choose from rbc, platelets"),
        ({"labels": __file__}, "no column 'file'"),
    ],
)
def test_what_is_wrong_is_said(folder, model, options, said):
    with pytest.raises(AppError, match=said):
        cells.classify(folder(0), model, **options)
    with pytest.raises(AppError, match="classifier: 'best' is not one of"):
        cells.train(folder(0), "x.safetensors", classifier="best")
