"""`fastsvm-studies compare`: files of one's own, solvers on them, tables and pictures."""

import csv
import gzip
import json

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

from fastsvm_apps.studies.cli import main
from fastsvm_apps.studies.data.matrices import read_matrix
from fastsvm_apps.studies.frame import comparing
from fastsvm_apps.studies.frame.comparing import Settings, is_unscaled, make_solver, summaries
from fastsvm_apps.studies.race import compare

N, D = 80, 6


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(N, D)), 3)
    return X, np.where(X[:, 0] + 0.3 * rng.normal(size=N) > 0, "yes", "no")


def write(path, X, y):
    """Write in the format of the name."""
    if path.name.endswith(".svm"):
        dump_svmlight_file(X, (y == "yes").astype(int), str(path))
    elif path.name == "sparse.npz":
        part = sparse.csr_array(X)
        np.savez(path, data=part.data, indices=part.indices, indptr=part.indptr, shape=part.shape, y=y)
    elif path.suffix == ".npz":
        np.savez(path, X=X.astype(np.float32), y=y)
    else:
        separator = "\t" if ".tsv" in path.name else ","
        opened = gzip.open if path.suffix == ".gz" else open
        with opened(path, "wt", newline="") as file:
            writer = csv.writer(file, delimiter=separator)
            if path.name != "plain.csv":
                writer.writerow(["kind", *(f"c{k}" for k in range(D))])
            writer.writerows([label, *row] for label, row in zip(y, X.tolist(), strict=True))
    return path


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("a.svm", None),
        ("a.csv", "kind"),
        ("a.tsv.gz", "1"),
        ("plain.csv", "1"),
        ("a.npz", None),
        ("sparse.npz", None),
    ],
)
def test_files_are_read(tmp_path, data, name, column):
    X, y = data
    found = read_matrix(str(write(tmp_path / name, X, y)), column)
    rows = found.X.toarray() if sparse.issparse(found.X) else found.X
    np.testing.assert_allclose(rows, X, rtol=1e-6)
    expected = (y == "yes") if name == "a.svm" else y
    np.testing.assert_array_equal(found.y, expected)


@pytest.mark.parametrize(("separator", "start"), [(";", "\ufeff"), ("\t", ""), (",", "")])
def test_the_first_line_tells_what_separates_columns(tmp_path, separator, start):
    lines = ["a", "b", "kind"], ["1", "2.5", "x, y"], ["3", "4", "z"]
    text = "\r\n".join(separator.join(f'"{cell}"' for cell in line) for line in lines)
    (tmp_path / "a.csv").write_text(start + text, "utf-8", newline="")
    found = read_matrix(str(tmp_path / "a.csv"))
    assert found.X.tolist() == [[1, 2.5], [3, 4]]
    assert found.y.tolist() == ["x, y", "z"]


def run(*arguments):
    return CliRunner().invoke(main, ["compare", *map(str, arguments)])


@pytest.mark.slow
def test_a_table_files_and_json(tmp_path, data):
    file, folder = write(tmp_path / "a.csv", *data), tmp_path / "out"
    options = ["--label-col", "kind", "--epochs", 4, "--runs", 3, "--alpha", 0.05, "--scale", "-o", folder]
    options += ["--solvers", "sdca,pegasos-tail,asdca,perceptron"]
    result = run(file, *options)
    assert result.exit_code == 0, result.output
    assert "60 rows, 6 columns; 20 rows for the test error" in result.stdout
    table = result.stdout[result.stdout.index("solver ") :].splitlines()
    assert [line.split()[:2] for line in table[1:5]] == [
        [name, "240"] for name in ("sdca", "pegasos-tail", "asdca", "perceptron")
    ]
    assert sorted(path.name for path in folder.glob("*.*") if path.name[0] != ".") == [
        "error.png", "excess.png", "gap.png", "runs.csv", "solvers.csv",
    ]  # fmt: skip
    with open(folder / "runs.csv", newline="") as lines:
        runs = list(csv.DictReader(lines))
    assert len(runs) == 4 * 3 * 4
    with open(folder / "solvers.csv", newline="") as lines:
        first = next(csv.DictReader(lines))
    last = [float(line["primal"]) for line in runs if line["solver"] == "sdca" and line["epoch"] == "4"]
    assert float(first["objective_mean"]) == pytest.approx(np.mean(last))


def test_a_test_file_is_scored(tmp_path, data):
    X, y = data
    train, test = write(tmp_path / "a.svm", X[:60], y[:60]), write(tmp_path / "b.svm", X[60:], y[60:])
    options = ["--epochs", 3, "--runs", 2, "--alpha", 0.1, "--solvers", "sdca,perceptron", "--seed", 4]
    options += ["--json"]
    found = json.loads(run(train, "--test", test, *options, "-o", tmp_path / "out").stdout)
    settings = Settings("hinge", 0.1, 3, 1, True)
    models = {name: make_solver(name, settings) for name in ("sdca", "perceptron")}
    rows = read_matrix(str(train)), read_matrix(str(test))
    c = compare(models, *rows[0], runs=2, X_test=rows[1].X, y_test=rows[1].y, random_state=4, loss="hinge")
    assert [one["error"] for one in found["solvers"]] == [list(one.error) for one in summaries(c)]
    assert found["solvers"][1]["gap"] is None
    assert found["optimum"] == c.optimum
    assert c.optimum["sdca"] <= min(one["objective"][0] for one in found["solvers"])


def test_the_time_to_the_optimum_is_that_of_the_median_run(data):
    X, y = data
    models = {name: make_solver(name, Settings("log", 0.1, 12, 1, False)) for name in ("sdca", "pegasos")}
    c = compare(models, X, y, runs=3)
    sdca, _ = summaries(c)
    lines = c.table[:36].reshape(3, 12)
    excess = np.median(c.excess[:36].reshape(3, 12), axis=0)
    first = np.flatnonzero(excess <= 0.01)[0]
    assert sdca.near == np.median(lines["seconds"][:, first])
    assert all(one.near is None for one in summaries(compare(models, X, y, runs=2, optimum=1e-3)))


def test_an_interval_ends_where_values_do():
    assert comparing._with_interval(np.array([0.0, 1.0]), 1.0) == (0.5, 0, 1)


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("1,2,a\n3,4\n", [], "line 2: 2 columns, the first line has 3"),
        ("1,2,a\n3,x,b\n", [], "line 2: 'x' in column 2 is no number"),
        ("a,b,kind\n1,2,a\n3,nan,b\n", [], "line 3: 'nan' in column 2 is no number; fill it in, leave"),
        ("1,2,a\n3,,b\n", [], "line 2: '' in column 2 is no number"),
        ("kind,a\nno,1\nyes,2\n", [], "line 2: 'no' in column 1 is no number; fill it in, leave the row"),
        ("1,2,a\n3,1,\n", [], "line 2: no label in column 3"),
        ("1,2,a\n3,4,a\n", [], "all rows have the same label"),
        ("".join(f"1,{k}\n" for k in range(200)), [], "200 different labels, at most 100"),
        ("1,2,a\n3,4,b\n", ["--label-col", "kind"], "no column 'kind'; the first line has 1, 2, a"),
        ("1,2,a\n3,4,b\n", [], "0.25 of the rows cannot be held out: the label 'a' has one row only"),
        ("", [], "no columns of numbers and a label"),
        ("a,b,kind\n", [], "no rows"),
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


@pytest.mark.parametrize("name", ["a.svm", "a.npz", "a.csv.gz", "a.doc"])
def test_a_file_that_is_something_else(tmp_path, name):
    file = tmp_path / name
    file.write_bytes(b"PK\x03\x04 nonsense")
    result = run(file, "-o", tmp_path / "out")
    assert result.exit_code == (2 if name == "a.doc" else 1)
    assert len(result.stderr.splitlines()) == 1
    assert name in result.stderr


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"data": [[1.0]], "target": [1]}, "no array y, only data, target"),
        ({"X": [[2, 3], [1.0, np.inf]], "y": [0, 1]}, "row 2 has inf; fill it in"),
        (
            {
                "data": [1, 2, np.nan],
                "indices": [0, 1, 0],
                "indptr": [0, 2, 2, 3],
                "shape": [3, 2],
                "y": [0, 1, 1],
            },
            "row 3 has nan",
        ),
        ({"X": [["1"], ["2"]], "y": [0, 1]}, "X must have real numbers"),
        ({"X": np.empty((0, 2)), "y": []}, "no rows"),
    ],
)
def test_arrays_that_cannot_be_used(tmp_path, arrays, message):
    np.savez(tmp_path / "a.npz", **arrays)
    result = run(tmp_path / "a.npz", "-o", tmp_path / "out")
    assert result.exit_code == 1
    assert message in result.stderr


def test_a_test_file_of_other_rows(tmp_path, data):
    train = write(tmp_path / "a.npz", *data)
    for name, X, y, message in (
        ("b.npz", data[0][:, 1:], data[1], "b.npz: 5 columns, but"),
        ("c.npz", data[0], np.where(data[1] == "no", "none", "yes"), "c.npz: the label 'none' is not in"),
    ):
        result = run(train, "--test", write(tmp_path / name, X, y), "-o", tmp_path / "out")
        assert result.exit_code == 1
        assert message in result.stderr


def test_columns_that_want_scaling_are_noticed(data):
    X = data[0].copy()
    X[:, 0] = 1  # does not vary
    assert not is_unscaled(X)
    X[:, 1] *= 1000
    assert is_unscaled(X)
    assert not is_unscaled(sparse.csr_array(X))


def test_pickled_arrays_are_not_opened(tmp_path, data):
    file = tmp_path / "a.npz"
    np.savez(file, X=data[0], y=data[1].astype(object))
    result = run(file, "-o", tmp_path / "out")
    assert result.exit_code == 1
    assert "not a file of plain arrays X and y" in result.stderr
