"""Model files: what goes in comes out, and nothing else gets in."""

import os
import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from contracts import LINEAR, estimators
from fastsvm import (
    ASDCAClassifier,
    KernelFeatures,
    KernelPegasosClassifier,
    KernelSDCAClassifier,
    KernelSDCAClassifierCV,
    ModelFileError,
    PegasosClassifier,
    PerceptronClassifier,
    SDCAClassifier,
    load_model,
    save_model,
)
from fastsvm.model_files import load_about
from fastsvm.text import BagOfWords, HashedBagOfWords, TermWeighting
from fastsvm.text.terms import Terms
from model_files import (
    LABELS,
    assert_round_trip,
    assert_same_field,
    assert_same_predictions,
    round_trip,
)
from pairs import pairs
from rounding import assert_close

pytestmark = pytest.mark.blas

TEXTS = [
    "a fine kettle , quick and quiet",
    "quick , quiet and good",
    "a dull knife and a loud fan",
    "loud , dull , broken",
    "naïve café 𝒳𝒴 e\u0301tude 👍🏽",
    "schlecht \u200d weiß",
] * 2
SIDES = ["pos", "pos", "neg", "neg", "pos", "neg"] * 2

ESTIMATORS = [*estimators(LINEAR), ASDCAClassifier(hinge_width=0.3, theta=0.2, max_iter=3, random_state=0)]

CLASSES = LABELS | {"four": np.arange(4)}


def fitted(estimator, classes=("neg", "pos"), dtype=np.float64):
    classes = np.asarray(classes)
    X, y = make_classification(60, 6, n_informative=5, n_redundant=0, n_classes=len(classes), random_state=0)
    return estimator.fit(X.astype(dtype), classes[y]), X.astype(dtype)


def text_model():
    steps = [("vectorizer", CountVectorizer(token_pattern=r"\S+", ngram_range=(1, 2)))]
    return Pipeline([*steps, ("classifier", SDCAClassifier(loss="log", alpha=0.01, random_state=0))]).fit(
        TEXTS, SIDES
    )


def weighted_model(weighting="tfidf", **params):
    steps = [
        ("vectorizer", BagOfWords(stop_words=["quick"], **params)),
        ("weighting", TermWeighting(weighting)),
        ("classifier", SDCAClassifier(loss="log", alpha=0.01, random_state=0)),
    ]
    return Pipeline(steps).fit(TEXTS, SIDES)


def image_model(dtype=np.float64, n_components=3, **params):
    steps = [("scaler", StandardScaler()), ("pca", PCA(n_components, whiten=True, random_state=0, **params))]
    return fitted(
        Pipeline([*steps, ("classifier", SDCAClassifier(loss="log", alpha=0.1, random_state=0))]), dtype=dtype
    )


def assert_same_transform(one, other, X):
    one, other = (np.asarray(each.transform(X)) for each in (one, other))
    assert_close(one, other)
    assert one.strides == other.strides


# Round trips ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    *pairs(
        estimator={repr(each): each for each in ESTIMATORS}, classes=CLASSES, dtype=[np.float32, np.float64]
    )
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_estimator_round_trip(estimator, classes, dtype, path):
    model, X = fitted(estimator, classes, dtype)
    loaded = assert_round_trip(model, path, X, sparse.csr_array(X))
    assert not {"dual_coef_", "history_"} & vars(loaded).keys()


@pytest.mark.parametrize(
    "estimator", [PegasosClassifier(random_state=0), PerceptronClassifier(random_state=0)]
)
def test_training_goes_on_after_loading(estimator, path):
    model, X = fitted(estimator)
    loaded = round_trip(model, path)
    y = model.predict(X)
    assert np.array_equal(model.partial_fit(X, y).coef_, loaded.partial_fit(X, y).coef_)


def test_parameters_of_several_types(path):
    """What a bool may be besides is checked as in a fit; and none may be missing."""
    model, _ = fitted(PegasosClassifier(fit_intercept="search", averaging="tail", average_from=9))
    loaded = round_trip(model, path)
    assert (loaded.fit_intercept, loaded.average_from) == ("search", 9)
    content = path.read_bytes()
    path.write_bytes(content.replace(b'\\"average_from\\": 9, ', b" " * 21))
    with pytest.raises(ModelFileError, match="'average_from' is missing"):
        load_model(path)
    path.write_bytes(content.replace(b'\\"search\\"', b'\\"starch\\"'))
    with pytest.raises(ModelFileError, match="fit_intercept must be True or False; got 'starch'"):
        load_model(path)


def test_loaded_weights_can_be_changed(path):
    loaded = round_trip(fitted(PerceptronClassifier(random_state=0))[0], path)
    loaded.coef_ *= 2
    loaded.intercept_ += 1


@pytest.mark.parametrize(
    "bag",
    [
        BagOfWords(),
        BagOfWords(analyzer="split", ngram_range=(1, 3), n_jobs=2),
        BagOfWords(token_pattern=r"\S+", lowercase=False, binary=True, min_df=2, max_features=5),
        BagOfWords(token_pattern=r"(?u)\b\w+\b", strip_accents="unicode", dtype=np.float32),
        BagOfWords(stop_words="english", strip_accents="ascii"),
        BagOfWords(stop_words=["quick", "and", "quick"], ngram_range=(2, 2)),
        BagOfWords(stop_words=[]),
        BagOfWords(ngram_range=(1, 9)),  # more than is compiled
        BagOfWords(vocabulary=["quick", "loud", "café", "e\u0301tude", ""], max_df=0.5),
        BagOfWords(vocabulary={"quick": 1, "loud": 0}),
        BagOfWords(vocabulary=["loud"]),
        CountVectorizer(),
        CountVectorizer(lowercase=False, binary=True, min_df=2, max_features=5),
        CountVectorizer(ngram_range=(2, 3), dtype=np.float32, token_pattern=r"\S+"),
        CountVectorizer(vocabulary=["quick", "loud", "𝒳𝒴", "e\u0301tude", "\u00e9tude", "ΐ", ""]),
        CountVectorizer(vocabulary={"quick": 1, "loud": 0}, max_df=0.5),
        CountVectorizer(vocabulary=[""]),
    ],
    ids=repr,
)
def test_bag_round_trip(bag, path):
    texts = [*TEXTS, "", "never seen", "QUICK Quick\u2028naive"]
    if bag.vocabulary is None:
        bag.fit(TEXTS)
    loaded = assert_round_trip(bag, path)
    one, other = bag.transform(texts), loaded.transform(texts)
    assert_same_field(one, other)
    for name in ("analyzer", "token_pattern", "ngram_range", "strip_accents", "lowercase", "binary", "dtype"):
        assert loaded.get_params()[name] == bag.get_params()[name]
    assert np.array_equal(pickle.loads(pickle.dumps(loaded)).transform(texts).toarray(), one.toarray())
    if type(bag) is CountVectorizer:
        return
    anew = type(bag)(**loaded.get_params() | {"vocabulary": None})
    found, expected = (one.fit(["new words"]).get_feature_names_out() for one in (loaded, anew))
    assert found.tolist() == expected.tolist()


def test_loading_makes_no_strings_of_terms(path, monkeypatch):
    save_model(weighted_model(), path)
    strings = Terms.strings
    monkeypatch.setattr(Terms, "strings", lambda self: strings(self) if len(self) < 3 else 1 / 0)
    loaded = load_model(path)
    assert loaded.predict(["fine and quiet", "dull"]).tolist() == ["pos", "neg"]


@pytest.mark.parametrize("weighting", ["counts", "binary", "tfidf", "nb"])
@pytest.mark.parametrize("dtype", [np.float32, np.int64])
@pytest.mark.filterwarnings("ignore:X does not have valid feature names:UserWarning")
def test_weighting_round_trip(weighting, dtype, path):
    model = weighted_model(weighting, dtype=dtype)
    model["weighting"].feature_names_in_ = model["vectorizer"].get_feature_names_out()
    model["weighting"].set_params(norm="l2", smoothing=np.float32(0.5), sublinear_tf=weighting == "counts")
    loaded = assert_round_trip(model, path, [*TEXTS, "", "never seen"])
    assert (loaded["weighting"].weights_ is None) == (weighting in ("counts", "binary"))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "params",
    [{"svd_solver": name} for name in ("full", "covariance_eigh", "arpack", "randomized")]
    + [{"n_components": given} for given in (1, 6, 0.9, "mle", None)],
    ids=repr,
)
def test_image_model_round_trip(dtype, params, path):
    model, X = image_model(dtype, **params)
    other = X.astype(np.float32 if dtype == np.float64 else np.float64)
    loaded = assert_round_trip(model, path, X, X[:1], other)
    assert_same_transform(model[:-1], loaded[:-1], X)
    inner = model[:-1].transform(X)
    assert_close(model[:-1].inverse_transform(inner), loaded[:-1].inverse_transform(inner))
    pca = loaded["pca"]
    assert pca.n_components == pca.n_components_ == model["pca"].n_components_
    assert (type(pca.n_components), pca.whiten) == (int, True)
    assert pca.components_.dtype == dtype


@pytest.mark.parametrize("solver", ["full", "arpack", "randomized"])
@pytest.mark.parametrize(("n_rows", "n_columns"), [(200, 120), (60, 120)])
def test_layout_of_components_is_kept(solver, n_rows, n_columns, path):
    """What multiplies by columns takes another time by rows."""
    X = np.random.default_rng(0).normal(size=(n_rows, n_columns))
    model = PCA(20, svd_solver=solver, random_state=0).fit(X)
    loaded = round_trip(model, path)
    assert_same_transform(model, loaded, X)
    for order in ("C", "F"):
        model.components_ = model.components_.copy(order)
        assert round_trip(model, path).components_.flags[f"{order}_CONTIGUOUS"]
    model.components_ = model.components_[::-1, ::-1]  # upside down and backwards: any layout may come
    assert np.array_equal(round_trip(model, path).components_, model.components_)


@pytest.mark.parametrize("with_mean", [False, True])
@pytest.mark.parametrize("with_std", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scaler_round_trip(with_mean, with_std, dtype, path):
    model, X = fitted(StandardScaler(with_mean=with_mean, with_std=with_std), dtype=dtype)
    X[:, 0] *= 1e6
    loaded = assert_round_trip(model, path)
    assert_same_transform(model, loaded, X)
    assert np.array_equal(model.inverse_transform(X), loaded.inverse_transform(X))
    loaded.partial_fit(X[:9] + 1)  # as if it had seen nothing, for counts of samples are not kept
    assert np.allclose(loaded.transform(X), model.fit(X[:9] + 1).transform(X))


def test_scaler_switched_after_fit(path):
    model, X = fitted(StandardScaler())
    model.set_params(with_std=False)
    model.scale_ = model.scale_[::-1]
    loaded = round_trip(model, path)
    assert np.array_equal(loaded.scale_, model.scale_)
    assert_same_transform(model, loaded, X)


def test_feature_names_of_transformers(path):
    model, _ = image_model()
    names = np.array(["größe", "𝒳", "c", "d", "e", "f"], dtype=object)
    model["scaler"].feature_names_in_ = names
    loaded = round_trip(model, path)
    assert loaded.feature_names_in_.tolist() == names.tolist()
    assert loaded["scaler"].get_feature_names_out().tolist() == names.tolist()
    assert loaded[:-1].get_feature_names_out().tolist() == ["pca0", "pca1", "pca2"]
    model["pca"].feature_names_in_ = names[:5]
    with pytest.raises(ModelFileError, match="5 feature names for 6 features"):
        save_model(model, path)


def test_numpy_parameters_and_generators(path):
    estimator = SDCAClassifier(
        alpha=np.float32(0.1), max_iter=np.int64(200), random_state=np.random.RandomState(0)
    )
    loaded = round_trip(fitted(estimator)[0], path)
    assert loaded.alpha == float(np.float32(0.1))
    assert (loaded.max_iter, type(loaded.max_iter)) == (200, int)
    assert loaded.random_state is None


def test_foreign_byte_order_and_memory_order(path):
    model, X = fitted(PerceptronClassifier(random_state=0), [1, 2, 3])
    loaded = round_trip(model, path)
    model.coef_ = np.asfortranarray(model.coef_).astype(">f8")
    model.classes_ = model.classes_.astype(">i4")
    assert np.array_equal(round_trip(model, path).coef_, loaded.coef_)
    assert np.array_equal(load_model(path).predict(X), loaded.predict(X))


# What cannot be saved ------------------------------------------------------------------------------------


def shout(text):
    return text.upper()


class MyPerceptron(PerceptronClassifier):
    """A subclass may override anything, so it is not what the file would say."""


def perceptron(cls=PerceptronClassifier, **changes):
    model, _ = fitted(cls(random_state=0))
    for name, value in changes.items():
        setattr(model, name, value)
    return model


def scaled(transformer, **changes):
    model, _ = fitted(transformer)
    vars(model).update(changes)
    return model


def kernel(name="rbf", cls=KernelSDCAClassifier, square=False):
    X, y = np.random.default_rng(0).normal(size=(20, 6)), np.arange(20) % 2
    return cls(name).fit(X @ X.T if square else X, y)


def words(**params):
    return CountVectorizer(**params).fit(TEXTS)


def bag(**params):
    return BagOfWords(**params).fit(TEXTS)


def weights(weighting="tfidf"):
    return TermWeighting(weighting).fit(np.eye(2))


NAN_WEIGHTS = np.array([[0, 1, np.nan, 2, 3, 4]])

# What the reader checks is in test_damage.py: a file is read as it is written.
UNSAVABLE = {
    "PerceptronClassifier is not fitted": lambda: PerceptronClassifier(),
    "Vocabulary not fitted": lambda: CountVectorizer(),
    "a builtins.dict": lambda: {},
    "a sklearn.linear_model._logistic.LogisticRegression": lambda: LogisticRegression(),
    "MyPerceptron": lambda: perceptron(MyPerceptron),
    "a sklearn.preprocessing._data.MinMaxScaler": lambda: Pipeline(
        [("scale", MinMaxScaler()), ("model", perceptron())]
    ),
    "the StandardScaler is not fitted": lambda: Pipeline([("scale", StandardScaler()), ("no", perceptron())]),
    "a PCA with set_output(transform='pandas')": lambda: scaled(PCA(2)).set_output(transform="pandas"),
    "StandardScaler whose with_std was changed after fit": lambda: scaled(StandardScaler(), scale_=None),
    "whose kernel was changed after fit": lambda: kernel("precomputed", square=True).set_params(kernel="rbf"),
    "a KernelPegasosClassifier with kernel='precomputed'": lambda: kernel(
        "precomputed", KernelPegasosClassifier, square=True
    ),
    "a KernelSDCAClassifier with kernel=<function rbf_kernel": lambda: kernel(rbf_kernel),
    "only with linear, poly, rbf, sigmoid, laplacian": lambda: kernel().set_params(kernel="cosine"),
    "gamma is inf": lambda: kernel().set_params(gamma=np.inf),
    "KernelSDCAClassifierCV": lambda: fitted(KernelSDCAClassifierCV(alphas=[1.0], gammas=[1.0], cv=2))[0],
    "whose method was changed after fit": lambda: scaled(KernelFeatures()).set_params(method="random"),
    "kernel must be one of": lambda: scaled(KernelFeatures()).set_params(kernel="cosine"),
    "FeatureUnion of a HashedBagOfWords": lambda: FeatureUnion([("words", HashedBagOfWords())]),
    "a FeatureUnion with n_jobs=2": lambda: FeatureUnion([("words", bag())], n_jobs=2),
    "a BagOfWords with preprocessor=": lambda: bag(preprocessor=str.upper),
    "a builtins.str": lambda: Pipeline([("skip", "passthrough"), ("model", perceptron())]),
    "a Pipeline in a Pipeline": lambda: Pipeline([("inner", Pipeline([("model", perceptron())]))]),
    "transform_input": lambda: Pipeline([("model", perceptron())], transform_input=["X"]),
    "tokenizer=<function shout": lambda: words(tokenizer=shout, token_pattern=None),
    "analyzer='char'": lambda: words(analyzer="char"),
    "stop_words=['a', 'the']": lambda: words(stop_words=["a", "the"]),
    r"token_pattern='\\w+'": lambda: words(token_pattern=r"\w+"),
    "not valid Unicode": lambda: CountVectorizer(vocabulary=["\ud800"]),
    "1, which is not a string": lambda: CountVectorizer(vocabulary=[1, 2]),
    "empty vocabulary": lambda: CountVectorizer(vocabulary=[]),
    "'coef_' has values that are not finite": lambda: perceptron(coef_=NAN_WEIGHTS),
    "'classes_' is of type complex": lambda: perceptron(classes_=np.array([1, 2j])),
    "classes_ has 1, which is not": lambda: perceptron(classes_=np.array([1, 2], dtype=object)),
    "verbose is [1]": lambda: perceptron(verbose=[1]),
    "beyond 64 bits": lambda: perceptron(verbose=2**63),
    "parameters are too large": lambda: perceptron(class_weight={"x" * 2**23: 1.0}),
    "BagOfWords: Vocabulary not fitted or provided": lambda: BagOfWords(),
    "a BagOfWords with analyzer='char'": lambda: bag(analyzer="char"),
    "a BagOfWords with token_pattern='[a-z]+'": lambda: bag(token_pattern="[a-z]+"),
    "a BagOfWords with strip_accents=": lambda: bag(strip_accents=str.upper),
    "a BagOfWords with tokenizer=": lambda: bag(tokenizer=str.split, token_pattern=None),
    "vocabulary: invalid UTF-8": lambda: BagOfWords(analyzer="split").fit(["a \ud800 b"]),
    "stop_words has a string that is not valid Unicode": lambda: bag(stop_words=["\ud800"]),
    "whose weighting was changed after fit": lambda: weights().set_params(weighting="binary"),
    "a TermWeighting with set_output(transform='pandas')": lambda: weights().set_output(transform="pandas"),
    "cannot hold a ": lambda: type("Mine", (TermWeighting,), {})().fit(np.eye(2)),
}


@pytest.mark.parametrize("reason", UNSAVABLE)
def test_unsavable(reason, path):
    path.write_text("an earlier file")
    with pytest.raises(ModelFileError) as caught:
        save_model(UNSAVABLE[reason](), path)
    assert reason in str(caught.value)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)
    assert path.read_text() == "an earlier file"
    assert os.listdir(path.parent) == [path.name]


# Writing -------------------------------------------------------------------------------------------------


def test_unwritable_folder(path):
    with pytest.raises(FileNotFoundError) as caught:
        save_model(perceptron(), path.parent / "no" / "such.safetensors")
    assert caught.value.filename == str(path.parent / "no" / "such.safetensors")
    path.write_text("a file, not a folder")
    with pytest.raises(OSError, match=r"model\.safetensors"):
        save_model(perceptron(), path / "below")


@pytest.mark.skipif(os.name == "nt", reason="links and pipes")
def test_links_and_special_files(path):
    link = path.with_name("link")
    link.symlink_to(path.name)
    save_model(perceptron(), link)
    assert link.is_symlink()
    load_model(link)
    pipe = path.with_name("pipe")
    os.mkfifo(pipe)
    for special in (pipe, path.parent):
        with pytest.raises(ModelFileError, match="not a regular file"):
            save_model(perceptron(), special)
        with pytest.raises(ModelFileError, match="not a regular file"):
            load_model(special)


def test_a_model_has_an_about(path):
    model, about = text_model(), {"range": [0.2, 0.32], "classes": {"a": 1}, "none": None}
    save_model(model, path)
    assert load_about(path) == {}
    save_model(model, path, about)
    assert load_about(path) == about
    assert_same_predictions(model, load_model(path), TEXTS)
    for wrong in ({"x": float("nan")}, {"x": {1, 2}}):
        with pytest.raises(ModelFileError, match="`about` is not JSON"):
            save_model(model, path, wrong)
