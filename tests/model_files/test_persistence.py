"""Model files: what goes in comes out, and nothing else gets in."""

import contextlib
import json
import os
import pickle
import random
import stat
import struct

import numpy as np
import pytest
from safetensors.numpy import save
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import fastsvm
from fastsvm import (
    ASDCAClassifier,
    ModelFileError,
    PegasosClassifier,
    PerceptronClassifier,
    SDCAClassifier,
    load_model,
    save_model,
)
from fastsvm.model_files import load_about
from fastsvm.text import BagOfWords, TermWeighting
from fastsvm.text.terms import Terms
from model_files import (
    LABELS,
    assert_same_predictions,
    assert_saved_alike,
    changed,
    put,
    read,
    refuses,
    refuses_arrays,
    round_trip,
)
from pairs import pairs
from rounding import assert_close

TEXTS = [
    "a fine kettle , quick and quiet",
    "quick , quiet and good",
    "a dull knife and a loud fan",
    "loud , dull , broken",
    "naïve café 𝒳𝒴 e\u0301tude 👍🏽",
    "schlecht \u200d weiß",
] * 2
SIDES = ["pos", "pos", "neg", "neg", "pos", "neg"] * 2

ESTIMATORS = [
    SDCAClassifier(loss="log", alpha=0.1, random_state=0),
    SDCAClassifier(alpha=0.1, tol=0.1, random_state=0),
    ASDCAClassifier(loss="log", alpha=0.1, random_state=0),
    ASDCAClassifier(theta=0.2, alpha=0.1, max_iter=3, random_state=0),
    PegasosClassifier(loss="log", alpha=0.1, random_state=0),
    PerceptronClassifier(random_state=0),
]

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


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.safetensors"


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """The bytes of a good file: a vectorizer and a classifier, with every kind of tensor there is."""
    file = tmp_path_factory.mktemp("good") / "model.safetensors"
    save_model(text_model(), file)
    return file.read_bytes()


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    """The bytes of a good file: a scaler, a PCA and a classifier, of 6 features and 3 components."""
    file = tmp_path_factory.mktemp("image") / "model.safetensors"
    save_model(image_model()[0], file)
    return file.read_bytes()


@pytest.fixture(scope="module")
def weighted(tmp_path_factory):
    """The bytes of a good file: a compiled vectorizer, a weighting and a classifier."""
    file = tmp_path_factory.mktemp("weighted") / "model.safetensors"
    save_model(weighted_model(), file)
    return file.read_bytes()


def assert_same_transform(one, other, X):
    one, other = (np.asarray(each.transform(X)) for each in (one, other))
    assert_close(one, other)
    assert one.strides == other.strides


def raw(header, data=b""):
    """Write a safetensors file by hand, for what the library would not write."""
    header = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(header)) + header + data


def step(model, index):
    return model["steps"][index][1]


# Round trips ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    *pairs(
        estimator={repr(each): each for each in ESTIMATORS}, classes=CLASSES, dtype=[np.float32, np.float64]
    )
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_estimator_round_trip(estimator, classes, dtype, path):
    model, X = fitted(estimator, classes, dtype)
    loaded = round_trip(model, path)
    assert type(loaded) is type(model)
    assert loaded.get_params() == model.get_params()
    assert loaded.coef_.dtype == model.coef_.dtype == dtype
    assert loaded.classes_.dtype == model.classes_.dtype
    assert loaded.n_features_in_ == model.n_features_in_
    for name in ("coef_", "intercept_", "classes_"):
        assert np.array_equal(getattr(loaded, name), getattr(model, name))
    assert_same_predictions(model, loaded, X)
    assert_same_predictions(model, loaded, sparse.csr_array(X))


@pytest.mark.parametrize("classes", [[0, 1], [0, 1, 2]])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_summary_of_training_is_kept(classes, path):
    model, _ = fitted(SDCAClassifier(random_state=0), classes)
    loaded = round_trip(model, path)
    for name in ("n_iter_", "objective_", "dual_gap_"):
        assert np.array_equal(getattr(loaded, name), getattr(model, name))
        assert type(getattr(loaded, name)) is type(getattr(model, name))
    assert not hasattr(loaded, "dual_coef_")
    assert not hasattr(loaded, "history_")


def test_summary_that_is_not_finite_is_left_out(path):
    loaded = round_trip(perceptron(objective_=np.inf), path)
    assert not hasattr(loaded, "objective_")


@pytest.mark.parametrize(
    "estimator", [PegasosClassifier(random_state=0), PerceptronClassifier(random_state=0)]
)
def test_training_goes_on_after_loading(estimator, path):
    model, X = fitted(estimator)
    loaded = round_trip(model, path)
    y = model.predict(X)
    assert np.array_equal(model.partial_fit(X, y).coef_, loaded.partial_fit(X, y).coef_)


def test_loaded_weights_can_be_changed(path):
    loaded = round_trip(fitted(PerceptronClassifier(random_state=0))[0], path)
    loaded.coef_ *= 2
    loaded.intercept_ += 1


def test_pipeline_round_trip(path):
    model = text_model()
    loaded = round_trip(model, path)
    assert [name for name, _ in loaded.steps] == ["vectorizer", "classifier"]
    assert loaded["vectorizer"].vocabulary_ == model["vectorizer"].vocabulary_
    assert loaded["vectorizer"].get_params()["token_pattern"] == r"\S+"
    assert_same_predictions(model, loaded, [*TEXTS, "", "never seen"])
    assert_saved_alike(loaded, path)


@pytest.mark.parametrize(
    "vectorizer",
    [
        CountVectorizer(),
        CountVectorizer(lowercase=False, binary=True, min_df=2, max_features=5),
        CountVectorizer(ngram_range=(2, 3), dtype=np.float32, token_pattern=r"\S+"),
        CountVectorizer(vocabulary=["quick", "loud", "𝒳𝒴", "e\u0301tude", "\u00e9tude", "ΐ", ""]),
        CountVectorizer(vocabulary={"quick": 1, "loud": 0}, max_df=0.5),
        CountVectorizer(vocabulary=[""]),
    ],
    ids=repr,
)
def test_vectorizer_round_trip(vectorizer, path):
    if vectorizer.vocabulary is None:
        vectorizer.fit(TEXTS)
    loaded = round_trip(vectorizer, path)
    one, other = vectorizer.transform(TEXTS), loaded.transform(TEXTS)
    assert one.dtype == other.dtype
    assert np.array_equal(one.toarray(), other.toarray())
    assert loaded.get_feature_names_out().tolist() == vectorizer.get_feature_names_out().tolist()


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
    ],
    ids=repr,
)
def test_bag_round_trip(bag, path):
    texts = [*TEXTS, "", "never seen", "QUICK Quick\u2028naive"]
    if bag.vocabulary is None:
        bag.fit(TEXTS)
    loaded = round_trip(bag, path)
    one, other = bag.transform(texts), loaded.transform(texts)
    assert type(loaded) is BagOfWords
    assert one.dtype == other.dtype
    assert np.array_equal(one.toarray(), other.toarray())
    assert loaded.get_feature_names_out().tolist() == bag.get_feature_names_out().tolist()
    for name in ("analyzer", "token_pattern", "ngram_range", "strip_accents", "lowercase", "binary", "dtype"):
        assert loaded.get_params()[name] == bag.get_params()[name]
    assert_saved_alike(loaded, path)
    assert np.array_equal(pickle.loads(pickle.dumps(loaded)).transform(texts).toarray(), one.toarray())
    assert (
        loaded.fit(["new words"]).get_feature_names_out().tolist()
        == BagOfWords(**{**loaded.get_params(), "vocabulary": None})
        .fit(["new words"])
        .get_feature_names_out()
        .tolist()
    )


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
    loaded = round_trip(model, path)
    assert_same_predictions(model, loaded, [*TEXTS, "", "never seen"])
    one, other = model["weighting"], loaded["weighting"]
    assert other.get_params() == one.get_params()
    assert other.n_features_in_ == one.n_features_in_
    assert other.get_feature_names_out().tolist() == one.get_feature_names_out().tolist()
    if weighting in ("tfidf", "nb"):
        assert np.array_equal(other.weights_, one.weights_)
        assert other.weights_.dtype == one.weights_.dtype
    else:
        assert other.weights_ is None
    assert_saved_alike(loaded, path)


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (BagOfWords(), "BagOfWords: Vocabulary not fitted or provided"),
        (BagOfWords(analyzer="char").fit(TEXTS), "a BagOfWords with analyzer='char'"),
        (BagOfWords(token_pattern="[a-z]+").fit(TEXTS), "a BagOfWords with token_pattern='[a-z]+'"),
        (BagOfWords(strip_accents=str.upper).fit(TEXTS), "a BagOfWords with strip_accents="),
        (BagOfWords(tokenizer=str.split).fit(TEXTS), "a BagOfWords with tokenizer="),
        (BagOfWords(preprocessor=str.upper).fit(TEXTS), "a BagOfWords with preprocessor="),
        (BagOfWords(decode_error="ignore").fit(TEXTS), "a BagOfWords with decode_error='ignore'"),
        (BagOfWords(analyzer="split").fit(["a \ud800 b"]), "vocabulary: invalid UTF-8"),
        (BagOfWords(stop_words=["\ud800"]).fit(TEXTS), "stop_words has a string that is not valid Unicode"),
        (TermWeighting(), "the TermWeighting is not fitted"),
        (TermWeighting().fit(np.eye(2)).set_params(weighting="binary"), "was changed after fit"),
        (TermWeighting("counts").fit(np.eye(2)).set_params(weighting="nb"), "was changed after fit"),
        (TermWeighting().fit(np.eye(2)).set_output(transform="pandas"), "set_output(transform='pandas')"),
        (type("Mine", (TermWeighting,), {})().fit(np.eye(2)), "holds no "),
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore:The parameter 'token_pattern':UserWarning")
def test_text_steps_that_no_file_holds(model, reason, path):
    with pytest.raises(ModelFileError) as caught:
        save_model(model, path)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not path.exists()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "params",
    [{"svd_solver": name} for name in ("full", "covariance_eigh", "arpack", "randomized")]
    + [{"n_components": given} for given in (1, 6, 0.9, "mle", None)],
    ids=repr,
)
def test_image_model_round_trip(dtype, params, path):
    model, X = image_model(dtype, **params)
    loaded = round_trip(model, path)
    assert_same_predictions(model, loaded, X)
    assert_same_predictions(model, loaded, X[:1])
    assert_same_predictions(model, loaded, X.astype(np.float32 if dtype == np.float64 else np.float64))
    assert_same_transform(model[:-1], loaded[:-1], X)
    inner = model[:-1].transform(X)
    assert_close(model[:-1].inverse_transform(inner), loaded[:-1].inverse_transform(inner))
    for name in ("components_", "mean_", "explained_variance_"):
        assert np.array_equal(getattr(loaded["pca"], name), getattr(model["pca"], name))
    for step in ("scaler", "pca"):
        assert loaded[step].n_features_in_ == model[step].n_features_in_ == 6
        assert list(loaded[step].get_feature_names_out()) == list(model[step].get_feature_names_out())
    pca = loaded["pca"]
    assert pca.n_components == pca.n_components_ == model["pca"].n_components_
    assert (type(pca.n_components), pca.whiten) == (int, True)
    assert pca.components_.dtype == dtype
    assert_saved_alike(loaded, path)


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
    loaded = round_trip(model, path)
    assert loaded.get_params() == model.get_params()
    assert_same_transform(model, loaded, X)
    assert np.array_equal(model.inverse_transform(X), loaded.inverse_transform(X))
    for name in ("mean_", "scale_", "var_"):
        assert np.array_equal(getattr(loaded, name), getattr(model, name))
    assert loaded.n_features_in_ == 6
    loaded.partial_fit(X[:9] + 1)  # as if it had seen nothing, for counts of samples are not kept
    assert np.allclose(loaded.transform(X), model.fit(X[:9] + 1).transform(X))


def test_scaler_of_sparse_rows(path):
    X = sparse.random_array((20, 5), density=0.3, format="csr", rng=np.random.default_rng(0))
    for with_std in (False, True):
        model = StandardScaler(with_mean=False, with_std=with_std).fit(X)
        loaded = round_trip(model, path)
        assert np.array_equal(model.transform(X).toarray(), loaded.transform(X).toarray())


def test_scaler_switched_after_fit(path):
    model, X = fitted(StandardScaler())
    model.set_params(with_std=False)
    model.scale_ = model.scale_[::-1]
    loaded = round_trip(model, path)
    assert np.array_equal(loaded.scale_, model.scale_)
    assert_same_transform(model, loaded, X)


def test_words_may_be_scaled(path):
    steps = [("words", CountVectorizer()), ("scaler", StandardScaler(with_mean=False))]
    model = Pipeline([*steps, ("classifier", SDCAClassifier(alpha=0.1, random_state=0))]).fit(TEXTS, SIDES)
    assert_same_predictions(model, round_trip(model, path), TEXTS)


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


def test_feature_names_of_a_data_frame(path):
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame({"größe": [0.0, 1.0, 2.0, 3.0], "Höhe 𝒳": [3.0, 1.0, 2.0, 0.0]})
    model = PerceptronClassifier(random_state=0).fit(X, [0, 0, 1, 1])
    loaded = round_trip(model, path)
    assert loaded.feature_names_in_.tolist() == ["größe", "Höhe 𝒳"]
    assert loaded.feature_names_in_.dtype == model.feature_names_in_.dtype
    assert_same_predictions(model, loaded, X)


def test_feature_names(path):
    model, _ = fitted(PerceptronClassifier(random_state=0))
    model.feature_names_in_ = np.array(["größe", "𝒳", "c", "d", "e", "f"], dtype=object)
    assert round_trip(model, path).feature_names_in_.tolist() == model.feature_names_in_.tolist()
    model.feature_names_in_ = model.feature_names_in_[:5]
    with pytest.raises(ModelFileError, match="5 feature names for 6 features"):
        save_model(model, path)


@pytest.mark.parametrize("weight", ["balanced", {"neg": 2, "pos": 0.5}])
def test_class_weight_round_trip(weight, path):
    model, _ = fitted(PerceptronClassifier(class_weight=weight, random_state=0))
    assert round_trip(model, path).class_weight == weight


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


def test_path_may_be_a_string(path):
    model, X = fitted(PerceptronClassifier(random_state=0))
    save_model(model, str(path))
    assert_same_predictions(model, load_model(str(path)), X)


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


def words(**params):
    return CountVectorizer(**params).fit(TEXTS)


NAN_WEIGHTS = np.array([[0, 1, np.nan, 2, 3, 4]])

UNSAVABLE = {
    "PerceptronClassifier is not fitted": lambda: PerceptronClassifier(),
    "Vocabulary not fitted": lambda: CountVectorizer(),
    "no builtins.dict": lambda: {},
    "no sklearn.linear_model._logistic.LogisticRegression": lambda: LogisticRegression(),
    "no sklearn.feature_extraction.text.TfidfVectorizer": lambda: TfidfVectorizer().fit(TEXTS),
    "MyPerceptron": lambda: perceptron(MyPerceptron),
    "no sklearn.preprocessing._data.MinMaxScaler": lambda: Pipeline(
        [("scale", MinMaxScaler()), ("model", perceptron())]
    ),
    "the StandardScaler is not fitted": lambda: Pipeline([("scale", StandardScaler()), ("no", perceptron())]),
    "the PCA is not fitted": lambda: PCA(),
    "a PCA with set_output(transform='pandas')": lambda: scaled(PCA(2)).set_output(transform="pandas"),
    "'mean_' has values that are not finite": lambda: scaled(StandardScaler(), mean_=np.full(6, np.nan)),
    "tensor 'scale_' is missing": lambda: scaled(StandardScaler(), scale_=None),
    "'var_' is of type complex128": lambda: scaled(StandardScaler(), var_=np.ones(6, dtype=complex)),
    "'second' does not take the 2 features": lambda: Pipeline(
        [("first", scaled(PCA(2))), ("second", perceptron())]
    ),
    "no builtins.str": lambda: Pipeline([("skip", "passthrough"), ("model", perceptron())]),
    "no sklearn.pipeline.Pipeline": lambda: Pipeline([("inner", Pipeline([("model", perceptron())]))]),
    "step named 'a.b'": lambda: Pipeline([("a.b", perceptron())]),
    "transform_input": lambda: Pipeline([("model", perceptron())], transform_input=["X"]),
    "without steps": lambda: Pipeline([]),
    "'again' does not take the 0": lambda: Pipeline([("model", perceptron()), ("again", perceptron())]),
    "'model' does not take the": lambda: Pipeline([("words", words()), ("model", perceptron())]),
    "preprocessor=<function shout": lambda: words(preprocessor=shout),
    "tokenizer=<function shout": lambda: words(tokenizer=shout, token_pattern=None),
    "analyzer=<function shout": lambda: words(analyzer=shout),
    "analyzer='char'": lambda: words(analyzer="char"),
    "stop_words=['a', 'the']": lambda: words(stop_words=["a", "the"]),
    "strip_accents='ascii'": lambda: words(strip_accents="ascii"),
    r"token_pattern='\\w+'": lambda: words(token_pattern=r"\w+"),
    "dtype is 'int8'": lambda: words(dtype=np.int8),
    "ngram_range is [1, 17]": lambda: words(ngram_range=(1, 17)),
    "not valid Unicode": lambda: CountVectorizer(vocabulary=["\ud800"]),
    "1, which is not a string": lambda: CountVectorizer(vocabulary=[1, 2]),
    "empty vocabulary": lambda: CountVectorizer(vocabulary=[]),
    "'coef_' has values that are not finite": lambda: perceptron(coef_=NAN_WEIGHTS),
    "do not suit 2 classes": lambda: perceptron(coef_=np.ones((2, 6))),
    "'classes_' is of type complex": lambda: perceptron(classes_=np.array([1, 2j])),
    "classes_ has 1, which is not": lambda: perceptron(classes_=np.array([1, 2], dtype=object)),
    "labels too long": lambda: perceptron(classes_=np.array(["a", "b" * 2**24])),
    "verbose is [1]": lambda: perceptron(verbose=[1]),
    "verbose is inf": lambda: perceptron(verbose=float("inf")),
    "beyond 64 bits": lambda: perceptron(verbose=2**63),
    "parameters are too large": lambda: perceptron(class_weight={"x" * 2**23: 1.0}),
    "max_iter": lambda: perceptron(max_iter=-1),
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


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()], ids=repr)
@pytest.mark.parametrize("where", ["fsync", "replace"])
def test_failure_midway_leaves_the_earlier_file(where, failure, path, monkeypatch):
    def fail(*args):
        raise failure

    path.write_text("an earlier file")
    monkeypatch.setattr(os, where, fail)
    with pytest.raises(type(failure)) as caught:
        save_model(perceptron(), path)
    monkeypatch.undo()
    assert path.read_text() == "an earlier file"
    assert os.listdir(path.parent) == [path.name]
    if isinstance(failure, OSError):
        assert caught.value.filename == str(path)


def test_unwritable_folder(path):
    with pytest.raises(FileNotFoundError) as caught:
        save_model(perceptron(), path.parent / "no" / "such.safetensors")
    assert caught.value.filename == str(path.parent / "no" / "such.safetensors")
    path.write_text("a file, not a folder")
    with pytest.raises(OSError, match=r"model\.safetensors"):
        save_model(perceptron(), path / "below")


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")
def test_read_only_folder(tmp_path):
    tmp_path.chmod(0o555)
    if os.access(tmp_path, os.W_OK):
        pytest.skip("the superuser may write anywhere")
    with pytest.raises(PermissionError, match=r"model\.safetensors"):
        save_model(perceptron(), tmp_path / "model.safetensors")


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")
def test_permissions(path):
    before = os.umask(0o027)
    try:
        save_model(perceptron(), path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        path.chmod(0o600)
        save_model(perceptron(), path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, "what was private stays private"
    finally:
        os.umask(before)


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


# Damaged files -------------------------------------------------------------------------------------------


def test_missing_file(path):
    with pytest.raises(FileNotFoundError):
        load_model(path)


def test_not_a_safetensors_file(path):
    reason = "not a safetensors file, or damaged"
    refuses(path, b"", reason)
    refuses(path, b"\0" * 100, reason)
    refuses(path, b"{}", reason)
    refuses(path, random.Random(0).randbytes(5000), reason)
    refuses(path, b"#!/bin/sh\nrm -rf ~\n", reason)


def test_pickle_is_never_opened(path):
    class Boom:
        def __reduce__(self):
            return pytest.fail, ("a pickle was opened",)

    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        refuses(path, pickle.dumps([Boom()] * 50, protocol), "not a safetensors file, or damaged")


def test_someone_elses_safetensors(path):
    tensors = {"weight": np.ones((2, 3), np.float32)}
    for content in (save(tensors), save(tensors, {"format": "pt"}), raw({"__metadata__": None}), raw({})):
        refuses(path, content, "not a fastsvm model")
    refuses(path, save(tensors, {"fastsvm": "{}"}), "unknown schema None")


def test_truncated(path, good):
    for size in range(len(good)):
        refuses(path, good[:size], "not a safetensors file, or damaged")
    refuses(path, good + b"x", "not a safetensors file, or damaged")


@pytest.mark.slow
def test_every_flipped_byte(path, good):
    """Whatever happened to a byte, the answer is a model or a ModelFileError."""
    header = 8 + struct.unpack("<Q", good[:8])[0]
    changes = [(place, flip) for place in range(header) for flip in (0x01, 0x20, 0xFF)]
    generator = random.Random(0)
    changes += [(generator.randrange(header, len(good)), generator.randrange(1, 256)) for _ in range(500)]
    n_loaded = 0
    for place, flip in changes:
        content = bytearray(good)
        content[place] ^= flip
        path.write_bytes(content)
        with contextlib.suppress(ModelFileError):
            load_model(path).predict(TEXTS)
            n_loaded += 1
    assert 0 < n_loaded < len(changes)


@pytest.mark.parametrize("kind", ["good", pytest.param("image", marks=pytest.mark.slow)])
def test_random_edits_of_the_description(kind, path, request):
    """Any part of the description replaced by anything is a model or a ModelFileError."""
    values = [
        None,
        True,
        -1,
        0,
        2**62,
        1.5,
        -1e300,
        "",
        "x" * 1000,
        "__class__",
        [],
        [[]],
        {},
        {"a": 1},
        [1, 1],
    ]

    def places(value):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield value, key
            if isinstance(inner, dict | list):
                yield from places(inner)

    good = request.getfixturevalue(kind)
    document, tensors = read(good)
    n_places = len(list(places(document)))
    for place in range(n_places):
        for value in values:
            document, _ = read(good)
            parent, key = list(places(document))[place]
            parent[key] = value
            path.write_bytes(put(document, tensors))
            with contextlib.suppress(ModelFileError):
                load_model(path)


# Hostile descriptions ------------------------------------------------------------------------------------


def test_what_else_is_said_about_a_model(path, good):
    path.write_bytes(good)
    model, about = load_model(path), {"range": [0.2, 0.32], "classes": {"a": 1}, "none": None}
    assert load_about(path) == {}
    save_model(model, path, about)
    assert load_about(path) == about
    assert_same_predictions(model, load_model(path), TEXTS)
    document, tensors = read(path.read_bytes())
    refuses(path, put(document | {"about": []}, tensors), "about is [], not of type dict")
    refuses(path, put(document | {"schema": 1}, tensors), "'about' is unexpected")
    for wrong in ({"x": float("nan")}, {"x": {1, 2}}):
        with pytest.raises(ModelFileError, match="what is said about it is no JSON"):
            save_model(model, path, wrong)


def test_later_schema(path, good):
    document, tensors = read(good)
    document = {"schema": 4, "something": "new"}
    refuses(
        path,
        put(document, tensors),
        "written by a later fastsvm (schema 4, this one reads up to 3); upgrade fastsvm",
    )
    for schema in (0, -1, 1.0, True, "1", None, [1]):
        refuses(path, put({"schema": schema}, tensors), "unknown schema")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "damaged metadata"),
        ("{", "damaged metadata"),
        ("null", "unknown schema None"),
        ("[1]", "unknown schema None"),
        ('{"schema": 1} {}', "damaged metadata"),
        ('{"schema": 1, "schema": 1}', "a key twice"),
        ('{"schema": NaN}', "not finite"),
        ('{"schema": -Infinity}', "not finite"),
        ('{"schema": 1e999}', "not finite"),
        ('{"schema": 9223372036854775808}', "beyond 64 bits"),
        ('{"schema": ' + "9" * 10**6 + "}", "beyond 64 bits"),
        ("[" * 10**6, "nested too deeply"),
        ('{"schema":' * 10**5, "nested too deeply"),
        ("[" * 10**5 + "]" * 10**5, "nested too deeply"),
        ('{"schema": 1}', "'version' is missing"),
        ('{"schema": 1, "version": 1, "model": {}}', "version is 1, not of type str"),
        ('{"schema": 1, "version": "1", "model": []}', "model is [], not of type dict"),
        ('{"schema": 1, "version": "1", "model": {}, "more": 1}', "'more' is unexpected"),
        ('{"schema": 1, "version": "1", "model": {}}', "'class' is missing"),
    ],
    ids=lambda value: value[:40],
)
def test_hostile_text(text, reason, path, good):
    refuses(path, put(text, read(good)[1]), reason)


def test_hostile_header(path, good):
    reason = "damaged"
    refuses(path, struct.pack("<Q", 2**64 - 1) + good[8:], reason)
    refuses(path, raw(b" " * (1 << 25) + b"{}"), "header too large")
    refuses(path, raw(b"[" * 10**6), reason)
    refuses(path, raw(b'{"a":' * 10**6), reason)
    refuses(path, raw(b'{"__metadata__":{"fastsvm":"1"},"__metadata__":{"fastsvm":"2"}}'), reason)
    refuses(path, raw(b'{"__metadata__":{"fastsvm":"1","fastsvm":"2"}}'), "a key twice")
    refuses(path, raw(b'{"__metadata__":{"fastsvm":1}}'), reason)
    refuses(path, raw(json.dumps({"__metadata__": {"fastsvm": "{}"}}).encode("utf-16")), reason)
    refuses(path, raw(b'{"__metadata__":{"fastsvm":"\xff"}}'), reason)
    empty = {"dtype": "F64", "shape": [0, 2**63], "data_offsets": [0, 0]}
    refuses(path, raw({"a": empty}), "beyond 64 bits")
    refuses(path, raw({"a": {**empty, "shape": [0, 2**62]}}), "impossible shape")
    refuses(path, raw({"a": {**empty, "dtype": "BF16", "shape": [0]}}), "is of type BF16")
    refuses(path, raw({"a": {**empty, "shape": [2], "data_offsets": [0, 8]}}, b"12345678"), reason)


def test_other_metadata(path, good):
    refuses(path, put(*read(good), format="np"), "'format' is unexpected")


@pytest.mark.parametrize(
    "name",
    ["os.system", "builtins.eval", "SVC", "LinearClassifier", "sdcaclassifier", "", "Pipeline", "__init__"],
)
def test_unknown_class(name, path, good):
    document, tensors = read(good)
    step(document["model"], 1)["class"] = name
    refuses(path, put(document, tensors), f"unknown class {name!r}")


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({"kernel": "rbf"}, "parameter 'kernel' is unexpected"),
        ({"__class__": "os"}, "parameter '__class__' is unexpected"),
        ({"loss": "no such loss"}, "loss"),
        ({"loss": 3}, "loss"),
        ({"loss": ["log"]}, "parameter loss is ['log']"),
        ({"alpha": {}}, "parameter alpha is {}"),
        ({"alpha": -0.1}, "alpha"),
        ({"alpha": 0}, "alpha"),
        ({"alpha": "0.1"}, "alpha"),
        ({"alpha": None}, "alpha"),
        ({"max_iter": 1.5}, "max_iter"),
        ({"fit_intercept": "no"}, "parameter fit_intercept is 'no'"),
        ({"n_jobs": "all"}, "parameter n_jobs is 'all'"),
        ({"random_state": 0.5}, "parameter random_state is 0.5"),
        ({"max_iter": 0}, "max_iter"),
        ({"class_weight": "unbalanced"}, "class_weight is 'unbalanced'"),
        ({"class_weight": 3}, "class_weight is 3"),
        ({"class_weight": [["pos"]]}, "class_weight is not a list of pairs"),
        ({"class_weight": [[[], 1.0]]}, "class_weight is not a list of pairs"),
        ({"class_weight": [["pos", "1"]]}, "class_weight of 'pos' is '1'"),
        ({"class_weight": [["pos", 1.0], ["pos", 2.0]]}, "class_weight: a label twice"),
    ],
    ids=repr,
)
def test_hostile_parameters(params, reason, path, good):
    changed(path, good, lambda model, _: step(model, 1)["params"].update(params), reason)


def test_missing_parameter(path, good):
    changed(path, good, lambda model, _: step(model, 1)["params"].pop("alpha"), "'alpha' is missing")


@pytest.mark.parametrize("name", ["solver", "warm_start", "trace"])
def test_a_missing_switch_is_no_default(path, name):
    X, y = make_classification(random_state=0)
    save_model(SDCAClassifier(alpha=0.1).fit(X, y), path)
    document, tensors = read(path.read_bytes())
    del document["model"]["params"][name]
    refuses(path, put(document, tensors), f"{name!r} is missing")


def test_a_solver_that_is_none(path):
    X, y = make_classification(random_state=0)
    save_model(SDCAClassifier(alpha=0.1).fit(X, y), path)
    document, tensors = read(path.read_bytes())
    document["model"]["params"]["solver"] = "lbfgs"
    refuses(path, put(document, tensors), "solver must be one of")


@pytest.mark.parametrize(
    ("fitted", "reason"),
    [
        ({"coef_": [[1.0]]}, "attribute 'coef_' is unexpected"),
        ({"predict": 1}, "attribute 'predict' is unexpected"),
        ({"n_iter_": "3"}, "n_iter_ is '3'"),
        ({"n_iter_": None}, "n_iter_ is None"),
        ({"n_iter_": -1}, "n_iter_ is -1"),
        ({"n_iter_": [1]}, "n_iter_ is [1]"),
        ({"t_": 1.5}, "t_ is 1.5"),
        ({"dual_gap_": "0"}, "dual_gap_ is '0'"),
        ({"objective_": [1.0, 2.0]}, "objective_ has 2 values, not 1"),
        ({"objective_": [[1.0]]}, "objective_ is [[1.0]]"),
        ({"classes_": "O", "n_iter_": True}, "n_iter_ is True"),
        ({"classes_": "i"}, "tensor 'classes_' is missing"),
        ({"classes_": None}, "tensor 'classes_' is missing"),
        ({"classes_": ["U"]}, "tensor 'classes_' is missing"),
    ],
    ids=repr,
)
def test_hostile_attributes(fitted, reason, path, good):
    changed(path, good, lambda model, _: step(model, 1)["fitted"].update(fitted), reason)


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({"ngram_range": [0, 1]}, "ngram_range is [0, 1]"),
        ({"ngram_range": [2, 1]}, "ngram_range is [2, 1]"),
        ({"ngram_range": [1, 10**9]}, "ngram_range"),
        ({"ngram_range": [1]}, "ngram_range is [1]"),
        ({"ngram_range": [True, 1]}, "ngram_range"),
        ({"ngram_range": "12"}, "not of type list"),
        ({"lowercase": 1}, "lowercase is 1, not of type bool"),
        ({"analyzer": "(a+)+$"}, "analyzer is '(a+)+$'"),
        ({"analyzer": "char"}, "analyzer is 'char'"),
        ({"token_pattern": "(a+)+$"}, "'token_pattern' is unexpected"),
        ({"dtype": "object"}, "dtype is 'object'"),
        ({"stop_words": None}, "'stop_words' is unexpected"),
    ],
    ids=repr,
)
def test_hostile_vectorizer(params, reason, path, good):
    changed(path, good, lambda model, _: step(model, 0)["params"].update(params), reason)


@pytest.mark.parametrize(
    ("index", "part", "changes", "reason"),
    [
        (0, "params", {"ngram_range": [0, 1]}, "BagOfWords parameters: ngram_range is [0, 1]"),
        (0, "params", {"lowercase": 1}, "BagOfWords parameters: lowercase is 1, not of type bool"),
        (0, "params", {"analyzer": "char"}, "analyzer is 'char'"),
        (0, "params", {"analyzer": None}, "analyzer is None, not of type str"),
        (0, "params", {"token_pattern": "(a+)+$"}, "token_pattern is '(a+)+$'"),
        (0, "params", {"token_pattern": None}, "token_pattern is None, not of type str"),
        (0, "params", {"stop_words": "german"}, "stop_words is 'german'"),
        (0, "params", {"stop_words": ["quick"]}, "stop_words is ['quick']"),
        (0, "params", {"stop_words": None}, "tensor 'stop_words."),
        (0, "params", {"strip_accents": "all"}, "strip_accents is 'all'"),
        (0, "params", {"strip_accents": [None]}, "strip_accents is [None]"),
        (0, "params", {"dtype": "object"}, "dtype is 'object'"),
        (0, "params", {"n_jobs": 4000}, "'n_jobs' is unexpected"),
        (0, "params", {"max_df": 0.5}, "'max_df' is unexpected"),
        (0, "fitted", {"vocabulary_": {}}, "'vocabulary_' is unexpected"),
        (1, "params", {"weighting": "idf"}, "weighting must be one of"),
        (1, "params", {"weighting": ["nb"]}, "weighting must be one of"),
        (1, "params", {"weighting": "counts"}, "tensor 'weights_' is unexpected"),
        (1, "params", {"norm": "l1"}, "norm must be one of"),
        (1, "params", {"norm": {}}, "norm must be one of"),
        (1, "params", {"sublinear_tf": 1}, "sublinear_tf must be"),
        (1, "params", {"smoothing": -1.0}, "smoothing must be"),
        (1, "params", {"smoothing": None}, "smoothing must be"),
        (1, "params", {"other": None}, "'other' is unexpected"),
        (1, "fitted", {"n_features_in_": 3}, "weights for 3 features"),
        (1, "fitted", {"n_features_in_": 0}, "n_features_in_ is 0"),
        (1, "fitted", {"n_features_in_": 2**62}, f"n_features_in_ is {2**62}"),
        (1, "fitted", {"n_features_in_": "3"}, "not of type int"),
        (1, "fitted", {"weights_": []}, "'weights_' is unexpected"),
    ],
    ids=repr,
)
def test_hostile_text_steps(index, part, changes, reason, path, weighted):
    changed(path, weighted, lambda model, _: step(model, index)[part].update(changes), reason)


@pytest.mark.parametrize(
    ("index", "name"),
    [(0, name) for name in ("ngram_range", "analyzer", "token_pattern", "stop_words", "strip_accents")]
    + [(1, name) for name in ("weighting", "norm", "sublinear_tf", "smoothing")],
)
def test_missing_field_of_a_text_step(index, name, path, weighted):
    changed(path, weighted, lambda model, _: step(model, index)["params"].pop(name), f"'{name}' is missing")


@pytest.mark.parametrize(
    ("content", "offsets", "reason"),
    [
        (b"aabb", [0, 2, 1], "do not span the 4 bytes"),
        (b"aabb", [0, 4, 2, 4], "offsets decrease"),
        (b"aabb", [0, -(2**62), 2**62, 4], "offsets decrease"),
        (b"aa\xff", [0, 1, 3], "invalid UTF-8"),
        ("aé".encode(), [0, 2, 3], "invalid UTF-8"),
        (b"aab", [0, 1, 2, 3], "a string twice"),
        (b"aba", [0, 1, 2, 3], "a string twice"),
        (b"a", [0, 0, 0, 1], "a string twice"),
        (b"ab", [0, 1, 2], "does not take the 2 features"),
        (b"", [0], "do not span"),
    ],
)
def test_hostile_terms(content, offsets, reason, path, weighted):
    def change(_, tensors):
        tensors["vectorizer.vocabulary.bytes"] = np.frombuffer(content, np.uint8)
        tensors["vectorizer.vocabulary.offsets"] = np.array(offsets, np.int64)

    changed(path, weighted, change, reason)


def test_hostile_weights(path, weighted):
    weights = read(weighted)[1]["weighting.weights_"]
    for array, reason in [
        (weights[:-1].copy(), "weights for"),
        (weights[None], "has 2 dimensions, not 1"),
        (weights.astype(np.int64), "is of type int64"),
        (weights.astype(np.float16), "is of type float16"),
        (weights * np.nan, "not finite"),
        (weights * np.inf, "not finite"),
    ]:
        changed(path, weighted, lambda _, t, a=array: t.update({"weighting.weights_": a}), reason)
    changed(path, weighted, lambda _, t: t.pop("weighting.weights_"), "tensor 'weights_' is missing")


@pytest.mark.parametrize(
    ("index", "part", "changes", "reason"),
    [
        (0, "params", {"with_mean": 1}, "StandardScaler parameters: with_mean is 1, not of type bool"),
        (0, "params", {"with_std": "no"}, "with_std is 'no', not of type bool"),
        (0, "params", {"copy": None}, "copy is None, not of type bool"),
        (0, "params", {"transform": "x"}, "field 'transform' is unexpected"),
        (0, "fitted", {"n_features_in_": 5}, "mean_ is of shape (6,), not (5,)"),
        (0, "fitted", {"n_features_in_": 0}, "n_features_in_ is 0"),
        (0, "fitted", {"n_features_in_": -6}, "n_features_in_ is -6"),
        (0, "fitted", {"n_features_in_": 2**62}, f"n_features_in_ is {2**62}"),
        (0, "fitted", {"n_features_in_": 6.0}, "n_features_in_ is 6.0, not of type int"),
        (0, "fitted", {"n_features_in_": True}, "n_features_in_ is True, not of type int"),
        (0, "fitted", {"n_samples_seen_": 60}, "field 'n_samples_seen_' is unexpected"),
        (0, "fitted", {"mean_": [0.0] * 6}, "field 'mean_' is unexpected"),
        (1, "params", {"whiten": 1}, "PCA parameters: whiten is 1, not of type bool"),
        (1, "params", {"n_components": 3}, "field 'n_components' is unexpected"),
        (1, "params", {"svd_solver": "full"}, "field 'svd_solver' is unexpected"),
        (1, "fitted", {"n_features_in_": 7}, "mean_ is of shape (6,), not (7,)"),
        (1, "fitted", {"n_components_": 2}, "components_ is of shape (3, 6), not (2, 6)"),
        (1, "fitted", {"n_components_": 0}, "n_components_ is 0"),
        (1, "fitted", {"n_components_": "mle"}, "n_components_ is 'mle', not of type int"),
        (1, "fitted", {"_n_features_out": 9}, "field '_n_features_out' is unexpected"),
    ],
    ids=repr,
)
def test_hostile_transformers(index, part, changes, reason, path, image):
    changed(path, image, lambda model, _: step(model, index)[part].update(changes), reason)


@pytest.mark.parametrize(
    ("index", "part", "name"),
    [(0, "params", name) for name in ("copy", "with_mean", "with_std")]
    + [(0, "fitted", "n_features_in_"), (1, "params", "whiten")]
    + [(1, "fitted", "n_features_in_"), (1, "fitted", "n_components_")],
)
def test_missing_field_of_a_transformer(index, part, name, path, image):
    changed(path, image, lambda model, _: step(model, index)[part].pop(name), f"'{name}' is missing")


def test_steps_must_fit_each_other(path, image):
    def narrow(model, tensors):
        step(model, 0)["fitted"]["n_features_in_"] = 5
        for name in ("mean_", "scale_", "var_"):
            tensors[f"scaler.{name}"] = tensors[f"scaler.{name}"][:5].copy()

    def fewer(model, tensors):
        step(model, 1)["fitted"]["n_components_"] = 2
        tensors["pca.components_.T"] = tensors["pca.components_.T"][:, :2].copy()
        tensors["pca.explained_variance_"] = tensors["pca.explained_variance_"][:2].copy()

    def last(model, _):
        model["steps"].append(model["steps"].pop(0))

    changed(path, image, narrow, "step 'pca' does not take the 5 features it is given")
    changed(path, image, fewer, "step 'classifier' does not take the 2 features it is given")
    changed(path, image, last, "step 'scaler' does not take the 0 features")


def test_hostile_steps(path, good):
    def rename(old, new):
        def change(model, tensors):
            next(entry for entry in model["steps"] if entry[0] == old)[0] = new
            for name in [name for name in tensors if name.startswith(f"{old}.")]:
                tensors[name.replace(old, new, 1)] = tensors.pop(name)

        return change

    def nest(model, tensors):
        model["steps"][1] = ["outer", {"class": "Pipeline", "steps": [model["steps"][1]]}]

    changed(path, good, rename("classifier", "a__b"), "step named 'a__b'")
    changed(path, good, rename("classifier", "a\nb"), "step named 'a\\nb'")
    changed(path, good, rename("classifier", "steps"), "step named 'steps'")
    changed(path, good, rename("classifier", "\ud800".encode("utf-8", "replace").decode()), "step named '?'")
    changed(path, good, nest, "'params' is missing")
    changed(path, good, lambda model, _: model["steps"].reverse(), "does not take the 0 features")
    changed(path, good, lambda model, _: model["steps"].append(model["steps"][0]), "is missing")
    changed(path, good, lambda model, _: model["steps"].append("x"), "not a name and an object")
    changed(path, good, lambda model, _: model["steps"].append(["x", None]), "not a name and an object")
    changed(path, good, lambda model, _: model["steps"].append([1, {}]), "not a name and an object")
    changed(path, good, lambda model, _: model["steps"].extend(model["steps"] * 8), "of 18 steps")
    changed(path, good, lambda model, _: model["steps"].pop(), "tensor 'classifier.")
    changed(path, good, lambda model, _: model["steps"].clear(), "is unexpected")
    refuses(path, put({**read(good)[0], "model": {"class": "Pipeline", "steps": []}}, {}), "without steps")


# Hostile tensors -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "classifier.coef_",
        "classifier.intercept_",
        "classifier.classes_.bytes",
        "classifier.classes_.offsets",
        "vectorizer.vocabulary.bytes",
        "vectorizer.vocabulary.offsets",
    ],
)
def test_missing_and_misshapen_tensors(name, path, good):
    short = name.partition(".")[2]
    _, tensors = read(good)
    wrong_type = np.int32 if tensors[name].dtype == np.int64 else np.int64
    changed(path, good, lambda _, tensors: tensors.pop(name), f"tensor '{short}' is missing")
    for dtype, reason in ((wrong_type, "is of type int"), (np.float16, "is of type float16")):
        changed(
            path, good, lambda _, tensors, d=dtype: tensors.update({name: tensors[name].astype(d)}), reason
        )
    for shape in ((), (1, 1, -1)):
        new = tensors[name].reshape(-1)[:1].reshape(shape)
        changed(
            path, good, lambda _, tensors, n=new: tensors.update({name: n}), f"has {len(shape)} dimensions"
        )


@pytest.mark.parametrize(
    ("step", "name"),
    [("scaler.", name) for name in ("mean_", "scale_", "var_")]
    + [("pca.", name) for name in ("mean_", "components_.T", "explained_variance_")],
)
def test_hostile_arrays_of_transformers(step, name, path, image):
    plain = name.removesuffix(".T")
    refuses_arrays(path, image, name, f"{plain} is of shape", plain, step)


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("scaler.scale_", 0.0, "scale_ has values that are not positive"),
        ("scaler.scale_", -0.0, "scale_ has values that are not positive"),
        ("scaler.scale_", -1.0, "scale_ has values that are not positive"),
        ("scaler.var_", -1e-300, "var_ has negative values"),
        ("pca.explained_variance_", -1e-300, "explained_variance_ has negative values"),
    ],
)
def test_values_that_no_fit_gives(name, value, reason, path, image):
    changed(path, image, lambda _, tensors: tensors[name].__setitem__(-1, value), reason)


def test_views_of_components(path, image):
    """Whichever view the file names is undone; it has one of each array."""

    def renamed(view):
        tensors = read(image)[1]
        return tensors | {f"pca.components_{view}": tensors.pop("pca.components_.T").T.copy()}

    document, tensors = read(image)
    components = tensors["pca.components_.T"].T
    path.write_bytes(put(document, renamed(".flipud")))
    assert np.array_equal(load_model(path)["pca"].components_, components[::-1])
    refuses(path, put(document, tensors | {"pca.components_": components.copy()}), "is unexpected")
    for view in (".fliplr", ".T.T", ".", "T"):
        refuses(path, put(document, renamed(view)), "tensor 'components_' is missing")


def test_extra_tensors(path, good):
    for name in ("other", "classifier.other", "classifierX.coef_", "classifier.coef_.coef_", ".", ""):
        changed(path, good, lambda _, tensors, n=name: tensors.update({n: np.ones(2)}), "is unexpected")


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["coef_", "intercept_"])
def test_weights_that_are_not_finite(name, value, path, good):
    def change(_, tensors):
        tensors[f"classifier.{name}"] = np.full_like(tensors[f"classifier.{name}"], value)

    changed(path, good, change, f"tensor '{name}' has values that are not finite")


def test_shapes_that_disagree(path, good):
    _, tensors = read(good)
    coef = tensors["classifier.coef_"]
    for name, array, reason in [
        ("coef_", np.vstack([coef, coef]), "do not suit 2 classes"),
        ("coef_", coef[:0], "do not suit 2 classes"),
        ("coef_", coef[:, :0], "do not suit 2 classes"),
        ("coef_", np.ascontiguousarray(coef[:, 1:]), "does not take the"),
        ("intercept_", np.ones(2), "do not suit 2 classes"),
        ("intercept_", np.ones(0), "do not suit 2 classes"),
    ]:
        changed(path, good, lambda _, t, n=name, a=array: t.update({f"classifier.{n}": a}), reason)


@pytest.mark.parametrize(
    ("content", "offsets", "reason"),
    [
        (b"negpos", [0, 6], "two or more labels"),
        (b"", [0, 0, 0], "a string twice"),
        (b"negpos", [0, 3, 5], "do not span the 6 bytes"),
        (b"negpos", [0, 3, 7], "do not span the 6 bytes"),
        (b"negpos", [0, 3, 2**63 - 1], "do not span the 6 bytes"),
        (b"negpos", [1, 3, 6], "do not span the 6 bytes"),
        (b"negpos", [-6, 3, 6], "do not span the 6 bytes"),
        (b"negpos", [0], "do not span the 6 bytes"),
        (b"negpos", [], "do not span the 6 bytes"),
        (b"negpos", [0, 7, 6], "offsets decrease"),
        (b"negpos", [0, -3, 6], "offsets decrease"),
        (b"negpos", [0, 2**62, 6], "offsets decrease"),
        (b"neg\xff\xfe!", [0, 3, 6], "invalid UTF-8"),
        ("né".encode(), [0, 2, 3], "invalid UTF-8"),
        (b"\xed\xa0\x80x", [0, 3, 4], "invalid UTF-8"),
        (b"aa", [0, 1, 2], "a string twice"),
        (b"ba", [0, 1, 2], "ascending order"),
        (b"aa\0", [0, 1, 3], "ascending order"),
    ],
)
def test_hostile_strings(content, offsets, reason, path, good):
    def change(_, tensors):
        tensors["classifier.classes_.bytes"] = np.frombuffer(content, np.uint8)
        tensors["classifier.classes_.offsets"] = np.array(offsets, np.int64)

    changed(path, good, change, reason)


def test_duplicate_word(path, good):
    def change(_, tensors):
        tensors["vectorizer.vocabulary.bytes"][:] = ord("a")

    changed(path, good, change, "vocabulary: a string twice")


def test_one_long_label_does_not_fill_the_memory(path):
    """An array of a million labels as wide as the longest would take 2 TB."""
    save_model(fitted(PerceptronClassifier(random_state=0), ["a", "b", "c"])[0], path)
    document, tensors = read(path.read_bytes())
    labels = [f"{number:06}" for number in range(10**5)] + ["x" * 10**6]
    tensors["classes_.bytes"] = np.frombuffer("".join(labels).encode(), np.uint8)
    tensors["classes_.offsets"] = np.cumsum([0, *map(len, labels)])
    refuses(path, put(document, tensors), "labels too long")


@pytest.mark.parametrize(
    ("classes", "reason"),
    [
        (np.array([1.0, np.nan]), "not finite"),
        (np.array([1, 1]), "ascending order"),
        (np.array([2, 1]), "ascending order"),
        (np.array([1]), "ascending order"),
        (np.array([1, 2, 3]), "do not suit 3 classes"),
        (np.array([[1, 2]]), "has 2 dimensions"),
        (np.array([1, 2], dtype=np.uint8), "said to be 'i'"),
        (np.array([False, True]), "said to be 'i'"),
    ],
    ids=repr,
)
def test_hostile_numeric_classes(classes, reason, path):
    save_model(fitted(PerceptronClassifier(random_state=0), [1, 2])[0], path)
    changed(path, path.read_bytes(), lambda _, tensors: tensors.update(classes_=classes), reason)


def test_bytes_that_are_no_booleans(path):
    save_model(fitted(PerceptronClassifier(random_state=0), [False, True])[0], path)
    content = path.read_bytes()
    assert content.endswith(b"\0\1"), "booleans come last in the file"
    refuses(path, content[:-1] + b"\2", "neither true nor false")


def test_public_names():
    assert issubclass(fastsvm.ModelFileError, ValueError)
