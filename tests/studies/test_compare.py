"""`fastsvm-studies compare`: files of one's own, solvers on them, tables and pictures."""

import csv
import json

import numpy as np
import pytest
from click.testing import CliRunner

from fastsvm_apps.studies.cli import main

N, D = 80, 6


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(N, D)), 3)
    return X, np.where(X[:, 0] + 0.3 * rng.normal(size=N) > 0, "yes", "no")


def write(path, X, y):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*(f"c{k}" for k in range(D)), "kind"])
        writer.writerows([*row, label] for label, row in zip(y, X.tolist(), strict=True))
    return path


def run(*arguments):
    return CliRunner().invoke(main, ["compare", *map(str, arguments)])


@pytest.mark.slow
def test_a_table_files_and_json(tmp_path, data):
    file, folder = write(tmp_path / "a.csv", *data), tmp_path / "out"
    options = ["--epochs", 4, "--runs", 3, "--alpha", 0.05, "--scale", "-o", folder]
    options += ["--solvers", "sdca,pegasos-tail,asdca,perceptron"]
    result = run(file, *options)
    assert result.exit_code == 0, result.output
    assert "60 rows, 6 columns; 20 rows for the test error" in result.stdout
    assert sorted(path.name for path in folder.glob("*.*") if path.name[0] != ".") == [
        "error.png", "excess.png", "gap.png", "runs.csv", "solvers.csv",
    ]  # fmt: skip
    with open(folder / "runs.csv", newline="") as lines:
        runs = list(csv.DictReader(lines))
    assert len(runs) == 4 * 3 * 4
    found = json.loads(run(file, *options, "--json").stdout)
    assert [one["solver"] for one in found["solvers"]] == ["sdca", "pegasos-tail", "asdca", "perceptron"]
    assert [one["visits"] for one in found["solvers"]] == [240] * 4
    first, *_, last = found["solvers"]
    primal = [float(line["primal"]) for line in runs if line["solver"] == "sdca" and line["epoch"] == "4"]
    assert first["objective"][0] == pytest.approx(np.mean(primal))
    assert last["gap"] is None
    assert 0 <= first["error"][1] <= first["error"][0] <= first["error"][2] <= 1
    assert found["optimum"]["sdca"] <= min(one["objective"][0] for one in found["solvers"])


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("1,2,a\n3,4\n", [], "line 2: 2 columns, not 3"),
        ("1,2,a\n3,4,a\n", [], "two labels are needed"),
        ("1,2,a\n3,4,b\n", [], "0.25 of the rows cannot be held out"),
        ("", [], "a.csv: there are no rows in it"),
        ("1,2,a\n3,4,b\n", ["--solvers", "sdca,svm"], "no solver 'svm'; there are sdca, sdca-sgd"),
        ("1,2,a\n3,4,b\n", ["--solvers", "perceptron"], "the perceptron minimises nothing"),
        (
            "1,2,a\n3,4,b\n",
            ["--solvers", "pegasos", "--loss", "smooth_hinge"],
            "pegasos minimises hinge or log",
        ),
    ],
)
def test_what_is_wrong_takes_one_line(tmp_path, content, options, message):
    file = tmp_path / "a.csv"
    file.write_text(content)
    result = run(file, "-o", tmp_path / "out", *options)
    assert result.exit_code in (1, 2)
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"data": [[1.0]], "target": [1]}, "X is not a file in the archive"),
        ({"X": [[2, np.inf]] * 8, "y": [0, 1] * 4}, "contains infinity"),
        ({"X": np.empty((0, 2)), "y": []}, "there are no rows"),
        ({"X": [[1.0], [2.0]], "y": np.array(["a", "b"], object)}, "allow_pickle=False"),
    ],
)
def test_arrays_that_cannot_be_used(tmp_path, arrays, message):
    np.savez(tmp_path / "a.npz", **arrays)
    result = run(tmp_path / "a.npz", "-o", tmp_path / "out")
    assert result.exit_code == 1
    assert message in result.stderr
