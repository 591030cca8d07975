"""TextScorer: the bits of the pipeline, and its refusals, without its imports."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import FeatureUnion, make_pipeline

from contracts import LINEAR, estimators
from fastsvm import (
    ModelFileError,
    SDCAClassifier,
    load_model,
    save_model,
)
from fastsvm.fitting import Calibration
from fastsvm.model_files import load_plain, save_plain
from fastsvm.text import BagOfWords, TermWeighting, TextScorer, lower_without_markup
from model_files import assert_saved_alike
from pairs import pairs

WORDS = ["fine", "dull", "a", "Kettle", "loud", "naïve", "ΣΑΣ", "x", "don't", "İstanbul", "𝒳𝒴", "2nd"]
WORDS += ["हिन्दी", "nai\u0308ve"]
UNKNOWN = ["", "never seen before", "\u2028", "fine", "FINE dull\tfine, fine", "K\u0130", "a\ud800 b"]

pytestmark = [pytest.mark.blas, pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")]


def texts(n=60, seed=0):
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(WORDS, rng.integers(1, 30))) for _ in range(n)]


def model_of(*steps, n_labels=2, dtype=None):
    """Fit a pipeline, and give the classifier weights of random bits so that nothing cancels or ties."""
    X = texts()
    model = make_pipeline(*steps).fit(X, np.array(["neg", "other", "pos"])[np.arange(len(X)) % n_labels])
    rng = np.random.default_rng(1)
    for name in ("coef_", "intercept_"):
        array = getattr(model[-1], name)
        setattr(model[-1], name, rng.normal(size=array.shape).astype(dtype or array.dtype))
    return model


def sdca(loss="log"):
    return SDCAClassifier(loss=loss, alpha=0.1, max_iter=2, random_state=0)


def assert_same(model, path):
    """The model, what is read of its file by either reader, and by the scorer."""
    save_model(model, path)
    pipeline, plain, scorer = load_model(path), load_plain(path), TextScorer.load(path)
    X = [*texts(seed=5), *UNKNOWN]
    for name in ["decision_function", "predict", *["predict_proba"] * hasattr(model, "predict_proba")]:
        expected = getattr(model, name)(X)
        for found in getattr(pipeline, name)(X), getattr(plain, name)(X), getattr(scorer, name)(iter(X)):
            assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
            assert found.tobytes() == expected.tobytes()
    assert hasattr(scorer, "predict_proba") == hasattr(model, "predict_proba")
    assert scorer.classes_.tolist() == pipeline.classes_.tolist()
    n_terms = np.diff(pipeline[0].transform(X).indptr)
    assert scorer.scores(X).n_terms.tolist() == n_terms.tolist()
    assert 0 in n_terms
    assert n_terms.max() > 5


@pytest.mark.parametrize(
    *pairs(
        weighting=["counts", "binary", "tfidf", "nb"],
        norm=["l2", None],
        sublinear_tf=[True, False],
        dtype=[np.int64, np.float32],
        n_labels=[2, 3],
    )
)
def test_weightings(weighting, norm, sublinear_tf, dtype, n_labels, path):
    steps = BagOfWords(dtype=dtype), TermWeighting(weighting, norm=norm, sublinear_tf=sublinear_tf)
    assert_same(model_of(*steps, sdca(), n_labels=n_labels), path)


@pytest.mark.parametrize(
    *pairs(
        analyzer=["word", "split"],
        ngram_range=[(1, 1), (1, 2), (2, 3), (1, 8)],
        weigh=[True, False],
        params=[{}, {"lowercase": False}, {"binary": True}, {"dtype": np.float64}, {"max_features": 40}],
        marks=[{}, {"marks": True}, {"marks": True, "preprocessor": lower_without_markup}],
    )
)
def test_readings(analyzer, ngram_range, weigh, params, marks, path):
    bag = BagOfWords(analyzer=analyzer, ngram_range=ngram_range, **params, **marks)
    assert_same(model_of(bag, *[TermWeighting("nb")] * weigh, sdca()), path)


@pytest.mark.parametrize(
    "classifier",
    [sdca(), sdca("hinge"), *estimators([name for name in LINEAR if name != "SDCA"])],
    ids=repr,
)
@pytest.mark.parametrize("n_labels", [2, 3])
@pytest.mark.parametrize("counts", [np.int64, np.float32])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_classifiers(classifier, n_labels, counts, dtype, path):
    bag = BagOfWords(ngram_range=(1, 2), dtype=counts)
    assert_same(model_of(bag, classifier, n_labels=n_labels, dtype=dtype), path)


@pytest.mark.parametrize("n_labels", [2, 3])
def test_bags_side_by_side_and_a_calibration(n_labels, path):
    bags = [("words", BagOfWords(ngram_range=(1, 2))), ("chars", BagOfWords(analyzer="char_wb"))]
    model = model_of(FeatureUnion(bags), TermWeighting("nb"), sdca("hinge"), n_labels=n_labels)
    labels = model.predict(texts(seed=2))
    model[-1].calibration_ = Calibration.fit(model.decision_function(texts()), labels, model.classes_)
    assert_same(model, path)
    again = load_model(path)
    assert again.predict_proba(["fine"]).shape == (1, n_labels)
    assert_saved_alike(again, path)
    save_plain(load_plain(path), path.with_name("plain"))
    assert path.with_name("plain").read_bytes() == path.read_bytes()
    assert not hasattr(again.fit(texts(), labels), "predict_proba")  # other scores


def test_probabilities_need_the_log_loss(path):
    save_model(model_of(BagOfWords(), sdca("hinge")), path)
    scorer = TextScorer.load(path)
    with pytest.raises(AttributeError, match="log"):
        scorer.scores(["fine"], proba=True)
    assert not hasattr(scorer, "predict_proba")
    assert scorer.scores(["fine"]).probabilities is None


@pytest.mark.parametrize(("given", "error"), [("fine", ValueError), ([b"fine"], TypeError), ([1], TypeError)])
def test_what_is_no_list_of_texts(given, error, path):
    save_model(model_of(BagOfWords(), sdca()), path)
    with pytest.raises(error):
        TextScorer.load(path).predict(given)


def test_no_texts_and_texts_that_are_almost_str(path):
    save_model(model_of(BagOfWords(), sdca()), path)
    scorer = TextScorer.load(path)
    assert scorer.predict([]).tolist() == []
    assert scorer.predict_proba([]).shape == (0, 2)
    assert scorer.decision_function(np.array(["fine"])) == scorer.decision_function(["fine"])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_weights_at_their_limit(path, dtype):
    model = model_of(BagOfWords(dtype=dtype), TermWeighting("tfidf", norm=None), sdca())
    model[1].weights_[:] = -1e4
    save_model(model, path)
    for each in load_model(path), TextScorer.load(path):
        assert np.isfinite(each.decision_function(["fine " * 10_000])).all()
    model[1].weights_[0] *= 1.01
    with pytest.raises(ModelFileError, match="weights_ has values beyond 10,000"):
        save_model(model, path)


def test_what_is_left_to_load_model(path):
    named = model_of(BagOfWords(), TermWeighting(), sdca())
    named[1].feature_names_in_ = named[0].get_feature_names_out()
    for model in (
        model_of(BagOfWords(stop_words="english"), sdca()),
        model_of(BagOfWords(stop_words=["dull"]), sdca()),
        model_of(BagOfWords(strip_accents="unicode"), sdca()),
        model_of(BagOfWords(ngram_range=(1, 9)), sdca()),
        model_of(CountVectorizer(), sdca()),
        model_of(BagOfWords(), TermWeighting("counts"), TermWeighting(), sdca()),
        model_of(BagOfWords(), sdca())[:1],
        model_of(BagOfWords(), sdca())[1],
        named,
    ):
        save_model(model, path)
        assert TextScorer.load(path) is None


# Imports -------------------------------------------------------------------------------------------------


def test_scoring_does_not_import_scikit_learn(path):
    save_model(model_of(BagOfWords(), TermWeighting(), sdca(), n_labels=3), path)
    code = "import sys, fastsvm; assert 'numpy' not in sys.modules\n"
    code += "from fastsvm.text import TextScorer; scorer = TextScorer.load(sys.argv[1])\n"
    code += "print(*scorer.predict(['fine kettle']), scorer.predict_proba(['']))\n"
    code += "print(*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)"
    command = [sys.executable, "-P", "-c", code, path]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    modules = set(done.stderr.split())
    assert done.stdout.split()[0] in ("neg", "other", "pos")
    assert {"numpy", "fastsvm"} <= modules
    assert not modules & {"sklearn", "joblib", "pandas"}
