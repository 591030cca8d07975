"""What all classifiers do alike, own, plain and drop-in ones, which are read from their packages."""

import inspect
import pickle
import re
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import GridSearchCV

import fastsvm
from fastsvm import SDCAClassifier, certify, drop_in, fitting, sdca_path, text

FOUND = [getattr(package, name) for package in (fastsvm, fitting, drop_in) for name in package.__all__]
CLASSIFIERS = [kind for kind in FOUND if hasattr(kind, "predict") and kind is not fitting.Pipeline]
every = pytest.mark.parametrize("kind", CLASSIFIERS, ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
pytestmark = pytest.mark.filterwarnings("ignore")

RNG = np.random.default_rng(0)
X, WIDE = RNG.normal(size=(60, 4)), 50 * RNG.normal(size=(60, 80))
Y = (X[:, 0] + RNG.normal(size=60) > 0).astype(int)
LONG = X * np.repeat([1, 1e155], [7, 53])[:, None]
ROWS = sparse.csr_matrix(X)
ENTRIES = np.repeat(ROWS.data / 2, 2), np.repeat(ROWS.indices, 2), 2 * ROWS.indptr
HALVES, CANCELLING, MIXED = sparse.csr_matrix(ENTRIES), sparse.csr_matrix(ENTRIES), ROWS.copy()
CANCELLING.data = HALVES.data + np.tile([64.0, -64.0], ROWS.nnz)
MIXED.indptr = MIXED.indptr.astype(np.int64)


def made(kind, **options):
    options = {"random_state": 0, **options}
    return kind(**{name: options[name] for name in inspect.signature(kind).parameters.keys() & options})


def warned_at(call):
    """Return the file and the line, counted from the first of `call`, of each warning."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [(each.filename, each.lineno - call.__code__.co_firstlineno) for each in caught]


@every
def test_a_fit_that_stops_short_names_the_line_of_its_caller(kind):
    says_nothing = kind.__name__.removesuffix("Classifier") in ("Pegasos", "Perceptron", "KernelPegasos")
    expected = [(__file__, 0)] * (not says_nothing)
    assert warned_at(lambda: made(kind, max_iter=1, tol=1e-9).fit(WIDE, Y)) == expected


def test_so_do_other_doors():
    for call in (
        lambda: GridSearchCV(SDCAClassifier(max_iter=1, tol=1e-9), {}, cv=2).fit(WIDE, Y),
        lambda: sdca_path(WIDE, Y, max_iter=1, tol=1e-9),
        lambda: certify(SDCAClassifier(tol=None, max_iter=1).fit(WIDE, Y), WIDE, Y, max_iter=1),
        lambda: drop_in.SGDClassifier(learning_rate="constant").partial_fit(X, Y, [0, 1]),
        lambda: text.BagOfWords(analyzer="char", token_pattern="a").fit(["a word"]),
    ):
        assert set(warned_at(call)) == {(__file__, 0)}


@every
def test_labels_that_are_objects_or_floats(kind):
    words, missing = np.array(["no", "yes"])[Y], (None, np.nan, pytest.importorskip("pandas").NA)
    expected = made(kind).fit(X, Y).predict(X)
    objects = Y.astype(object), (Y > 0).astype(object), words.astype(np.dtypes.StringDType())
    for labels in (*objects, Y.astype(float)):
        assert made(kind).fit(X, labels).predict(X).tolist() == np.array(sorted({*labels}))[expected].tolist()
    for labels, message in [
        *(([none, *words[1:]], r"^y\[0\] is .*: leave out rows without a label\.$") for none in missing),
        (np.array(["NaT", *Y[1:]], "M8[Y]"), r"^y\[0\] is NaT: leave out rows"),
        (["a", *Y[1:]], r"y mixes text and numbers \('a' and .*: use one kind"),
        ([*map(slice, Y)], r"labels of type slice: use y.astype\(int\)"),
    ]:
        with pytest.raises(ValueError, match=message):
            made(kind).fit(X, labels)


@every
@pytest.mark.parametrize(
    ("rows", "right", "refusal", "options"),
    [
        *((rows, "as ROWS", "Only sparse matrices with 32-bit", {}) for rows in (HALVES, CANCELLING, MIXED)),
        *((np.float32(X * scale), "finite", "overflow float32", {}) for scale in (1e18, 1e19, 1e20, 1e37)),
        *((make(LONG), None, "Row 7 .* too long|not finite", {}) for make in (np.array, sparse.csr_array)),
        (np.empty((60, 0)), None, "0 feature|one feature", {}),
        (np.empty((0, 4)), None, "0 sample|one sample", {}),
        (X, None, r"class_weight\[0\] is -1; weights must be finite", {"class_weight": {0: -1}}),
        (X, "finite", None, {"n_jobs": 100_000}),
        (X, "finite", "n_jobs.* must be .*(a number of threads|'int').*'2'", {"n_jobs": "2"}),
    ],
)
def test_odd_rows_are_fitted_right_or_refused_in_one_line(kind, rows, right, refusal, options):
    try:
        found = made(kind, **options).fit(rows, Y[: rows.shape[0]]).decision_function(rows)
    except ValueError as error:
        fine = re.search(refusal, str(error)) and "\n" not in str(error)
    else:
        expected = made(kind).fit(ROWS, Y).decision_function(ROWS) if right == "as ROWS" else found
        fine = right and np.isfinite(found).all() and np.allclose(found, expected, atol=1e-3)
    assert fine


OWN = [kind for kind in CLASSIFIERS if kind.__name__ not in drop_in.__all__]


@pytest.mark.parametrize("kind", OWN, ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
def test_a_call_that_fails_leaves_the_model_as_it_was(kind):
    """Each method that learns, before a fit and after one; the rows that fail have more columns."""
    negative = -np.ones(60)
    calls = {
        "fit": [(WIDE, 0 * Y), (WIDE, Y, negative), (WIDE * np.nan, Y)],
        "partial_fit": [(WIDE, Y), (WIDE, Y, [0, 1], negative), (WIDE * np.nan, Y, [0, 1])],
    }
    for model in made(kind), made(kind).fit(X, Y):
        for method in calls.keys() & set(dir(model)):
            for args in calls[method]:
                before = {name: pickle.dumps(value) for name, value in vars(model).items()}
                with pytest.raises(ValueError, match=r"class|weight|NaN|features"):
                    getattr(model, method)(*args)
                after = {name: pickle.dumps(value) for name, value in vars(model).items()}
                assert after == before, (method, args)


@pytest.mark.parametrize("kind", [fastsvm.KernelFeatures, drop_in.Nystroem])
def test_odd_rows_have_the_same_kernel_features_or_are_refused(kind):
    features = made(kind, n_components=20, n_jobs=100_000).fit(ROWS)
    np.testing.assert_allclose(features.transform(ROWS), features.transform(HALVES), atol=1e-8)
    with pytest.raises(ValueError, match="too large for float32"):
        fastsvm.KernelFeatures().fit(np.float32(X * 1e19))


@pytest.mark.parametrize("kind", [text.Bag, text.BagOfWords, text.HashedBagOfWords])
def test_a_hundred_thousand_threads_are_not_started(kind):
    assert fitting.number_of_threads(100_000) < 1000
    assert kind(n_jobs=100_000).fit_transform(["a word", "two words"]).shape[0] == 2
