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
        writer.writerow([*(f"c{k}" for k in range(X.shape[1])), "kind"])
        writer.writerows([*row, label] for label, row in zip(y, X.tolist(), strict=True))
    return path


def run(*arguments):
    return CliRunner().invoke(main, ["compare", *map(str, arguments)])


@pytest.mark.slow
def test_a_table_files_and_json(tmp_path, data):
    file, folder = write(tmp_path / "a.csv", *data), tmp_path / "out"
    options = ["--epochs", 4, "--runs", 6, "--alpha", "0.5,0.05", "--scale", "--kernel", "rbf", "-o", folder]
    options += ["--solvers", "sdca,pegasos-tail,asdca,perceptron", "--batch-size", 4]
    result = run(file, *options)
    assert result.exit_code == 0, result.output
    said = " ".join(result.stdout.split())
    assert "On a.csv (60 rows to train on and 20 held out, 6 columns, 2 labels)" in said
    assert sorted(path.name for path in folder.glob("*.*") if path.name[0] != ".") == [
        *(f"{name}-{alpha}.png" for name in ("error", "excess", "gap") for alpha in ("0.05", "0.5")),
        *("report.html", "report.json", "rows.png", "runs.csv", "solvers.csv"),
    ]
    [table] = json.loads(run(file, *options, "--json").stdout)["tables"]
    rows = [dict(zip(table["header"], row, strict=True)) for row in table["rows"]]
    names = ["sdca", "pegasos-tail", "asdca", "perceptron", "kernel-sdca", "kernel-pegasos"]
    assert [(row["solver"], row["alpha"]) for row in rows] == [(n, a) for a in ("0.5", "0.05") for n in names]
    with open(folder / "runs.csv", newline="") as lines:
        next(lines)
        runs = [line for line in csv.DictReader(lines) if line["experiment"] == "curves"]
    assert len({tuple(line[name] for name in ("solver", "setting", "run")) for line in runs}) == 4 * 2 * 6
    known = [
        line for line in runs if (line["solver"], line["setting"], line["epoch"]) == ("sdca", "0.5", "4.0")
    ]
    assert rows[0]["objective"] == pytest.approx(np.median([float(line["primal"]) for line in known]))
    assert float(known[0]["optimum"]) <= rows[0]["objective"]
    ends = [(0, row["test error, from"], row["test error"], row["test error, to"], 1) for row in rows]
    assert (np.diff(ends) >= -1e-12).all()
    assert rows[3]["CPU s to 1 %"] == "never"
    assert rows[4]["objective"] is None


def test_two_columns_have_a_boundary_and_uneven_ones_advice(tmp_path, data):
    X, y = data
    file, folder = write(tmp_path / "a.csv", X[:, :2] * (1, 5000), y), tmp_path / "out"
    options = ["--epochs", 2, "--runs", 6, "--solvers", "sdca,pegasos", "--loss", "squared_hinge"]
    result = run(file, *options, "-o", folder)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("Best here by test error, then by time: ")
    assert (folder / "error-0.1.png").exists()
    assert "--scale makes them alike" in result.stderr
    assert (folder / "boundary.png").exists()


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("1,2,a\n3,4\n", [], "line 2: 2 columns, not 3"),
        ("1,2,a\n3,4,b\n", [], "0.25 of the rows cannot be held out"),
        ("1,2,a\n3,4,b\n", ["--solvers", "sdca,svm"], "unknown solver 'svm'; choose from sdca, sdca-sgd"),
        ("1,2,a\n3,4,b\n", ["--solvers", "perceptron"], "the perceptron has no objective"),
        ("1,2,a\n3,4,b\n", ["--order", "random"], "asdca: order must be one of"),
        ("1,2,a\n3,4,b\n", ["--alpha", "1,-2"], "'1,-2' is not a list of numbers above 0"),
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
