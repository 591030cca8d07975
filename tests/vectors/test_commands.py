"""`fastsvm`: files and stdin in every format, models of both formats, and what is wrong with them."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import sparse
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from sklearn.svm import SVC, LinearSVC

import fastsvm
import fastsvm_apps
from fastsvm.io import store_svmlight
from fastsvm.solvers import LOSSES
from fastsvm_apps.common.options import LOSS
from fastsvm_apps.vectors import matrix_writing
from fastsvm_apps.vectors.cli import main

N, D = 120, 7
ENGLISH = Path(fastsvm_apps.__path__[0], "sentiment", "shipped", "english.safetensors")


def made(n_labels, seed=0):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(N, D)), 3) * (rng.random((N, D)) < 0.6)
    X[0] = 1  # so that every column occurs
    y = np.argmax(X[:, :n_labels] + 0.3 * rng.normal(size=(N, n_labels)), axis=1)
    return X, (2 * y - 1 if n_labels == 2 else y + 1).astype(float)


DATA = {2: made(2), 3: made(3)}


def write(path, X, y, **options):
    """Write in the format of the name."""
    plain = path.with_name(path.name.removesuffix(".gz"))
    if plain.suffix == ".npz":
        parts = {"X": X}
        if "sparse" in path.name:
            rows = sparse.csr_array(X)
            parts = {"data": rows.data, "indices": rows.indices, "indptr": rows.indptr, "shape": X.shape}
        np.savez(plain, y=y, **parts)
    elif plain.suffix == ".csv":
        np.savetxt(plain, np.column_stack([X, y]), delimiter=",", header="a,b,c,d,e,f,g,y", comments="")
    else:
        dump_svmlight_file(X, y, str(plain), zero_based=options.get("zero_based", False))
    if path != plain:
        path.write_bytes(gzip.compress(plain.read_bytes()))
    return path


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(line, code=0, **options):
        done = CliRunner().invoke(main, line.split(), prog_name="fastsvm", **options)
        assert done.exit_code == code, (done.output, done.exception)
        return done

    return run


@pytest.mark.parametrize("n_labels", [2, 3])
@pytest.mark.parametrize("name", ["rows", "a.svm.gz", "a.csv", "a.csv.gz", "a.npz", "a.sparse.npz"])
def test_every_format_gives_the_same_model(run, tmp_path, name, n_labels):
    X, y = DATA[n_labels]
    write(tmp_path / name, X, y)
    for model in ("m.safetensors", "m.model"):
        record = json.loads(run(f"fit {name} -c 0.5 -e 1e-7 -o {model} --json").stdout)
        assert (record["rows"], record["columns"], len(record["labels"])) == (N, D, n_labels)
        assert np.max(record["relative_gap"]) <= 1e-7
        assert record["alpha"] == pytest.approx(1 / (0.5 * N))
        expected = fastsvm.SDCAClassifier("squared_hinge", alpha=1 / (0.5 * N), tol=1e-9).fit(X, y)
        found = json.loads(run(f"predict {model} {name} --scores --json").stdout)
        assert found["right"] == np.count_nonzero(expected.predict(X) == y)
        scores = expected.decision_function(X).reshape(N, -1)
        np.testing.assert_allclose([*found["columns"].values()], scores.T, atol=1e-3)


def test_stdin_and_labels_in_a_file(run, tmp_path):
    X, y = DATA[2]
    content = write(tmp_path / "rows", X, y).read_bytes()
    run("fit - -s 0 -o m.model", input=content)
    done = run("predict m.model - --proba -o out.txt", input=gzip.compress(content))
    header, *lines = (tmp_path / "out.txt").read_text().splitlines()
    assert header == "labels -1 1"
    found = np.array([line.split() for line in lines], float)
    np.testing.assert_array_equal(found[:, 0], np.where(found[:, 2] > 0.5, 1, -1))
    right = np.count_nonzero(found[:, 0] == y)
    assert done.stderr == f"Accuracy = {100 * right / N:.1f} % ({right}/{N})\n"


def test_weights_and_kernels_are_those_of_scikit_learn(run, tmp_path):
    X, y = DATA[2]
    write(tmp_path / "rows", X, y)
    run("fit rows -c 0.5 -w+1 3 -w-1 0.5 -s 2 -e 1e-8 -o m.model --no-intercept")
    weights = {1: 3, -1: 0.5}
    linear = LinearSVC(C=0.5, class_weight=weights, fit_intercept=False, tol=1e-8).fit(X, y)
    model = np.loadtxt(tmp_path / "m.model", skiprows=6)
    np.testing.assert_allclose(model, linear.coef_[0], rtol=1e-3, atol=1e-4)
    run("fit rows -c 2 --kernel rbf --gamma 0.2 -w1 3 -e 1e-7 -o m.safetensors")
    kernel = SVC(C=2, gamma=0.2, class_weight={1: 3}, tol=1e-7).fit(X, y)
    found = json.loads(run("predict m.safetensors rows --scores --json").stdout)
    np.testing.assert_allclose(found["columns"]["score:1"], kernel.decision_function(X), atol=1e-2)


def test_columns_from_zero_are_remembered(run, tmp_path):
    X, y = DATA[2]
    write(tmp_path / "zero", X, y, zero_based=True)
    run("fit zero -o m.safetensors")
    expected = run("predict m.safetensors zero").stdout
    (tmp_path / "some").write_text("".join(f"1 {k}:1\n" for k in range(1, D)))  # no row has column 0
    write(tmp_path / "same.csv", np.eye(D)[1:], np.ones(D - 1))
    assert run("predict m.safetensors some").stdout == run("predict m.safetensors same.csv").stdout
    assert len(expected.splitlines()) == N


@pytest.mark.parametrize("n_labels", [2, 3])
def test_models_of_liblinear(run, tmp_path, n_labels):
    linear = pytest.importorskip("liblinear.liblinearutil")
    X, y = DATA[n_labels]
    write(tmp_path / "rows", X, y)
    for kind in (1, 3, 5, 6, 4, 0):
        model = linear.train(y, sparse.csr_matrix(X), f"-s {kind} -B 2 -c 0.5 -e 1e-6 -q")
        linear.save_model("theirs.model", model)
        expected, _, scores = linear.predict(y, sparse.csr_matrix(X), model, "-q")
        found = json.loads(run("predict theirs.model rows --scores --json").stdout)
        assert [*map(float, found["labels"])] == expected
        if kind != 4:
            labels, scores = model.get_labels(), np.array(scores)
            scores = scores[:, np.argsort(labels)] if n_labels > 2 else scores * labels[0]
            np.testing.assert_allclose([*found["columns"].values()], scores.T, rtol=1e-9, atol=1e-9)
            proof = json.loads(run("certify theirs.model rows --cost 0.5 --json").stdout)
            assert np.max(proof["relative_gap"]) < 1e-3
    run("certify theirs.model rows", 2)
    run("fit rows -o ours.model")
    ours = linear.load_model("ours.model")
    expected, *_ = linear.predict(y, sparse.csr_matrix(X), ours, "-q")
    assert [float(line) for line in run("predict ours.model rows").stdout.splitlines()] == expected


def test_certify_path_and_cross_validation(run, tmp_path):
    X, y = DATA[2]
    write(tmp_path / "rows", X, y)
    run("fit rows -c 0.5 -e 1e-6")
    proof = json.loads(run("certify rows.safetensors rows --json").stdout)
    assert 0 <= proof["relative_gap"] <= 1e-6
    assert "better by at most" in run("certify rows.safetensors rows --cost 4").stdout
    write(tmp_path / "some", X[1:], y[1:])
    done = run("certify rows.safetensors some")
    assert done.stdout.startswith("119 rows\n")
    assert done.stderr == "some: 119 rows, but rows.safetensors was fitted to 120; give the same rows\n"
    path = json.loads(run("path rows -n 3 --json -o path.npz").stdout)
    rich = fastsvm.SDCAClassifier("squared_hinge", alpha=path["alpha"][-1], tol=1e-3, random_state=0).fit(
        X, y
    )
    assert path["accuracy"][-1] == pytest.approx(rich.score(X, y), abs=0.01)
    assert np.max(path["relative_gap"]) <= 1e-3
    with np.load(tmp_path / "path.npz") as arrays:
        assert arrays["coefs"].shape == (3, D)
        assert arrays["alphas"].tolist() == path["alpha"] == pytest.approx([1 / (c * N) for c in path["C"]])
    chosen = json.loads(run("cv rows -c 0.5 -c 0.001 -v 3 --json").stdout)
    assert (chosen["costs"], np.shape(chosen["accuracies"])) == ([0.001, 0.5], (2, 3))
    assert chosen["best"] == chosen["costs"][np.argmax(np.mean(chosen["accuracies"], axis=1))]
    mean = json.loads(run("fit rows -c 0.5 -v 3 --json").stdout)["accuracy"]
    assert mean == pytest.approx(np.mean(chosen["accuracies"][1]), abs=0.02)
    assert run("cv rows -v 3").stdout.splitlines()[-1].startswith("best: -c ")
    assert run("path rows -n 2").stdout.count("\n") == 3


@pytest.mark.parametrize("options", ["-s 5", "-s 6", "--penalty elasticnet --l1-ratio 0.9 --loss log"])
def test_penalties_that_make_weights_zero(run, tmp_path, options):
    X, y = DATA[2]
    write(tmp_path / "rows", X, y)
    name = "m.safetensors" if "net" in options else "m.model"
    fit = json.loads(run(f"fit rows -c 0.05 -e 1e-6 {options} -o {name} --json").stdout)
    assert 0 < fit["nonzero"] < D
    told = run(f"fit rows -c 0.05 -e 1e-6 {options} -o b.safetensors").stdout
    assert f", {fit['nonzero']} column" in told
    if name == "m.model":  # whose intercept LIBLINEAR penalises
        fit = json.loads(run(f"fit rows -c 0.05 -e 1e-6 {options} --no-intercept -o {name} --json").stdout)
    proof = json.loads(run(f"certify {name} rows --cost 0.05 --json").stdout)
    assert proof["relative_gap"] <= 2e-6
    path = json.loads(run("path rows -n 5 --penalty l1 --loss log --json").stdout)
    assert path["nonzero"][0] == 0
    assert path["nonzero"][-1] == D
    assert "nonzero" not in run("path rows -n 2").stdout
    assert run("cv rows -c 0.05 -c 1 -v 3 " + options).stdout.splitlines()[-1].startswith("best: -c ")


def test_the_losses_are_those_of_the_solvers():
    assert tuple(LOSS.choices) == LOSSES


def test_convert_keeps_every_digit(run, tmp_path, monkeypatch):
    X, y = DATA[3]
    monkeypatch.setattr(matrix_writing, "BLOCK_VALUES", 50)  # some rows at a time
    X = X / 3
    write(tmp_path / "a.npz", X, y)
    for source, target in [("a.npz", "b.svm.gz"), ("b.svm.gz", "c.csv"), ("c.csv", "d.npz"), ("d.npz", "e")]:
        run(f"convert {source} {target}")
    found, labels = load_svmlight_file(str(tmp_path / "e"), zero_based=False)
    np.testing.assert_array_equal(found.toarray(), X)
    np.testing.assert_array_equal(labels, y)
    run("convert b.svm.gz f.npz")
    assert (sparse.load_npz(tmp_path / "f.npz") != sparse.csr_matrix(X)).nnz == 0
    assert run("convert a.npz -").stdout == (tmp_path / "e").read_text()
    run("fit e -o m.model")
    run("fit e -o n.safetensors")
    run("convert n.safetensors o.model")
    assert (tmp_path / "o.model").read_text() == (tmp_path / "m.model").read_text()


def test_a_stored_matrix_is_read_from_its_folder(run, tmp_path):
    write(tmp_path / "rows", *DATA[3])
    store_svmlight(tmp_path / "rows", tmp_path / "stored", dtype=np.float64)
    for source in ("rows", "stored"):
        run(f"fit {source} -o {source}.model")
    assert (tmp_path / "rows.model").read_text() == (tmp_path / "stored.model").read_text()
    run("fit stored -o stored.safetensors")
    assert run("predict stored.safetensors rows").stdout == run("predict rows.model rows").stdout
    assert run("predict rows.model stored").stdout == run("predict rows.model rows").stdout
    write(tmp_path / "wide", np.hstack([DATA[3][0], np.ones((N, 2))]), DATA[3][1])
    assert "wide: 2 columns beyond the model's 7 ignored" in run("predict rows.model wide").stderr


BAD = [
    ("a", "", "a: has no rows"),
    ("a", "1 1:1\n1 2:1\n", "a: all rows have the same label"),
    ("a", "1 1:1\n0 1:nan\n", "a, line 2: an index without a finite number"),
    ("a", "1 1:1\n0.5 1:1\n", "a: the label 0.5 of row 2 is not a whole number; use words or whole"),
    ("a", "1 1:1\n0 1000000000:1\n", "a, row 2: 1,000,000,000 columns, more than 33,554,432"),
    ("a", gzip.compress(b"1 1:1\n0 2:1\n" * 99, mtime=0)[:40], "a: damaged gzip data"),
    ("a", gzip.compress(b"0\n" * (1 << 25), mtime=0), "set FASTSVM_MAX_EXPANSION higher"),
    ("a.csv", "1,2,a\n3,b\n", "a.csv, line 2: 2 columns, not 3"),
    ("a.csv", "1;2;a\n3;inf;b\n", "a.csv, line 2: column 2 is not a number"),
    ("a.csv", "a\nb\n", "a.csv, line 1: only one column; give columns of numbers and then"),
    ("a.csv", b"\xff\xfe1,2\n", "a.csv: cannot be read"),
    ("a.npz", "PK\3\4 nonsense", "a.npz: cannot be read"),
]


@pytest.mark.parametrize(("name", "content", "message"), BAD)
def test_a_bad_file_takes_one_line_and_leaves_nothing(run, tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    for command in ("fit", "path"):
        done = run(f"{command} {name}", 1)
        assert message in done.stderr
        assert done.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("fit a -s 4", 2, "'4' is not one of '0', '1', '2', '3', '5', '6', '7'"),
        ("fit a -s 3 --loss log", 2, "-s 3 contradicts --loss log"),
        ("fit a -s 1 --penalty l1", 2, "-s 1 contradicts --penalty l1"),
        ("fit a --loss hinge --penalty l1", 1, "penalty='l1' needs loss='squared_hinge' or 'log'"),
        ("fit a --kernel rbf --penalty l1", 2, "--penalty l1 needs a linear machine"),
        ("fit a --penalty elasticnet -o m.model", 1, "LIBLINEAR does not support elasticnet"),
        ("fit a -w7 2", 2, "-w 7: no row has this label; give one of -1, 1"),
        ("fit a -w1 2 -w1 3", 2, "-w 1: the label has two weights; give one"),
        ("fit a -c 0", 2, "0.0 is not in the range 1e-30<=x<=1e+30"),
        ("fit a -c 1e300", 2, "'-c' / '--cost': 1e+300 is not in the range"),
        ("cv a -c 1e-300", 2, "'-c' / '--cost': 1e-300 is not in the range"),
        ("fit a -w1 1e300", 2, "'-w' / '--weight': 1e+300 is not in the range"),
        ("fit a -o a/b", 1, "a/b: cannot be written"),
        ("fit a -v 1", 2, "1 is not in the range x>=2"),
        ("fit a --kernel rbf -o m.model", 1, "LIBLINEAR does not support kernels"),
        ("fit a --loss smooth_hinge -o m.model", 1, "LIBLINEAR does not support smooth_hinge"),
        ("fit .", 1, "is not a matrix of fastsvm.io"),
        ("convert ours.model b.safetensors", 2, "whose C is unknown; predict and certify --cost read it"),
        ("certify ours.model a", 2, "LIBLINEAR's files have no C; give --cost"),
        ("certify joint.model a --cost 1 --loss hinge", 2, "certify does not support its loss"),
        ("fit text.csv -o m.model", 1, "LIBLINEAR's labels are whole numbers"),
        ("convert text.csv b", 1, "svmlight needs numbers as labels"),
        ("predict a a", 1, "a: "),
        ("predict missing a", 1, "missing: No such file"),
        ("predict english.safetensors a", 1, "is not a model of vectors"),
        ("predict bad.model a", 1, "is not a LIBLINEAR model file: it needs 2 x 1 finite weights"),
        ("predict ours.safetensors a --proba", 1, "fit a model with --loss log"),
        ("certify rbf.safetensors a", 1, "certify does not support kernel machines"),
        ("path three", 1, "y must have two classes; it has 3"),
    ],
)
def test_what_cannot_be_meant_is_refused(run, tmp_path, line, code, message):
    write(tmp_path / "a", *DATA[2])
    write(tmp_path / "three", *DATA[3])
    (tmp_path / "text.csv").write_text("1,a\n2,b\n")
    (tmp_path / "english.safetensors").write_bytes(ENGLISH.read_bytes())
    head = "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias -1\nw\n"
    (tmp_path / "bad.model").write_text(head + "1\nnan\n")
    (tmp_path / "joint.model").write_text(head.replace("L2R_LR", "MCSVM_CS") + "1 0\n0 1\n")
    run("fit a -o ours.model")
    run("fit a -o ours.safetensors")
    run("fit a --kernel rbf -o rbf.safetensors")
    before = {path.name for path in tmp_path.iterdir()}
    done = run(line, code)
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert {path.name for path in tmp_path.iterdir()} == before
