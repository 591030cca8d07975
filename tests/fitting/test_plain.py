"""Plain models and estimators are one: the same bits, the same files; the former need no scikit-learn."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse
from sklearn import feature_extraction, pipeline, preprocessing

import fastsvm
from contracts import KINDS, made
from fastsvm import fitting, text
from fastsvm.fitting.labels import classes_of
from fastsvm.model_files import ModelFileError, load_plain, save_plain
from pairs import pairs

pytestmark = pytest.mark.blas

TEXTS = ["a fine pen", "a fine, fine cup", "a dull cup", "the dull pen of a dull man", "fine", "dull"] * 4
LABELS = np.array(["+", "+", "-", "-", "+", "-"] * 4)


def pair(name, **more):
    options = {**KINDS[name][-1], "random_state": 3, **more}
    return made(name, fitting, **options), made(name, **options)


def assert_same(plain, estimator):
    """All that a fit sets, to the last bit; times differ."""
    fitted = {name for name in vars(estimator) if name.endswith("_")} - {"history_"}
    assert fitted <= vars(plain).keys()
    for name in fitted:
        one, other = vars(plain)[name], vars(estimator)[name]
        if sparse.issparse(one):  # support vectors
            one, other = one.toarray(), other.toarray()
        one, other = np.asarray(one), np.asarray(other)
        assert one.dtype == other.dtype
        assert one.tolist() == other.tolist(), name


@pytest.mark.parametrize(
    *pairs(
        kind={"dense": np.asarray, "csr": sparse.csr_array},
        dtype=[np.float32, np.float64],
        n_classes=[2, 3],
        name=list(KINDS),
    )
)
def test_classifiers(name, n_classes, dtype, kind, tmp_path):
    rng = np.random.default_rng(0)
    X = kind((rng.normal(size=(90, 12)) * (rng.random((90, 12)) < 0.6)).astype(dtype))
    y = rng.integers(n_classes, size=90)
    for more in ({}, {"class_weight": "balanced", "n_jobs": 2}, {"class_weight": {0: 2.5, 1: 1, 2: 0.5}}):
        plain, estimator = pair(name, **more)
        weights = rng.random(90) + 0.1
        assert_same(plain.fit(X, y, weights), estimator.fit(X, y, weights))
        assert (plain.decision_function(X) == estimator.decision_function(X)).all()
        assert (plain.predict(X) == estimator.predict(X)).all()
    save_plain(plain, tmp_path / "plain")
    fastsvm.save_model(estimator, tmp_path / "estimator")
    assert (tmp_path / "plain").read_bytes() == (tmp_path / "estimator").read_bytes()
    assert (load_plain(tmp_path / "estimator").predict(X) == plain.predict(X)).all()


@pytest.mark.parametrize("name", ["Pegasos", "Perceptron"])
def test_partial_fit(name):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 5)), rng.integers(3, size=60)
    plain, estimator = pair(name)
    for rows in np.split(np.arange(60), 3):
        plain.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
        estimator.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
    assert_same(plain, estimator)


@pytest.mark.parametrize("weighting", ["counts", "binary", "tfidf", "nb"])
@pytest.mark.parametrize("score", ["f_classif", "chi2"])
def test_texts(weighting, score, tmp_path):
    options = {"ngram_range": (1, 2), "dtype": np.float32}
    bag, usual = text.Bag(**options), text.BagOfWords(**options)
    X, Y = bag.fit_transform(TEXTS), usual.fit_transform(TEXTS)
    assert (X != Y).nnz == 0
    assert (bag.transform(TEXTS) != usual.transform(TEXTS)).nnz == 0
    kept = text.Selection(5, score=score).fit(X, LABELS)
    chosen = text.SelectTerms(5, score=score).fit(Y, LABELS)
    assert kept.scores_.tolist() == chosen.scores_.tolist()
    columns = kept.get_support(indices=True)
    assert columns.tolist() == chosen.get_support(indices=True).tolist()
    bag.restrict(columns, indices=True)
    usual.restrict(columns, indices=True)
    assert bag.get_feature_names_out().tolist() == usual.get_feature_names_out().tolist()

    sdca, classifier = pair("SDCA", loss="log")
    plain = fitting.Pipeline([("bag", bag), ("weighting", text.Weighting(weighting)), ("sdca", sdca)])
    plain.fit(TEXTS, LABELS)
    model = pipeline.Pipeline(
        [("bag", usual), ("weighting", text.TermWeighting(weighting)), ("sdca", classifier)]
    )
    model.fit(TEXTS, LABELS)
    assert (plain.decision_function(TEXTS) == model.decision_function(TEXTS)).all()
    assert (plain.predict_proba(TEXTS) == model.predict_proba(TEXTS)).all()
    save_plain(plain, tmp_path / "plain")
    fastsvm.save_model(model, tmp_path / "model")
    assert (tmp_path / "plain").read_bytes() == (tmp_path / "model").read_bytes()
    again = load_plain(tmp_path / "model")
    assert (again.decision_function(TEXTS) == model.decision_function(TEXTS)).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_scaler(dtype, tmp_path):
    rng = np.random.default_rng(0)
    X = (rng.normal(3, 20, size=(200, 7)) * 10.0 ** np.arange(7)).astype(dtype)
    X[:, 2] = 5
    for options in ({}, {"with_mean": False}, {"with_std": False}):
        plain, usual = fitting.Scaler(**options).fit(X), preprocessing.StandardScaler(**options).fit(X)
        for name in ("mean_", "var_", "scale_"):
            one, other = getattr(plain, name), getattr(usual, name)
            assert (one is None) == (other is None)
            if one is not None:
                np.testing.assert_array_equal(one, other)
        # Of float32, versions of scikit-learn round the means before or after they are subtracted.
        rtol = 1e-5 if dtype == np.float32 else 0
        np.testing.assert_allclose(plain.transform(X), usual.transform(X), rtol, atol=rtol)
    model = fitting.Pipeline([("scaler", fitting.Scaler()), ("sdca", fitting.SDCA(alpha=0.1))])
    y = X[:, 0] > X[:, 0].mean()
    save_plain(model.fit(X, y), tmp_path / "model")
    assert (fastsvm.load_model(tmp_path / "model").predict(X) == model.predict(X)).all()


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (lambda model, X, y: model.fit(X, y[:-1]), "y has shape"),
        (lambda model, X, y: model.fit(X, 0 * y), "y has one class only"),
        (lambda model, X, y: model.fit(X * np.nan, y), "row 0, column 0"),
        (lambda model, X, y: model.fit(X, y).predict(X[:, 1:]), "4 features, but the model was fitted to 5"),
        (lambda model, X, y: model.set_params(beta=1), "no parameter 'beta'"),
        (lambda model, X, y: model.set_params(class_weight="even").fit(X, y), "class_weight must be"),
        (lambda model, X, y: model.set_params(class_weight={3: 1}).fit(X, y), "label 3"),
    ],
)
def test_bad_input(bad, message):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 5)), rng.integers(2, size=20)
    with pytest.raises(ValueError, match=message):
        bad(fitting.SDCA(), X, y)


def test_what_a_plain_bag_does_not_know(tmp_path):
    with pytest.raises(ValueError, match="Bag does not support"):
        text.Bag(token_pattern="[a-z]+").fit(TEXTS)
    fastsvm.save_model(text.BagOfWords(stop_words="english").fit(TEXTS), tmp_path / "model")
    with pytest.raises(ModelFileError, match=r"only fastsvm\.load_model reads a BagOfWords with stop_words"):
        load_plain(tmp_path / "model")
    usual = feature_extraction.text.CountVectorizer().fit(TEXTS)
    fastsvm.save_model(usual, tmp_path / "model")
    with pytest.raises(ModelFileError, match="unknown class 'CountVectorizer'"):
        load_plain(tmp_path / "model")


def test_the_core_does_not_import_scikit_learn():
    code = """
import sys
import numpy as np
from fastsvm.fitting import SDCA, Pipeline, Scaler, sdca_path
from fastsvm.model_files import load_plain, save_plain
from fastsvm.text import Bag, Selection, Weighting
X, y = Bag().fit_transform(["a fine pen", "a dull pen", "fine", "dull"]), np.array([1, 0, 1, 0])
X = X[:, Selection(2).fit(X, y).get_support(indices=True)]
X = Weighting("nb").fit(X, y).transform(X)
SDCA().fit(X, y).predict(X)
sdca_path(X, y, [0.1])
print(*{name.partition(".")[0] for name in sys.modules} & {"sklearn", "joblib", "pandas", "matplotlib"})
print(*{"scipy.stats", "scipy.optimize", "scipy.special"} & set(sys.modules))
"""
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.parametrize("kind", ["int8", "uint64", "int64", "bool", "float64", "str"])
@pytest.mark.parametrize("labels", [[0, 1, 0], [1, 1], [1, 0, 1, 0], [3, 1, 2, 1], [7], []])
def test_classes_are_those_of_unique(labels, kind):
    y = np.array(labels).astype(kind)
    found = classes_of(y)
    assert found.dtype == y.dtype
    assert found.tolist() == np.unique(y).tolist()
