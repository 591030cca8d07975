"""What is measured: each section yields figures."""

import time
from functools import partial

import numpy as np
from scipy.special import logsumexp
from sklearn.datasets import load_digits
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from fastsvm import KernelSDCAClassifier, SDCAClassifier, SDCAClassifierCV, sdca_path
from fastsvm.solvers._problem import Problem
from fastsvm.solvers.l1_solver import largest_l1_alpha
from fastsvm.solvers.params import SDCAParams
from fastsvm.text import BagOfWords

from ..common import alternate, imdb_texts, in_child, made, sentiment_texts, usps, wall
from ..linear import contenders
from ..linear.data import available, load
from ..linear.measure import LIMIT, measure, reference
from ..machine import pin
from .figures import Figure

LINEAR, QUICK = ("sentiment", "imdb", "a9a", "skin", "dense"), ("sentiment", "a9a")
L1, L1_QUICK = ("wide", "digits8", "a9a", "tall", "imdb-bigrams"), ("wide", "digits8")
L1_EFFORT = {"limit": 20, "hopeless": 25}  # peers are slow, and are to get there all the same
KERNEL_LIMIT, HOPELESS = 60, 4  # seconds of a fit of ours; a peer may take so many times as long
LONG = 10  # seconds of all fits after which there are no more rounds
TIGHT, L1_TIGHT = 1e-6, 1e-9  # gap of the bounds that suboptimality is held against


def _rounds(options):
    return 2 if options.quick else 5


def _names(options, usual, quick):
    found = available(options.data)
    return [name for name in options.sets or (quick if options.quick else usual) if name in found]


def _alpha(text, y):
    return 1 / len(y) if text == "1/n" else float(text)


def _to_targets(section, title, problem, kinds, bounds, precision, options, **effort):
    """The figures of a problem whose optimum is known to some precision, one for each target."""
    times, cut = measure(problem, kinds, bounds=bounds, rounds=_rounds(options), **effort)
    cut.pop(contenders.FastSVM.name, None)
    for target, peers in times.items():
        ours = peers.pop(contenders.FastSVM.name)
        sure = "" if precision <= target / 10 else f"optimum known to {precision:.0e} only"
        cell = f"{title}, {target:.0e}".replace("e-0", "e-")
        yield Figure(section, cell, ours, peers, cut, sure)


def linear(options):
    """Binary problems with an intercept."""
    left_out = set()
    for name in _names(options, LINEAR, QUICK):
        data = load(name, options.data)
        for loss in options.losses:
            for text in options.alphas:
                problem = contenders.Problem(data.X, data.y, loss, _alpha(text, data.y))
                kinds, missing = contenders.chosen(problem)
                left_out |= missing
                known = [reference(p, 4 * LIMIT, TIGHT) for p in (problem, problem.with_ones())]
                bounds, gaps = zip(*known, strict=True)
                title = f"{name}, {loss}, alpha {text}"
                yield from _to_targets("linear", title, problem, kinds, bounds, max(gaps), options)
    _report(left_out)


def _report(left_out):
    if left_out:
        print(f"not installed, left out: {', '.join(sorted(left_out))}")


def l1(options):
    """Penalties l1 with a free intercept; alpha is a share of the largest, at which all weights are 0."""
    left_out = set()
    for name in _names(options, L1, L1_QUICK):
        data = load(name, options.data)
        for loss in sorted({"squared_hinge", "log"}.intersection(options.losses)):
            largest = largest_l1_alpha(Problem(data.X, data.y), SDCAParams(loss, penalty="l1"))
            for share in options.shares:
                problem = contenders.Problem(data.X, data.y, loss, share * largest, l1=True)
                kinds, missing = contenders.chosen(problem)
                left_out |= missing
                bound, gap = reference(problem, 4 * L1_EFFORT["limit"], L1_TIGHT)
                title = f"{name}, {loss}, alpha {share:g} of the largest"
                yield from _to_targets("l1", title, problem, kinds, (bound,), gap, options, **L1_EFFORT)
    _report(left_out)


# Kernel machines


def _digits(_):
    return *load_digits(return_X_y=True), 1297


def _a9a(folder):
    data = load("a9a", folder)
    return data.X[:10_000], data.y[:10_000], 5000


KERNEL = {
    "digits": _digits,
    "a9a 5,000": _a9a,
    "usps": lambda folder: (*usps(folder), 7438),
    "made 5,000": lambda _: made(5000),
    "made 20,000": lambda _: made(20_000),
}
TASKS = ("fit", "predict", "predict a row")


def _kernel_times(model, X, y, n):
    """CPU seconds of each task, errors of rows after the first n, and the certified relative gap."""
    order = np.random.default_rng(0).permutation(X.shape[0])
    X, y = X[order], y[order]
    marks = [time.process_time()]
    model.fit(X[:n], y[:n])
    marks.append(time.process_time())
    labels = model.predict(X[n:])
    marks.append(time.process_time())
    for k in range(100):
        model.predict(X[n + k : n + k + 1])
    marks.append(time.process_time())
    gap = np.max(model.dual_gap_ / model.objective_) if hasattr(model, "dual_gap_") else None
    return np.diff(marks) / (1, 1, 100), int(np.sum(labels != y[n:])), gap


def kernel(options):
    """KernelSDCAClassifier against SVC, each in child processes; a gap above `tol` is no fit."""
    for name in ("digits", "made 5,000") if options.quick else KERNEL:
        X, y, n = KERNEL[name](options.data)
        for C in (1, 10, 1000):
            own = {"alpha": 1 / (C * n), "cache_size": 1000, "n_jobs": 1, "random_state": 0}
            models = KernelSDCAClassifier(**own), SVC(C=C, cache_size=1000)
            found, limit = ([], []), KERNEL_LIMIT
            for _ in range(_rounds(options)):
                for times, model in zip(found, models, strict=True):
                    run = in_child(partial(_kernel_times, model, X, y, n), limit)
                    times += [run] if run else []
                    if found[0]:
                        limit = max(1, min(KERNEL_LIMIT, HOPELESS * sum(found[0][0][0])))
                if any(sum(run[0][0] for run in times) > LONG for times in found) or not all(found):
                    break
            ours, theirs = found
            note = f"gap {ours[0][2]:.0e}, {ours[0][1]} wrong of {X.shape[0] - n}" if ours else ""
            note += f", SVC {theirs[0][1]}" if theirs else ""
            for k, task in enumerate(TASKS):
                seconds = [[float(run[0][k]) for run in times] for times in found]
                if ours and ours[0][2] > models[0].tol:
                    seconds[0] = []
                cut = {} if theirs or k else {"SVC": limit}
                cell = f"{name}, C {C}, {task}"
                yield Figure("kernel", cell, seconds[0], {"SVC": seconds[1]}, cut, "" if k else note)


# Softmax


class Softmax(contenders.Problem):
    """alpha/2 ||W||^2 + 1/n sum of -log softmax; y are numbers of classes."""

    def objective(self, w, b0, penalised=False):
        """Of the rows of w."""
        scores = self.X @ w.T + b0
        own = scores[np.arange(self.n), self.y]
        return self.alpha / 2 * float((w**2).sum()) + float((logsumexp(scores, axis=1) - own).mean())


class SoftmaxSDCA(contenders.FastSVM):
    """All classes at once."""

    more = {"multi_class": "multinomial"}  # noqa: RUF012

    def coefficients(self, model):
        """All rows."""
        return model.coef_.astype(np.float64), model.intercept_


class SoftmaxLBFGS(contenders.SklearnLogistic):
    """All classes at once."""

    coefficients = SoftmaxSDCA.coefficients


def _domains(folder):
    with open(folder / "sentiment.txt", encoding="utf-8") as file:
        return load("sentiment", folder).X, [line.split(None, 1)[0] for line in file]


SOFTMAX = {"digits": lambda folder: _digits(folder)[:2], "usps": usps, "domains": _domains}


def softmax(options):
    """Multinomial regression against L-BFGS, to the same suboptimality."""
    kinds = SoftmaxSDCA, SoftmaxLBFGS
    for name, make in SOFTMAX.items():
        X, y = make(options.data)
        for text in ("1e-3", "1/n", "1e-6"):
            problem = Softmax(X, np.unique(y, return_inverse=True)[1], "log", _alpha(text, y))
            tight = SoftmaxSDCA(problem).fit(TIGHT, 0)
            bound = tight.objective_ - tight.dual_gap_
            known = (bound,), tight.dual_gap_ / bound
            yield from _to_targets("softmax", f"{name}, alpha {text}", problem, kinds, *known, options)


# Paths and threads


def path(options):
    """Twenty alphas, warm, in units of one cold fit of the smallest."""
    alphas = np.geomspace(1e-2, 1e-5, 20)
    for name in _names(options, LINEAR, QUICK):
        data = load(name, options.data)
        for loss in options.losses:
            shared = {"loss": loss, "tol": 1e-3, "random_state": 0, "n_jobs": 1}
            warm = partial(sdca_path, data.X, data.y, alphas, **shared)
            cold = partial(SDCAClassifier(alpha=alphas[-1], **shared).fit, data.X, data.y)
            ours, one = alternate([warm, cold], _rounds(options)).tolist()
            times = f"{np.median(np.divide(ours, one)):.2f} cold fits"
            peers = {"one cold fit": one}
            yield Figure("path", f"{name}, {loss}", ours, peers, note=times, contest=False)


def threads(options):
    """Two threads against one, and of predictions against scikit-learn's pipeline; wall-clock time."""
    pin(options.core, 2)
    X, y = usps(options.data)
    reviews = load("sentiment", options.data)
    texts, _ = imdb_texts(options.data)
    short = [" ".join(words[i : i + 15]) for words in map(str.split, texts) for i in range(0, len(words), 15)]
    few, signs = sentiment_texts(options.data)
    theirs = make_pipeline(CountVectorizer(), SGDClassifier(random_state=0)).fit(few, signs)

    def predictor(n_jobs):
        model = make_pipeline(BagOfWords(n_jobs=n_jobs), SDCAClassifier(random_state=0))
        return partial(model.fit(few, signs).predict, short)

    def classes(n_jobs):
        return partial(SDCAClassifier(random_state=0, n_jobs=n_jobs).fit, X, y)

    def folds(n_jobs):
        return partial(SDCAClassifierCV(random_state=0, n_jobs=n_jobs).fit, reviews.X, reviews.y)

    def counts(n_jobs):
        return partial(BagOfWords(ngram_range=(1, 2), n_jobs=n_jobs).fit_transform, texts)

    for title, task in (
        ("ten classes of usps", classes),
        ("folds and alphas, sentiment", folds),
        ("vectoriser, n-grams of imdb", counts),
        (f"predict {len(short):,} short texts", predictor),
    ):
        two, one = alternate([task(2), task(1)], _rounds(options), wall).tolist()
        yield Figure("threads", title, two, {"one thread": one})
    ours, peer = alternate([predictor(2), partial(theirs.predict, short)], 2, wall).tolist()
    yield Figure("threads", f"{title}, two threads", ours, {"scikit-learn's pipeline": peer})
    pin(options.core, 1)
