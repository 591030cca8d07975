"""The bits of fits: each classifier, function and option on small data, and the files that models become."""

import contextlib
import hashlib
import importlib
import io
import tempfile
import warnings
from functools import partial
from pathlib import Path

import numpy as np
from scipy import sparse

import fastsvm
from fastsvm import drop_in, fitting, solvers, text

rng = np.random.default_rng(0)
S = sparse.random(400, 300, 0.05, format="csr", random_state=0)
D = rng.normal(size=(240, 12))
Y2 = (S @ rng.normal(size=300) > 0).astype(int)
Y3 = np.array(["a", "b", "c"])[np.digitize(D[:, 0] + 0.4 * D[:, 1] ** 2, [-0.4, 0.8])]
WEIGHT = rng.uniform(0, 3, size=400)
SIGNS = np.where(Y2, 1, -1)
TWO, THREE = (S, Y2), (D.astype(np.float32), Y3)  # CSR, float64, two labels; dense, float32, three
TEXTS = [f"{'good fine' if n % 3 else 'poor dull'} film {n % 7} <b>by</b> nobody {n}" for n in range(150)]
LABELS = np.array([n % 3 > 0 for n in range(150)])

# Of each classifier, its options: one fit of either data for each.
LOSSES = [{"loss": loss} for loss in ("squared_hinge", "smooth_hinge", "log")]
SHARED = [{}, {"class_weight": "balanced"}, {"fit_intercept": False}, {"max_iter": 2, "trace": True}]
AVERAGED = {"averaging": "tail", "average_from": 900, "tol": None, "max_iter": 7}
LINEAR = {
    "SDCA": [
        *(*SHARED, *LOSSES, AVERAGED, AVERAGED | {"averaging": "random"}),
        *({"solver": "coordinate", "tol": 1e-7}, {"solver": "newton", "tol": 1e-8, "loss": "log"}),
        *({"loss": "log", "multi_class": "multinomial"}, {"sgd_init": True, "order": "cyclic"}),
        *({"order": "random", "trace": True}, {"alpha": 1e-6, "tol": 1e-9, "loss": "squared_hinge"}),
        {"loss": "smooth_hinge", "hinge_width": 0.3, "solver": "coordinate"},
        {"n_jobs": 2, "solver": "coordinate"},
    ],
    "ASDCA": [
        *({"alpha": 0.03, **each} for each in (*SHARED, *LOSSES, {"theta": 0.5, "batch_size": 4})),
        *({"alpha": 0.03, "averaging": "tail"}, {"alpha": 0.03, "order": "batches"}),
        *({"alpha": 0.03, **AVERAGED}, {"alpha": 0.03, **AVERAGED, "averaging": "random"}),
    ],
    "Pegasos": [
        *(*SHARED, *LOSSES, {"loss": "modified_huber", "project": True}),
        *({"batch_size": 8, "order": "batches"}, {"averaging": "tail", "average_from": 100}),
        *({"averaging": "random", "shuffle": False}, {"fit_intercept": "search", "certify": True}),
        *({"fit_intercept": "same_step", "order": "random"}, {"early_stopping": True, "averaging": "tail"}),
        {"tol": 1e-2, "n_iter_no_change": 2, "max_iter": 50},
    ],
    "Perceptron": [*SHARED, {"averaging": "all"}, {"early_stopping": True}, {"tol": None, "shuffle": False}],
}
KERNEL = {
    "KernelSDCA": [
        *({}, *LOSSES, {"fit_intercept": True}, {"kernel": "poly", "degree": 2, "coef0": 1.0}),
        *({"kernel": "laplacian"}, {"kernel": "sigmoid", "gamma": 0.01}),
        {"alpha": 1e-2, "max_iter": 300, "trace": True, "tol": 1e-9},
        {"class_weight": "balanced", "cache_size": 0.05},
    ],
    "KernelPegasos": [{}, {"n_iter": 700, "trace": True}, {"kernel": "linear"}, {"class_weight": "balanced"}],
}
DROP_IN = {
    "LinearSVC": [{}, {"loss": "hinge", "C": 0.1}, {"class_weight": "balanced", "fit_intercept": False}],
    "LogisticRegression": [{}, {"C": 0.1, "warm_start": True}],
    "SGDClassifier": [{}, {"loss": "log_loss", "average": True}, {"tol": None, "max_iter": 5}],
    "Perceptron": [{}, {"early_stopping": True}],
    "SVC": [{}, {"kernel": "poly", "C": 5, "class_weight": "balanced"}, {"decision_function_shape": "ovo"}],
}
STARTED = {"start": (np.full(400, 0.5), 0.1), "loss": "log"}
FUNCTIONS = {
    "sdca": [{}, STARTED, {"score": lambda w, b: float(np.abs(w).sum())}],
    "asdca": [{"alpha": 0.03}, {"averaging": "tail", "max_iter": 5, "tol": None}],
    "pegasos": [{}, {"batch_size": 4, "trace": True}],
    "perceptron": [{}, {"averaging": "all", "trace": True}],
    "kernel_sdca": [{"gamma": 0.1, "trace": True}],
    "kernel_pegasos": [{"gamma": 0.1, "trace": True}],
}
WRONG = {
    "SDCA": [
        *({"alpha": -1}, {"loss": "log_loss"}, {"multi_class": "multinomial"}, {"max_iter": 2.5}, {"tol": 0}),
        *({"solver": "newton", "averaging": "tail"}, {"average_from": -1}, {"class_weight": {9: 1}}),
    ],
    "ASDCA": [{"loss": "hinge"}, {"batch_size": 0}, {"theta": 2}],
    "Pegasos": [
        *({"batch_size": 0}, {"fit_intercept": "no"}, {"validation_fraction": 2, "early_stopping": True})
    ],
    "Perceptron": [{"averaging": "tail"}, {"n_iter_no_change": 0}],
    "KernelSDCA": [{"kernel": "cubic"}, {"gamma": "wide"}, {"loss": "log_loss"}, {"cache_size": -1}],
    "KernelPegasos": [{"n_iter": 0}, {"alpha": "x"}],
}
OUTPUTS = ("decision_function", "predict", "predict_proba", "transform")


def bits(value):
    """A value as JSON: arrays as the hash of their bits, floats by all their digits; no times."""
    if isinstance(value, np.ndarray) and value.dtype.names:
        value = {name: value[name] for name in value.dtype.names}
    elif hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {str(name): bits(each) for name, each in value.items() if name != "seconds"}
    if isinstance(value, (list, tuple)):
        found = [bits(each) for each in value]
        return found if len(value) < 50 else hashlib.sha1(repr(found).encode()).hexdigest()[:16]
    if sparse.issparse(value):
        return bits([value.shape, value.data, value.indices.astype(np.int64), value.indptr.astype(np.int64)])
    if isinstance(value, np.ndarray) and value.dtype == object:
        return bits(value.tolist())
    if isinstance(value, (np.ndarray, np.generic)):
        value = np.asarray(value)
        digest = hashlib.sha1(np.ascontiguousarray(value).tobytes()).hexdigest()[:16]
        return f"{value.dtype}{list(value.shape)} {digest}"
    simple = value is None or isinstance(value, (str, bool, int))
    return value if simple else repr(value).split(" at 0x")[0]


def model_bits(model, X):
    """The public attributes of a fitted model, what it predicts, and the file it becomes, if any."""
    names = [name for name in dir(model) if name.endswith("_") and not name.startswith("_")]
    found = {name: bits(getattr(model, name)) for name in names if hasattr(model, name)}
    for name in OUTPUTS:
        with contextlib.suppress(AttributeError):
            found[name] = bits(getattr(model, name)(X))
    save = fastsvm.save_model if hasattr(model, "get_metadata_routing") else fastsvm.model_files.save_plain
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(fastsvm.ModelFileError):
        path = Path(folder) / "model.safetensors"
        save(model, path)
        found["file"] = hashlib.sha1(path.read_bytes()).hexdigest()[:16]
        again = fastsvm.load_model(path)
        found["loaded"] = [bits(getattr(again, name)(X)) for name in OUTPUTS if hasattr(again, name)]
    return found


def fitted(kind, options, X, y, *more, **fit):
    return model_bits(kind(**{"random_state": 0, **options}).fit(X, y, *more, **fit), X)


def result(function, *args, **options):
    return bits(function(*args, random_state=0, **options))


def printed(kind, X, y):
    """What a verbose fit prints, without the seconds at the end of each line."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        kind(random_state=0, verbose=True).fit(X, y)
    return bits([line.rsplit("  ", 1)[0] for line in out.getvalue().splitlines()])


def warm(kind, X, y, **options):
    """Fits one after the other: the same rows with another alpha, then fewer rows."""
    model = kind(random_state=0, warm_start=True, **options).fit(X, y)
    model.set_params(**({"alpha": 3e-3} if "alpha" in model.get_params() else {"max_iter": 3}))
    return [model_bits(model.fit(X, y), X), model_bits(model.fit(X[:200], y[:200]), X)]


def resumed(kind, X, y, **options):
    """A fit that is cut short, gone on from its checkpoint, and then done already."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/checkpoint.npz"
        each = [{"max_iter": 3, "tol": 1e-9}, {"tol": 1e-6}, {"tol": 1e-6}]
        return [fitted(kind, options | more, X, y, checkpoint=path) for more in each]


def in_parts(kind, X, y, **options):
    """partial_fit on the two halves, twice."""
    model = kind(random_state=0, **options)
    for half in [slice(0, 100), slice(100, 200)] * 2:
        model.partial_fit(X[half], y[half], classes=np.unique(y))
    return model_bits(model, X)


def after_failure(kind, X, y):
    """A fit that fails leaves the model as it was."""
    model = kind(random_state=0).fit(X, y)
    before = sorted(vars(model))
    with contextlib.suppress(ValueError):
        model.fit(X[:, :5], np.zeros(len(y)))
    return [before == sorted(vars(model)), model_bits(model, X)]


class Spy:
    """A callback that notes what it is told, and stops each class after an epoch or never."""

    requires_data = False

    def __init__(self, last):
        self.last, self.told = last, []

    def note(self, hook, context=None, model=None):
        state = [getattr(model, name, None) for name in ("coef_", "intercept_", "classes_")]
        task = [str(getattr(context, name, "")) for name in ("task_name", "task_id")]
        self.told.append([hook, *task, bits(state)])

    def setup(self, estimator, context):
        self.note("setup")

    def on_fit_task_begin(self, estimator, context, **more):
        self.note("begin", context)

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None, **more):
        self.note("end", context, fitted_estimator)
        return context.task_name == "epoch" and context.task_id >= self.last

    def teardown(self, estimator, context):
        self.note("teardown")


def watched(kind, last, X, y):
    spy, model = Spy(last), kind(random_state=0, alpha=1e-2)
    model.set_callbacks(spy).fit(X, y)
    return [spy.told, model_bits(model, X)]


def cluster_fit(X, y):
    import dask.array
    from dask.distributed import Client

    from fastsvm.dask import SDCAClassifier

    parts = [dask.array.from_array(each, chunks=(80, *each.shape[1:])) for each in (X, y)]
    with Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        model = SDCAClassifier(client=client, alpha=1e-2, random_state=0).fit(*parts)
        return bits([model.coef_, model.intercept_, model.objective_, model.dual_gap_])


def of_linear():
    """Cases of the linear classifiers, with scikit-learn's contract and without."""
    for name, options in LINEAR.items():
        plain, estimator = getattr(fitting, name), getattr(fastsvm, f"{name}Classifier")
        for each in options:
            for data, (X, y) in {"two": TWO, "three": THREE}.items():
                if not ("multi_class" in each and data == "two"):
                    yield f"{name} {each} {data}", fitted, estimator, each, X, y
            yield f"{name} {each} plain", fitted, plain, each, *(THREE if "multi_class" in each else TWO)
        yield f"{name} weights", fitted, estimator, {}, S, Y2, WEIGHT
        for n, X in enumerate((S.astype(np.float32), S.toarray(), np.asfortranarray(S.toarray()), S.tocsc())):
            yield f"{name} layout {n}", fitted, estimator, {}, X, Y2
        yield f"{name} verbose", printed, estimator, *THREE
        for kind in plain, estimator:
            yield f"{kind.__name__} after failure", after_failure, kind, D, Y3
        if "warm_start" in estimator().get_params():
            yield f"{name} warm", warm, estimator, *TWO
            yield f"{name} warm three, plain", warm, plain, *THREE
    for kind in fastsvm.PegasosClassifier, fastsvm.PerceptronClassifier, fitting.Pegasos, fitting.Perceptron:
        yield f"{kind.__name__} in parts", in_parts, kind, *THREE
    yield "Pegasos tail in parts", partial(in_parts, fastsvm.PegasosClassifier, S, Y2, averaging="tail")
    yield "SDCA warm multinomial", partial(warm, fitting.SDCA, D, Y3, loss="log", multi_class="multinomial")
    for kind in fitting.SDCA, fastsvm.SDCAClassifier:
        yield f"{kind.__name__} resumed", resumed, kind, *THREE
        yield f"{kind.__name__} coordinate resumed", partial(resumed, kind, S, Y2, solver="coordinate")
    with contextlib.suppress(ImportError):
        importlib.import_module("sklearn.callback")
        for last in 1, 10_000:
            for data, (X, y) in {"two": TWO, "three": THREE}.items():
                yield f"SDCA callbacks {last} {data}", watched, fastsvm.SDCAClassifier, last, X, y
            yield f"Pegasos callbacks {last}", watched, fastsvm.PegasosClassifier, last, *THREE


def of_kernel():
    """Cases of the kernel classifiers and features."""
    for name, options in KERNEL.items():
        plain, estimator = getattr(fitting, name), getattr(fastsvm, f"{name}Classifier")
        for each in options:
            for data, (X, y) in {"two": TWO, "three": THREE}.items():
                yield f"{name} {each} {data}", fitted, estimator, each, X, y
        yield f"{name} plain", fitted, plain, {}, *THREE
        yield f"{name} weights", fitted, estimator, {}, S, Y2, WEIGHT
        yield f"{name} verbose", printed, estimator, *THREE
    called = {"kernel": lambda A, B: (A @ B.T + 1.0) ** 2}
    yield "KernelSDCA callable", fitted, fastsvm.KernelSDCAClassifier, called, *THREE
    yield "KernelSDCA warm", warm, fastsvm.KernelSDCAClassifier, *TWO
    for method in "nystroem", "random":
        options = {"method": method, "n_components": 40}
        yield f"KernelFeatures {method}", fitted, fastsvm.KernelFeatures, options, *THREE
    grid = {"kernels": [{"kernel": "rbf", "gamma": 0.1}], "alphas": [1e-2, 1e-3], "n_iters": [100, 300]}
    yield "kernel_pegasos_grid", partial(result, fastsvm.kernel_pegasos_grid, *THREE, cv=3, **grid)


def of_the_rest():
    """Cases of cross-validation, paths, certificates, functions, drop_in, texts, Dask and errors."""
    few = {"cv": 3, "alphas": [1e-3, 1e-2]}
    for each in {}, {"loss": "log", "class_weight": "balanced"}, {"scoring": "balanced_accuracy"}:
        for data, (X, y) in {"two": TWO, "three": THREE}.items():
            yield f"SDCACV {each} {data}", fitted, fastsvm.SDCAClassifierCV, few | each, X, y
    for each in {"gammas": [0.1, 1.0]}, {"loss": "squared_hinge"}:
        yield f"KernelSDCACV {each}", fitted, fastsvm.KernelSDCAClassifierCV, few | each, *THREE
    for loss in solvers.LOSSES:
        yield f"path {loss}", partial(result, fastsvm.sdca_path, S, Y2, loss=loss, n_alphas=5)
        model = fastsvm.SDCAClassifier(loss=loss, random_state=0).fit(S, Y2)
        yield f"certify {loss}", result, fastsvm.certify, model, S, Y2
    for name, options in FUNCTIONS.items():
        for n, each in enumerate(options):
            for data, X in {"csr": S, "dense": S.toarray().astype(np.float32)}.items():
                yield f"{name} {n} {data}", partial(result, getattr(solvers, name), X, SIGNS, **each)
    for name, options in DROP_IN.items():
        for each in options:
            yield f"drop_in.{name} {each}", fitted, getattr(drop_in, name), each, *TWO
            yield f"drop_in.{name} {each} three", fitted, getattr(drop_in, name), each, D, Y3
    yield "SDCA rows_of", partial(fitted, fitting.SDCA, {}, S, Y2, rows_of=lambda k: S * (k + 1))
    for kind in text.BagOfWords, text.HashedBagOfWords, drop_in.CountVectorizer, drop_in.TfidfVectorizer:
        yield f"{kind.__name__}", bits, kind(ngram_range=(1, 2)).fit_transform(TEXTS)
    counts = text.BagOfWords(ngram_range=(1, 2), marks=True).fit_transform(TEXTS)
    for each in (
        text.TermWeighting("tfidf"),
        text.TermWeighting("nb"),
        text.SelectTerms(9),
        text.SelectTerms(9, "chi2"),
    ):
        yield str(each), model_bits, each.fit(counts, LABELS), counts
    with contextlib.suppress(ImportError):
        importlib.import_module("dask.distributed")
        yield "dask", cluster_fit, *THREE
    for name, options in WRONG.items():
        for each in options:
            for kind in getattr(fitting, name), getattr(fastsvm, f"{name}Classifier"):
                yield f"{kind.__name__} wrong {each}", fitted, kind, each, *TWO
        for kind in getattr(fitting, name), getattr(fastsvm, f"{name}Classifier"):
            yield f"{kind.__name__} one label", fitted, kind, {}, D, np.zeros(240)
            yield f"{kind.__name__} nan", fitted, kind, {}, np.where(D > 2.5, np.nan, D), Y3
            yield f"{kind.__name__} lengths", fitted, kind, {}, D, Y3[:-1]


def record():
    """The results of all cases by name, each with its warnings; of a failure, its message."""
    found = {}
    for name, call, *args in [*of_linear(), *of_kernel(), *of_the_rest()]:
        assert name not in found, name
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warnings.simplefilter("ignore", FutureWarning)  # about attributes of SVC
            try:
                result = call(*args)
            except Exception as error:
                result = f"{type(error).__name__}: {error}"
        said = sorted({f"{each.category.__name__}: {each.message}" for each in caught})
        found[name] = [result, *said]
    return found
