"""Warnings point at the line of the caller's own code, whoever gives them."""

import inspect
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

import fastsvm
from every_model import CLASSIFIERS, hurried
from fastsvm import SDCAClassifier, certify, sdca_path
from fastsvm.drop_in import CountVectorizer, LinearSVC, SGDClassifier

RNG = np.random.default_rng(0)
X = 50 * RNG.normal(size=(60, 80))
Y = X[:, 0] + 30 * RNG.normal(size=60) > 0
WITHOUT_TOLERANCE = {"Pegasos", "Perceptron", "KernelPegasos"}  # they do so many epochs, and say nothing


def lines_of_warnings(call):
    """Return file and line of each warning, as offsets from the first line of `call`."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    first = call.__code__.co_firstlineno
    return [(each.filename, each.lineno - first) for each in caught]


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_fit_that_stops_short_names_its_caller(name):
    model = hurried(CLASSIFIERS[name])
    expected = name.rpartition(".")[2].removesuffix("Classifier") not in WITHOUT_TOLERANCE
    assert lines_of_warnings(lambda: model.fit(X, Y)) == [(__file__, 0)] * expected


@pytest.mark.parametrize(
    "call",
    [
        lambda: GridSearchCV(hurried(SDCAClassifier), {"alpha": [1.0]}, cv=2, refit=False).fit(X, Y),
        lambda: make_pipeline(MaxAbsScaler(), hurried(LinearSVC)).fit(X, Y),
        lambda: sdca_path(X, Y, max_iter=1, tol=1e-9),
        lambda: certify(SDCAClassifier(tol=None, max_iter=1).fit(X, Y), X, Y, max_iter=1),
        lambda: SGDClassifier().partial_fit(X, Y, [False, True]),
        lambda: CountVectorizer(ngram_range=(1, 9)).fit(["a word"]),
        lambda: CountVectorizer(analyzer="char", token_pattern="a").fit(["a word"]),
    ],
)
def test_every_other_door_names_its_caller(call):
    found = lines_of_warnings(call)
    assert found
    assert set(found) == {(__file__, 0)}


def test_nobody_else_warns():
    """Not a stack level is counted by hand."""
    root = Path(inspect.getfile(fastsvm)).parent
    sources = {path: path.read_text(encoding="utf-8") for path in sorted(root.rglob("*.py*"))
               if path.suffix in (".py", ".pyx", ".pxd")}  # fmt: skip
    assert len(sources) > 100
    odd = [path.name for path, text in sources.items() if "stacklevel" in text or "warnings.warn(" in text]
    assert odd == ["warnings.py"]
