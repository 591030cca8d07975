"""Models that can be loaded and make no sense: every command ends with finite results or in one line."""

import json
import warnings
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import fastsvm
from fastsvm import KernelFeatures, KernelSDCAClassifier, PerceptronClassifier, SDCAClassifier
from fastsvm.text import BagOfWords, TermWeighting
from fastsvm_apps.cells.cli import main as cells
from fastsvm_apps.cells.learning.cautious_model import CautiousModel
from fastsvm_apps.cells.learning.familiarity import fit_image_kind
from fastsvm_apps.cells.learning.model_notes import ModelNotes
from fastsvm_apps.cells.measuring.cell_features import feature_names, n_travelling
from fastsvm_apps.sentiment.cli import main as sentiment
from model_files import put, read
from pairs import slow_but

SMEARS = sorted((Path(__file__).parents[2] / "data" / "cells" / "images").rglob("*.jpg"))
TEXTS = ["a great fine thing", "a dull broken thing", "great stuff, great fun", "dull dull stuff", "=1+1 fun"]
LABELS = ["pos", "neg", "pos", "neg", "mixed"]
TWO = ["pos", "neg", "pos", "neg", "neg"]


def cell_notes():
    """Return the notes without which a model of cells is not read."""
    n = n_travelling()
    cautious = CautiousModel(("a", "b"), np.zeros(n), np.ones(n), np.zeros((2, 2, n)), np.zeros((2, 2)))
    return ModelNotes(fit_image_kind([]), cautious).record


TINY, HUGE = np.float32(1e-45), np.finfo(np.float32).max


def text_model(weighting=None, *, classifier, vectorizer=None, labels=TWO):
    steps = [("vectorizer", vectorizer or BagOfWords(ngram_range=(1, 2)))]
    steps += [("weighting", weighting)] if weighting else []
    return Pipeline([*steps, ("classifier", classifier)]).fit(TEXTS, labels)


TEXT_MODELS = {
    "linear": lambda: text_model(classifier=SDCAClassifier()),
    "three labels": lambda: text_model(classifier=SDCAClassifier("log"), labels=LABELS),
    "nb": lambda: text_model(TermWeighting("nb", norm="l2"), classifier=SDCAClassifier("log")),
    "nb, unscaled": lambda: text_model(TermWeighting("nb", norm=None), classifier=PerceptronClassifier()),
    "CountVectorizer": lambda: text_model(classifier=SDCAClassifier("log"), vectorizer=CountVectorizer()),
    "true and false": lambda: text_model(classifier=SDCAClassifier("log"), labels=[True, False, *[True] * 3]),
    "kernel": lambda: text_model(classifier=KernelSDCAClassifier()),
}


def cell_model(*steps):
    names = feature_names()
    X = np.random.default_rng(0).normal(size=(40, len(names))).astype(np.float32)
    model = make_pipeline(StandardScaler(), *steps).fit(X, np.where(X[:, 0] > 0, "b", "a"))
    model[0].feature_names_in_ = np.array(names, dtype=object)
    return model


CELL_MODELS = {
    "linear": lambda: cell_model(SDCAClassifier("log")),
    "pca": lambda: cell_model(PCA(3, whiten=True), SDCAClassifier()),
    "polynomial": lambda: cell_model(KernelSDCAClassifier(kernel="poly")),
    "kernel features": lambda: cell_model(KernelFeatures(n_components=3), SDCAClassifier()),
    "no classifier": lambda: cell_model(PCA(3)),
}


def signs(array):
    return np.where(np.arange(array.size).reshape(array.shape) % 3, 1, -1)


# What becomes of an array of numbers.
CHANGES = {
    "none": lambda array: array,
    "float32's largest": lambda array: np.full_like(array, HUGE),
    "the largest of both signs": lambda array: (signs(array) * np.finfo(array.dtype).max).astype(array.dtype),
    "1e300": lambda array: np.full_like(array, 1e300 if array.dtype == np.float64 else 1e38),
    "zero": np.zeros_like,
    "tiny": lambda array: np.full_like(array, TINY),
}
FIELDS = (
    *("coef_", "intercept_", "weights_", "scale_", "mean_", "components_", "explained_variance_"),
    *("dual_coef_", "factor_", "support_vectors_", "all"),
)


def absurd(model, path, change, field, about=None):
    """Save a model with numbers changed; return whether it has such."""
    fastsvm.save_model(model, path, about)
    document, tensors = read(path.read_bytes())
    numbers = [name for name, array in tensors.items() if array.dtype.kind == "f"]
    chosen = [name for name in numbers if field == "all" or field in name]
    for name in chosen:
        tensors[name] = CHANGES[change](tensors[name])
    path.write_bytes(put(document, tensors))
    return chosen


def cases(models, quick):
    """Return each model with each change, most of them slow."""
    few = ("none", "float32's largest", "the largest of both signs")
    return slow_but([*product(quick, few)], product(models, CHANGES))


def refuse_constant(name):
    raise AssertionError(f"{name} in JSON")


def check(app, *args, **options):
    """Run a command, which must have a finite result or fail in one line; return whether it has one."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        result = CliRunner().invoke(app, [str(arg) for arg in args], **options)
    told = (args, result.stdout[-500:], result.stderr, result.exception)
    assert result.exception is None or isinstance(result.exception, SystemExit), told
    if result.exit_code in (0, 3):
        assert "error" not in result.stderr, told
        words = result.stdout.replace(",", " ").split()
        assert not {"inf", "-inf", "+inf", "nan", "Infinity", "-Infinity", "NaN"} & {*words}, told
        if "--json" in args:
            for line in result.stdout.splitlines():
                json.loads(line, parse_constant=refuse_constant)
    else:
        assert result.exit_code in (1, 2), told
        assert result.stdout == "" or args[0] in ("predict", "classify"), told
        assert result.stderr.startswith("error: "), told
        assert result.stderr.count("\n") == 1, told
        assert len(result.stderr) < 500, told
    return result.exit_code in (0, 3)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    path = tmp_path_factory.mktemp("corpus") / "a.tsv"
    rows = [f"{label}\t{text}" for label, text in zip(LABELS, TEXTS, strict=True)]
    path.write_text("\n".join(["label\ttext", *rows, ""]))
    return path


def through_text_commands(path, corpus):
    folder = path.parent
    for options in ((), ("--json",), ("--proba",), ("--proba", "--json")):
        check(sentiment, "predict", path, *options, input="\n".join([*TEXTS, "", "unheard of"]))
    for json_or_not in ((), ("--json",)):
        check(sentiment, "evaluate", path, corpus, *json_or_not)
        for text in (TEXTS[0], "unheard of"):
            check(sentiment, "explain", path, text, *json_or_not)
        check(sentiment, "explain", path, "great dull fun", "--label", "pos", "-n", 1, *json_or_not)
        check(sentiment, "explain", path, *json_or_not)
        for to, more in (("liblinear", ()), ("pruned", ("--keep", 3))):
            target = folder / f"exported.{to}"
            target.unlink(missing_ok=True)
            done = check(sentiment, "export", path, "--to", to, *more, "-o", target, *json_or_not)
            assert target.exists() == done
            if done and to == "liblinear":
                assert not {"inf", "-inf", "nan"} & {*target.read_text().split()}
    check(sentiment, "explain", path, "--csv")


@pytest.mark.parametrize(("name", "change"), cases(TEXT_MODELS, ("linear", "nb")))
def test_texts(name, change, corpus, tmp_path):
    path = tmp_path / "m.safetensors"
    model = TEXT_MODELS[name]()
    for field in ("coef_", "weights_", "intercept_") if change != "none" else ("all",):
        if absurd(model, path, change, field):
            through_text_commands(path, corpus)


def through_cell_commands(path, images):
    folder = path.parent
    for options in ("--json",), ("--csv",), ("-o", folder / "c.csv"), ("--report", folder / "r.html"):
        check(cells, "classify", images, "-m", path, *options)
    check(cells, "evaluate", path, images)
    check(cells, "evaluate", path, images, "--json")


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    folder = tmp_path_factory.mktemp("images")
    for label, image in (("a", SMEARS[0]), ("b", SMEARS[-1])):
        (folder / label).mkdir()
        (folder / label / "=1.jpg").write_bytes(image.read_bytes())
    return folder


@pytest.mark.parametrize(("name", "change"), cases(CELL_MODELS, ("linear",)))
def test_cells(name, change, images, tmp_path):
    path = tmp_path / "m.safetensors"
    model = CELL_MODELS[name]()
    for field in FIELDS if change not in ("none", "tiny", "zero") else ("all",):
        if absurd(model, path, change, field, cell_notes()):
            check(cells, "classify", images, "-m", path, "--json")
    through_cell_commands(path, images)


def test_the_text_with_a_score_beyond_range_is_named(corpus, tmp_path):
    path = tmp_path / "m.safetensors"
    absurd(TEXT_MODELS["linear"](), path, "the largest of both signs", "coef_")
    run = CliRunner().invoke
    again = "beyond range; the weights of this model are too large; train it again\n"
    result = run(sentiment, ["predict", str(path)], input="unheard of\n\ngreat great great\n")
    assert (result.exit_code, result.stderr) == (1, f"error: <stdin>, line 3: the score is {again}")
    result = run(sentiment, ["evaluate", str(path), str(corpus)])
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"error: {corpus}, line ")
    assert result.stderr.endswith(f": the score is {again}")


def test_the_image_with_a_score_beyond_range_is_named(images, tmp_path):
    path = tmp_path / "m.safetensors"
    absurd(CELL_MODELS["linear"](), path, "tiny", "scale_", cell_notes())
    absurd_scale = fastsvm.load_model(path)
    absurd_scale[0].scale_[:] = 5e-324
    fastsvm.save_model(absurd_scale, path, cell_notes())
    result = CliRunner().invoke(cells, ["classify", str(images), "-m", str(path), "--json"])
    message = "error: a/=1.jpg: the score of a cell overflows; train m.safetensors again\n"
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", message)
