"""The study of the digits: what its quick version finds on scikit-learn's, and how it judges."""

import csv

import numpy as np
import pytest
from click.testing import CliRunner

from fastsvm_apps.common.statistics import confusion
from fastsvm_apps.studies.cli import main
from fastsvm_apps.studies.documents import digits as study

pytestmark = pytest.mark.blas


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    folder = tmp_path_factory.mktemp("digits") / "out"
    done = CliRunner().invoke(main, ["digits", "--quick", "--runs", "4", "-o", str(folder)])
    assert (done.exit_code, done.stderr) == (0, "")
    return folder


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_without_data_it_runs_on_what_scikit_learn_has(quick):
    verdicts = [row["verdict"] for row in read(quick / "claims.csv")]
    assert verdicts[:4] == ["cannot be tested"] * 4
    assert "held" in verdicts[4:]
    names = {"errors.png", "weights.png", "epochs.png", "methods.csv", "labels.csv", "draws.csv"}
    assert names <= {path.name for path in quick.iterdir()}
    for row in read(quick / "methods.csv"):
        assert float(row["low"]) <= float(row["test error"]) <= float(row["high"]) < 0.03
    for part in "training", "test":
        for row in read(quick / f"confusion_{part}.csv"):
            assert float(row["called 5"]) + float(row["called 6"]) == pytest.approx(80)
    assert len(read(quick / "draws.csv")) == 4 * len(study.METHODS)


def test_a_draw_has_as_many_of_each_and_none_twice():
    digits = study.read_digits(None)
    here, there = study.draw(digits, seed=1, run=2)
    assert len({*here, *there}) == len(here) + len(there) == 2 * (digits.n_train + digits.n_test)
    for rows in here, there:
        assert (digits.y[rows] == 5).sum() == (digits.y[rows] == 6).sum()
    other, _ = study.draw(digits, seed=1, run=3)
    assert {*other} != {*here}


def test_the_digits_of_the_document(shared):
    digits = study.read_digits(str(shared))
    assert digits.original
    errors = []
    for run in range(20):
        here, there = study.draw(digits, seed=0, run=run)
        model = study.METHODS["Pegasos"](random_state=run).fit(digits.X[here], digits.y[here])
        tables = confusion(digits.y[there], model.predict(digits.X[there]), study.LABELS)
        errors.append(study.wrong(tables) / 600)
    assert 0.025 < np.mean(errors) <= 0.038
