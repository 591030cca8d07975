"""onnxruntime finds the labels and probabilities that the models find."""

import doctest
import random
import subprocess
import sys

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.datasets import make_classification
from sklearn.feature_selection import chi2
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import StandardScaler

import fastsvm
from fastsvm import drop_in
from fastsvm.fitting import Calibration
from fastsvm.text import BagOfWords, HashedBagOfWords, SelectTerms, TermWeighting, lower_without_markup

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
onnxruntime = pytest.importorskip(
    "onnxruntime", reason="onnxruntime is missing: pip install 'fastsvm[tools]'"
)
conversion = pytest.importorskip(
    "fastsvm.onnx.conversion", reason="skl2onnx is missing", exc_type=ImportError
)

NAMES = np.array(["no", "yes", "même"])


def sdca(loss="log", **parameters):
    return fastsvm.SDCAClassifier(loss, **{"alpha": 1e-3, "random_state": 0, **parameters})


def kernel(name="rbf", **parameters):
    parameters = {"alpha": 1e-2, "coef0": 0.5, "random_state": 0, **parameters}
    return fastsvm.KernelSDCAClassifier(name, **parameters)


def features(*args, **parameters):
    parameters = {"n_components": 100, "random_state": 0, **parameters}
    return make_pipeline(StandardScaler(), fastsvm.KernelFeatures(*args, **parameters), sdca())


def calibrated(model, **parameters):
    return CalibratedClassifierCV(model, cv=3, **parameters)


def given(X):
    """The inputs of a graph: one, or one for each column of a DataFrame."""
    if not hasattr(X, "columns"):
        return {"X": np.array(X, object) if isinstance(X, list) else X}
    return {name: X[[name]].to_numpy() for name in X}


def session(model, X):
    return onnxruntime.InferenceSession(
        conversion.to_onnx(model, X).SerializeToString(), providers=["CPUExecutionProvider"]
    )


def check(model, X, tol=1e-5):
    run = session(model, X)
    labels, found = run.run(None, given(X))
    scores = wanted = by_class(model, X)
    if hasattr(model, "predict_proba"):
        wanted = model.predict_proba(X)
    else:
        assert run.get_outputs()[1].name == "scores"
        tol *= max(1, abs(scores).max())
    np.testing.assert_allclose(found, wanted, rtol=0, atol=tol)
    first, second = np.sort(scores)[:, :-3:-1].T
    clear = first - second > 2e-5 * abs(scores).max()
    assert clear.mean() > 0.9
    assert (labels == model.predict(X))[clear].all()
    assert len(np.unique(labels)) > 1


def by_class(model, X):
    """The scores, in a column for each class."""
    if not hasattr(model, "decision_function"):  # calibrated
        return model.predict_proba(X)
    scores = model.decision_function(X)
    return scores if scores.ndim > 1 else np.column_stack([-scores, scores])


def numbers(n_classes, dtype=np.float32):
    X, y = make_classification(500, 20, n_informative=8, n_classes=n_classes, random_state=n_classes)
    return X.astype(dtype), y


@pytest.mark.parametrize("loss", ["log", "hinge"])
def test_several_labels_a_row(loss):
    X, y = numbers(3)
    Y = np.column_stack([y == 0, y > 0])
    model = sdca(loss).fit(X, Y)
    model.thresholds_[:] = -0.1, 0.2
    for _ in range(2):  # without a calibration, and with one
        given, found = session(model, X).run(None, {"X": X})
        scores = model.decision_function(X)
        wanted = model.predict_proba(X) if hasattr(model, "predict_proba") else scores
        np.testing.assert_allclose(found, wanted, atol=1e-4)
        clear = abs(scores - model.thresholds_) > 1e-4
        assert (given == model.predict(X))[clear].all()
        model.calibration_ = Calibration.fit(scores, Y, model.classes_)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "model",
    [
        *(sdca(), sdca(alpha=1e-6), sdca("hinge"), sdca(multi_class="multinomial")),
        fastsvm.SDCAClassifierCV("log", random_state=0),
        fastsvm.ASDCAClassifier("log", random_state=0),
        fastsvm.PegasosClassifier("log", random_state=0),
        fastsvm.PerceptronClassifier(random_state=0),
        *(kernel(name) for name in ("rbf", "poly", "sigmoid", "linear")),
        fastsvm.KernelSDCAClassifierCV(alphas=[1e-2], gammas=[0.05], random_state=0),
        fastsvm.KernelPegasosClassifier(random_state=0),
        *(calibrated(sdca("hinge")), calibrated(kernel(), ensemble=False)),
        *(features(), features("poly", degree=2), features(method="random")),
        features("laplacian", method="random"),
        *(drop_in.LinearSVC(), drop_in.LinearSVC(fit_intercept=False), drop_in.Perceptron()),
        *(drop_in.LogisticRegression(), calibrated(drop_in.LinearSVC())),
        *(drop_in.SGDClassifier("log_loss"), drop_in.SGDClassifier("modified_huber")),
        drop_in.SVC(probability=True, random_state=0),
        make_pipeline(drop_in.Nystroem(random_state=0), drop_in.LogisticRegression()),
        make_pipeline(drop_in.Nystroem("poly", random_state=0), drop_in.LogisticRegression()),
    ],
)
def test_numbers(model, n_classes):
    X, y = numbers(n_classes)
    check(model.fit(X, y), X)
    check(model.fit(X, NAMES[y]), X)


@pytest.mark.parametrize("model", [sdca(), sdca("hinge"), kernel(), features(), drop_in.LinearSVC()])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_doubles_are_as_precise_as_here(model, n_classes):
    X, y = numbers(n_classes, np.float64)
    check(model.fit(X, y), X, 1e-11)


def test_unlikely_classes_have_their_shares():
    """Far from all classes, where single-precision sigmoids are 0."""
    X = np.float32([[-1], [0], [1]])
    model = sdca().fit(X, [0, 1, 2])
    model.coef_[:, 0], model.intercept_[:] = [0, 1, 2], [-40, -40.5, -41]
    check(model, X)


@pytest.mark.parametrize("fit", [Calibration.fit, Calibration.fit_common])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_what_a_model_file_adds(n_classes, fit):
    X, y = numbers(n_classes)
    model = sdca("hinge").fit(X, y)
    model.squares_ = np.random.default_rng(0).random(model.coef_.shape)
    model.calibration_ = fit(model.decision_function(X), y, model.classes_)
    check(model, X)


@pytest.mark.parametrize("dtype", [bool, float, int, object])
def test_labels(dtype):
    X, y = numbers(2)
    y = y.astype(dtype) if dtype is not object else NAMES[y].astype(object)
    check(sdca().fit(X.astype(int), y), X.astype(int))


def texts():
    """Words of few letters with all kinds of blanks between them; the last mostly tell the label."""
    draw = random.Random(0)
    letters = [*"abcdeéçÀÉñ東京Жж_19", *" " * 6, *".,!'-\t\n\u00a0\x85\x1c"]
    labels = [draw.randrange(3) for _ in range(600)]
    ends = [["AA bb", "東京 aa", "çc dd"][label if draw.random() < 0.9 else 0] for label in labels]
    made = ["".join(draw.choices(letters, k=draw.randint(0, 80))) for _ in labels]
    return [*map("\t".join, zip(made, ends, strict=True)), "", "  ", "#"], [*labels, 0, 0, 0]


def bag(**parameters):
    return make_pipeline(BagOfWords(**parameters), TermWeighting(), sdca())


def weighted(*args, **parameters):
    return make_pipeline(BagOfWords(), TermWeighting(*args, **parameters), sdca())


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "model",
    [
        *(bag(), bag(ngram_range=(1, 2)), bag(ngram_range=(2, 3), binary=True), bag(analyzer="split")),
        *(bag(token_pattern=r"\w+", lowercase=False), bag(token_pattern=r"\S+", ngram_range=(1, 3))),
        *(bag(stop_words=["ab", "a1"]), bag(vocabulary=["aa", "bb", "東京"])),
        *(weighted("nb"), weighted("nb", norm="l2"), weighted("binary"), weighted("counts")),
        *(weighted(sublinear_tf=True), weighted("counts", sublinear_tf=True), weighted(norm=None)),
        make_pipeline(BagOfWords(), SelectTerms(50), sdca()),
        make_pipeline(FeatureUnion([("a", BagOfWords()), ("b", BagOfWords(ngram_range=(2, 2)))]), sdca()),
        make_pipeline(
            *(drop_in.CountVectorizer(), drop_in.SelectKBest(chi2, k=50)),
            *(drop_in.TfidfTransformer(sublinear_tf=True, norm="l1"), drop_in.LogisticRegression()),
        ),
        make_pipeline(drop_in.TfidfVectorizer(sublinear_tf=True), drop_in.LinearSVC()),
        make_pipeline(drop_in.TfidfVectorizer(use_idf=False), calibrated(drop_in.LinearSVC())),
    ],
)
def test_texts(model, n_classes):
    X, y = texts()
    model.fit(X, NAMES[np.minimum(y, n_classes - 1)])
    check(model, X)
    empty = session(model, X).run(None, {"X": np.array(["", "#"], object)})
    assert (empty[0] == model.predict(["", "#"])).all()


def test_columns_of_a_table():
    pandas = pytest.importorskip("pandas")
    X, y = texts()
    table = pandas.DataFrame({"text": X, "size": np.float32([len(text) for text in X]), "one": np.float32(1)})
    columns = [
        ("bag", make_pipeline(BagOfWords(), TermWeighting()), "text"),
        ("size", StandardScaler(), ["size"]),
    ]
    check(make_pipeline(ColumnTransformer(columns), sdca()).fit(table, NAMES[y]), table)


def pipe(*steps):
    return make_pipeline(*steps, sdca())


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (kernel("laplacian"), "KernelSDCAClassifier: the kernel 'laplacian' has no ONNX nodes"),
        (pipe(fastsvm.KernelFeatures("chi2")), "KernelFeatures: the kernel 'chi2' has no ONNX nodes"),
        (pipe(drop_in.Nystroem(np.dot)), "Nystroem: the kernel <"),
        (
            calibrated(sdca(), method="isotonic"),
            "CalibratedClassifierCV has ONNX nodes only with method='sigmoid'",
        ),
        (calibrated(pipe(StandardScaler())), "and a classifier, not a Pipeline"),
        (pipe(BagOfWords(analyzer="char")), "BagOfWords: only the analyzers 'word'"),
        (pipe(BagOfWords(token_pattern="[ab]+")), "BagOfWords: only the analyzers 'word'"),
        (pipe(BagOfWords(strip_accents="ascii")), "BagOfWords: only strip_accents=None"),
        (pipe(BagOfWords(preprocessor=lower_without_markup)), "BagOfWords: only preprocessor=None"),
        (pipe(BagOfWords(stop_words=["ab"], ngram_range=(1, 2))), "BagOfWords: stop words"),
        (pipe(HashedBagOfWords()), "HashedBagOfWords"),
    ],
)
def test_what_has_no_nodes_is_refused_in_a_line(model, message):
    X, y = texts() if "BagOfWords" in message else numbers(2)
    X = X if isinstance(X, list) else abs(X)
    with pytest.raises(NotImplementedError) as found:
        conversion.to_onnx(model.fit(X, y), X)
    assert message in str(found.value)
    assert "\n" not in str(found.value)


def test_examples():
    found = doctest.testmod(conversion)
    assert found.attempted > 0
    assert found.failed == 0


PATCHING = "from sklearn import svm; from fastsvm import drop_in; drop_in.patch()"
PROGRAM = """
import numpy as np, onnxruntime
from sklearn.svm import LinearSVC
import skl2onnx
X, y = np.eye(3, dtype="float32"), [2, 0, 1]
graph = skl2onnx.to_onnx(LinearSVC().fit(X, y), X)
print(LinearSVC.__module__, onnxruntime.InferenceSession(graph.SerializeToString()).run(None, {"X": X})[0])
"""


@pytest.mark.parametrize("first", ["", f"import skl2onnx; {PATCHING}", PATCHING])
def test_a_patched_program_exports_by_skl2onnx(first, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(first + PROGRAM)
    command = [sys.executable, *([path] if first else ["-m", "fastsvm.drop_in", path])]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ran.stdout == "fastsvm.drop_in.linear_svc [2 0 1]\n", ran.stderr
