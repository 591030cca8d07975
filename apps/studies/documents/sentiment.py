"""The study of an article on Pegasos: points in the plane, kernels, and the sentiment of texts."""

import os
from collections.abc import Iterator, Sequence
from functools import partial
from io import BytesIO
from itertools import combinations, pairwise, product
from time import process_time, thread_time
from typing import NamedTuple

import numpy as np

from fastsvm.fitting import KernelPegasos, Pegasos, Perceptron
from fastsvm.text import Bag, Selection, Weighting

from ... import sentiment
from ...common.files import samples_folder
from ...common.folds import random_split
from ...sentiment.data.corpus import read_corpus
from ...sentiment.data.text_source import TextSource
from ..data.public_sets import public_set_at_hand
from ..report.charts import BLUE, GREEN, VERMILION
from ..report.study import Advance, Arrays, Context, Figure, Findings, Measured, Runs, Table, array_hash
from ..report.verdicts import Found, Statistic, mean, median

TITLE = "Pegasos, from points in the plane to sentiment"
DOCUMENT = (
    "Implementing Pegasos: SVM, logistic regression and sentiment classification (in Python), an article"
)

RUNS, QUICK_RUNS = 20, 6  # splits, or sets of points
HOLDOUT = 0.2
PASSES = 10  # steps per training row; for the points, the article does not give the number

# In the plane
POINT_ALPHA = 0.01
N_OVERLAP = 200
APART = 1.75  # from the centre of a cloud to the line between both, in standard deviations: 4 % are beyond
WIDTH = 0.1  # g of exp(-||x - z||^2 / (2 g)), of standardised points
FRAMES, STILLS = 20, 4
GRID = (90, 80)  # points of a surface, across and up
MARGIN = 0.15  # of the points' range, shown beyond them in a surface
SIDES = ("#f8d9c8", "#cfe3f2")  # vermilion and blue, pale
GIF_COLOURS, PACE, PAUSE = 16, 250, 2500  # milliseconds that a frame is shown, and the last one

# Texts
N_WORDS = 5000
ALPHAS = {"Pegasos SVM": 0.015, "Pegasos logistic": 0.01}  # lambda of the article
LOSSES = dict(zip(("hinge", "log"), ALPHAS, strict=True))
PLAIN = {"max_iter": PASSES, "fit_intercept": False}
CLASSIFIERS = {
    "perceptron": partial(Perceptron, shuffle=False, **PLAIN),
    "Pegasos SVM": partial(Pegasos, "hinge", alpha=ALPHAS["Pegasos SVM"], order="random", **PLAIN),
    "Pegasos logistic": partial(Pegasos, "log", alpha=ALPHAS["Pegasos logistic"], order="random", **PLAIN),
}
DEFAULT = "what train makes by default"
NAMES = [*CLASSIFIERS, DEFAULT]
PYTHON, PYTHON_RUNS = "the article's Python", 6  # of the article's loops, which are slow
# Lambdas and numbers of passes.
GRIDS = {
    "counts": ((0.001, 0.002, 0.005, 0.01, 0.015, 0.02, 0.05), (10, 30, 100)),
    "tf-idf": ((1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.015), (10,)),
}
ARTICLES_TEXTS = 11_914
ARTICLES_TRAINING = int((1 - HOLDOUT) * ARTICLES_TEXTS)
SHARES = np.array([1 / 4, 1 / 2, 1])  # of the texts, for the growth of the vocabulary
ORDERS = 10  # of texts, for this growth
BINS = np.geomspace(4, 4096, 31)  # words of a text
FIRST_ROWS, SHOWN = 5, 100  # characters of a text
TOP_WORDS = 15  # for each label


class Plane(NamedTuple):
    """A method on points of the plane.

    Attributes
    ----------
    title : str
    loss : str
        Loss of linear Pegasos, on two clouds; "" for the Gaussian kernel.
    moons : (int, int)
        Points of each class that replace a set if it is not available.
    """

    title: str
    loss: str
    moons: tuple[int, ...] = ()


PLANES = {
    "svm": Plane("SVM, 200 points", "hinge"),
    "flame": Plane("Kernel SVM, flame", "", (153, 87)),
    "jain": Plane("Kernel SVM, jain", "", (276, 97)),
    "logistic": Plane("Logistic, 200 points", "log"),
}


def measure(context: Context) -> Measured:
    """Measure on points of the plane, and on texts."""
    measured = Measured("")
    n_runs = context.runs or (QUICK_RUNS if context.quick else RUNS)
    measured.settings = {
        "runs": f"{n_runs}, each with {1 - HOLDOUT:.0%} to train on and {PASSES} steps per training row",
        "200 points": f"clouds {2 * APART:g} standard deviations apart, new ones for each run",
        "points": f"lambda {POINT_ALPHA:g}; gaussian of width {WIDTH:g} (gamma {1 / (2 * WIDTH):g})",
        "texts": f"the best {N_WORDS:,} words by the F statistic; last iterate, no intercept",
        "lambda": ", ".join(f"{alpha:g} ({name})" for name, alpha in ALPHAS.items()),
    }
    measure_planes(measured, context, n_runs)
    measure_texts(measured, context, n_runs)
    return measured


# In the plane: what is measured


def measure_planes(measured: Measured, context: Context, n_runs: int) -> None:
    """Fit each method on its points, and keep its surface after some of the steps."""
    for name, plane in PLANES.items():
        X, y, *_ = points_of(name, context.data, context.seed)
        compute = partial(fit_plane, name, context.data, n_runs, context.seed)
        key = {"X": X, "y": y, "runs": n_runs, "seed": context.seed, "frames": FRAMES}
        known = measured.pictures[name] = context.part(f"plane-{name}", compute, total=n_runs, **key)
        measured.runs.add("points", name, plane.title, error=known["errors"], seconds=known["seconds"])
        measured.runs.add("points", name, plane.title, PYTHON, seconds=known["python"])
        if found := None if plane.loss else public_set_at_hand(name, context.data):
            measured.originals.append(name)
            measured.hashes[name] = array_hash(*found)


def points_of(name: str, data: str | None, run: int) -> tuple[np.ndarray, ...]:
    """Return the points of a run, their signs, and the training and held-out rows.

    Clouds are drawn for each run. A set, or two moons in its place, is standardised by the training rows.
    """
    from sklearn.datasets import make_moons

    plane, random = PLANES[name], np.random.default_rng(run)
    if plane.loss:
        y = np.repeat([1, -1], N_OVERLAP // 2)
        X = random.normal(size=(N_OVERLAP, 2)) + APART / np.sqrt(2) * y[:, None]
        return X, y, *random_split(len(y), HOLDOUT, run)
    X, y = public_set_at_hand(name, data) or make_moons(plane.moons, noise=0.15, random_state=0)
    train, test = random_split(len(y), HOLDOUT, run)
    X = X.astype(float)
    X = (X - X[train].mean(axis=0)) / X[train].std(axis=0)
    return X, np.where(y == y.min(), 1, -1), train, test


def new_model(plane: Plane, seed: int, n_steps: int | None = None):
    """Return Pegasos without intercept: a line, or a Gaussian with `n_steps` (None: ten per point)."""
    same = {"alpha": POINT_ALPHA, "random_state": seed}
    if plane.loss:
        return Pegasos(plane.loss, order="random", **PLAIN, **same)
    return KernelPegasos("rbf", gamma=1 / (2 * WIDTH), n_iter=n_steps, **same)


def fit_plane(name: str, data: str | None, n_runs: int, seed: int, advance: Advance) -> Arrays:
    """Fit each run's points, and draw the surface of the first run.

    Returns
    -------
    dict
        errors, seconds, python : (n_runs,), error on held-out points, CPU time of a fit, and of the
        article's loop; and the items of `surface`.
    """
    errors, seconds, python = np.zeros((3, n_runs))
    plane = PLANES[name]
    new_model(PLANES[name], seed).fit(*points_of(name, data, seed)[:2])  # the first fit pays one-time costs
    for run in range(n_runs):
        X, y, train, test = points_of(name, data, seed + run)
        model = new_model(PLANES[name], seed + run)
        start = thread_time()
        model.fit(X[train], y[train])
        seconds[run] = thread_time() - start
        errors[run] = np.mean(model.predict(X[test]) != y[test])
        start, random = thread_time(), np.random.RandomState(seed + run)
        if plane.loss:
            article_weights(LOSSES[plane.loss], X[train], y[train], random, POINT_ALPHA)
        else:
            article_counts(X[train], y[train], random)
        python[run] = thread_time() - start
        advance()
    return {"errors": errors, "seconds": seconds, "python": python, **surface(name, data, seed)}


def surface(name: str, data: str | None, seed: int) -> Arrays:
    """Return the scores over the plane after increasing numbers of steps.

    Returns
    -------
    dict
        X, y, train : points, signs, and training rows. right : how many held-out points are right.
        steps, fields : (frames,), (frames, up, across), scores divided by the largest. across, up : axes.
    """
    X, y, train, test = points_of(name, data, seed)
    spaced = np.linspace if PLANES[name].loss else np.geomspace  # a line changes late, a curve early
    steps = np.unique(spaced(1, PASSES * len(train), FRAMES).round().astype(int))
    low, high = X.min(axis=0), X.max(axis=0)
    low, high = low - MARGIN * (high - low), high + MARGIN * (high - low)
    across, up = (np.linspace(a, b, n) for a, b, n in zip(low, high, GRID, strict=True))
    grid = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
    fields = []
    for model in growing_models(PLANES[name], X[train], y[train], steps.tolist(), seed):
        scores = model.decision_function(grid)
        fields.append(scores.reshape(*GRID[::-1]) / np.abs(scores).max())
    right = np.sum(model.predict(X[test]) == y[test])
    found = {"X": X, "y": y, "train": train, "right": right, "steps": steps, "fields": np.array(fields)}
    return {**found, "across": across, "up": up}


def growing_models(plane: Plane, X, y, steps: Sequence[int], seed: int) -> Iterator:
    """Yield a model after each number of steps; all models draw the same first rows."""
    drawn, line = np.random.default_rng(seed).integers(len(y), size=steps[-1]), new_model(plane, seed)
    for begin, end in pairwise((0, *steps)):
        rows = drawn[begin:end]  # visited in any order: they are random
        line = line.partial_fit(X[rows], y[rows], classes=[-1, 1]) if plane.loss else line
        yield line if plane.loss else new_model(plane, seed, end).fit(X, y)


# Texts: what is measured


class BestWords:
    """Counts or tf-idf of the best words of some texts, as by CountVectorizer and SelectKBest.

    Parameters
    ----------
    texts, y : ndarray
        Training texts; `X` has the counts of their `words`, for a classifier.
    tfidf : bool
    """

    def __init__(self, texts: np.ndarray, y: np.ndarray, tfidf: bool = False) -> None:
        self.bag = Bag(analyzer="split", lowercase=False)
        X = self.bag.fit_transform(texts.tolist())
        self.weighting = Weighting("tfidf", norm="l2").fit(X, y) if tfidf else None
        X = self.weighting.transform(X) if tfidf else X
        self.kept = Selection(N_WORDS).fit(X, y).get_support(indices=True)
        self.X = X[:, self.kept].astype(np.float32)
        self.words = np.array(self.bag.get_feature_names_out())[self.kept]

    def of(self, texts: np.ndarray):
        """Return the same features of other texts."""
        X = self.bag.transform(texts.tolist())
        X = self.weighting.transform(X) if self.weighting else X
        return X[:, self.kept].astype(np.float32)


def read_texts(data: str | None) -> tuple[np.ndarray, np.ndarray, bool]:
    """Return texts, their signs (+1 positive), and whether they are the article's texts."""
    article = os.path.join(data or "", "sentiment.txt")
    original = data is not None and os.path.isfile(article)
    path = article if original else str(samples_folder() / "reviews.txt")
    corpus = read_corpus(TextSource(path))
    signs = np.where(np.array([*corpus.labels]) == "pos", 1, -1)
    return np.array(corpus.texts, object), signs, original


def measure_texts(measured: Measured, context: Context, n_runs: int) -> None:
    """Compare the classifiers, tune lambda and passes, and count words."""
    (texts, y, original), seed, runs = read_texts(context.data), context.seed, measured.runs
    joined = np.frombuffer("\n".join(texts).encode(), np.uint8)
    measured.hashes["texts"] = array_hash(joined, y)
    measured.originals += ["texts"] if original else []
    titles = (title_of(name, measured.originals) for name in ("flame", "jain"))
    sets = " and ".join(title.removeprefix("Kernel SVM, ") for title in titles)
    whose = f"of the article's {ARTICLES_TEXTS:,}" if original else "that were generated"
    measured.data = f"{len(y):,} reviews {whose}; in the plane {N_OVERLAP} points of our own, {sets}."
    measured.pictures["first rows"] = [
        f"{'pos' if y[k] > 0 else 'neg'}  {texts[k][:SHOWN]} ..." for k in range(FIRST_ROWS)
    ]
    key = {"texts": joined, "y": y, "seed": seed, "runs": n_runs}
    part = context.part("classifiers", partial(compare, texts, y, n_runs, seed), total=n_runs, **key)
    runs.add("classifiers", "texts", "always one label", error=part["always"])
    for k, name in enumerate(NAMES):
        runs.add("classifiers", "texts", name, error=part["error"][k], seconds=part["seconds"][k])
    for k, name in enumerate(CLASSIFIERS):
        runs.add("classifiers", "texts", name, PYTHON, seconds=part["python"][k])
        for word, weight in zip(part["words"][k].tolist(), part["weights"][k], strict=True):
            runs.add("top words", "texts", name, word, value=[weight])
    for features, grid in GRIDS.items():
        compute = partial(tune, texts, y, features, n_runs, seed)
        part = context.part(f"tuning-{features}", compute, total=n_runs, grid=grid, **key)
        for k, name in enumerate(ALPHAS):
            for a, alpha in enumerate(grid[0]):
                for experiment, errors in part.items():
                    setting = f"{features}, lambda {alpha:g}"
                    runs.add(experiment, "texts", name, setting, epoch=[grid[1]], error=errors[k, a])
    sizes, columns = grow(texts, seed)
    runs.add("columns", "texts", visits=[sizes], value=columns)
    for label, sign in ("neg", -1), ("pos", 1):
        runs.add("lengths", "texts", "", label, value=[[len(text.split()) for text in texts[y == sign]]])


def split_texts(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return training and held-out rows, as the article splits them."""
    from sklearn.model_selection import train_test_split

    return train_test_split(np.arange(n), train_size=1 - HOLDOUT, random_state=seed)


def compare(every: np.ndarray, signs: np.ndarray, n_runs: int, seed: int, advance: Advance) -> Arrays:
    """Train and test all classifiers on the same splits; the first is the article's if `seed` is 0.

    Returns
    -------
    dict
        error, seconds : (NAMES, n_runs), error on held-out texts, and CPU time from texts to a model.
        always : error of the more frequent label. python : CPU seconds of the article's loops.
        words, weights : the top words of the article's three.
    """
    (error, seconds), always = np.zeros((2, len(NAMES), n_runs)), np.zeros(n_runs)
    python, words, weights, recipe = [], [], [], "auto"
    BestWords(every, signs)  # the first use pays one-time costs
    for run in range(n_runs):
        train, test = split_texts(len(signs), seed + run)
        texts, y, held_out, truth = every[train], signs[train], every[test], signs[test]
        always[run] = np.mean(truth != np.sign(y.sum() + 0.5))
        start = process_time()
        best = BestWords(texts, y)
        learning, X_test = process_time() - start, best.of(held_out)
        for k, name in enumerate(CLASSIFIERS):
            model = CLASSIFIERS[name](random_state=seed + run, averaging="last")
            start = process_time()
            model.fit(best.X, y)
            seconds[k, run] = learning + process_time() - start
            error[k, run] = np.mean(model.predict(X_test) != truth)
            if not run:
                order = np.argsort(-model.coef_[0], kind="stable")
                top = np.r_[order[:TOP_WORDS], order[-TOP_WORDS:]]
                words.append(best.words[top])
                weights.append(model.coef_[0, top])
        start, labels = process_time(), y.astype(str).tolist()
        usual = {"holdout": 0, "tokens": "split", "seed": seed + run}
        model = sentiment.train(texts.tolist(), labels, recipe=recipe, **usual)
        seconds[-1, run] = process_time() - start
        error[-1, run] = np.mean(np.array(model.predict(held_out.tolist())).astype(int) != truth)
        recipe = model.training.settings.recipe  # chosen on the first split
        if run < PYTHON_RUNS:
            python.append(time_in_python(texts, y, len(best.words), seed + run))
        advance()
    measured = {"error": error, "seconds": seconds, "always": always}
    return {**measured, "python": np.transpose(python), "words": np.array(words, str), "weights": weights}


def time_in_python(texts: np.ndarray, y: np.ndarray, n_words: int, seed: int) -> list[float]:
    """Return the CPU seconds from texts to weights by scikit-learn and the article's loops."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.feature_selection import SelectKBest

    start, seconds = process_time(), []
    X = CountVectorizer(tokenizer=str.split, token_pattern=None, lowercase=False).fit_transform(texts)
    X = SelectKBest(k=n_words).fit_transform(X, y).toarray()
    learning = process_time() - start
    for name in CLASSIFIERS:
        start = process_time()
        article_weights(name, X, y, np.random.RandomState(seed))
        seconds.append(learning + process_time() - start)
    return seconds


def article_counts(X: np.ndarray, y: np.ndarray, random) -> np.ndarray:
    """Return how often each row was visited with a loss, by the article's loop with a gaussian kernel."""
    counts = np.zeros(len(y))
    for i in range(PASSES * len(y)):
        j = random.choice(len(y), 1)[0]
        values = np.exp(-((X - X[j]) ** 2).sum(axis=1) / (2 * WIDTH))
        if y[j] * (counts * y).dot(values) / (POINT_ALPHA * (i + 1)) < 1:
            counts[j] += 1
    return counts


def article_weights(name: str, X: np.ndarray, y: np.ndarray, random, alpha: float = 0) -> np.ndarray:
    """Return the weights by the article's class, dense and in Python; the log-loss replaces the hinge."""
    w, m = np.zeros(X.shape[1]), len(y)
    if name == "perceptron":
        for _ in range(PASSES):
            for x, sign in zip(X, y, strict=True):
                if sign * w.dot(x) <= 0:
                    w += sign * x
        return w
    alpha = alpha or ALPHAS[name]
    for i in range(PASSES * m):
        eta = 1 / (alpha * (i + 1))
        j = random.choice(m, 1)[0]
        x, sign = X[j], y[j]
        score = sign * w.dot(x)
        pull = score < 1 if name == "Pegasos SVM" else np.exp(-np.logaddexp(0, score))
        w = (1 - eta * alpha) * w + eta * pull * sign * x if pull else (1 - eta * alpha) * w
    return w


def tune(texts: np.ndarray, y: np.ndarray, features: str, n_runs: int, seed: int, advance: Advance) -> Arrays:
    """Test all lambdas and passes on the held-out texts, and on a fifth of the training texts.

    Returns
    -------
    dict
        tuning, choosing : (ALPHAS, lambdas, n_runs, passes), errors on held-out texts, and on that fifth.
    """
    alphas, passes = GRIDS[features]
    tuning, choosing = np.zeros((2, len(ALPHAS), len(alphas), n_runs, len(passes)))
    for run in range(n_runs):
        train, test = split_texts(len(y), seed + run)
        inner, tried = (train[rows] for rows in split_texts(len(train), seed + run))
        for errors, rows, others in (tuning, train, test), (choosing, inner, tried):
            best = BestWords(texts[rows], y[rows], features == "tf-idf")
            X = best.of(texts[others])
            for (k, name), (a, alpha), (p, n) in product(*map(enumerate, (ALPHAS, alphas, passes))):
                model = CLASSIFIERS[name](alpha=alpha, max_iter=n, random_state=seed + run)
                errors[k, a, run, p] = np.mean(model.fit(best.X, y[rows]).predict(X) != y[others])
        advance()
    return {"tuning": tuning, "choosing": choosing}


def grow(texts: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Count the different words in the first texts of `ORDERS` random orders.

    Returns
    -------
    sizes : ndarray of shape (counts,)
        Numbers of texts.
    columns : ndarray of shape (ORDERS, counts)
    """
    X = Bag(analyzer="split", lowercase=False).fit_transform(texts.tolist())
    n, random = X.shape[0], np.random.default_rng(seed)
    sizes = np.maximum((SHARES * n).astype(int), 1)
    rows = np.repeat(np.arange(n), np.diff(X.indptr))
    columns = np.empty((ORDERS, len(sizes)), int)
    for order in range(ORDERS):
        first = np.full(X.shape[1], n)
        np.minimum.at(first, X.indices, random.permutation(n)[rows])
        columns[order] = np.searchsorted(np.sort(first), sizes)
    return sizes, columns


# What is made of it


def findings(measured: Measured) -> Findings:
    """Judge the claims, in the order of the article, and draw."""
    runs, pictures = measured.runs, measured.pictures
    titles = {name: title_of(name, measured.originals) for name in PLANES}
    surfaces = {titles[name]: pictures[name] for name in PLANES if name in pictures}
    figures = [Figure("surfaces", partial(draw_surfaces, surfaces=surfaces), (9.5, 9.0))] if surfaces else []
    for name, (title, known) in zip(PLANES, surfaces.items(), strict=False):
        draw = partial(animated_gif, known, title)
        figures.append(Figure(f"animation-{name}", draw, (3.2, 3.0), "animation", title, "gif"))
    if first := pictures.get("first rows"):
        figures.append(Figure("first-rows", partial(draw_rows, rows=first), (9.0, 1.1), shows_data=True))
    figures += [
        Figure("texts", partial(draw_texts, runs=runs), (9.0, 3.6)),
        Figure("classifiers", partial(draw_classifiers, runs=runs), (9.0, 4.2)),
        Figure("words", partial(draw_words, runs=runs), (10.0, 6.4)),
    ]
    found = point_claims(runs) | text_claims(runs)
    return Findings(found, figures, [accuracy_table(runs)])


def title_of(name: str, originals: Sequence[str]) -> str:
    """Return the title of points."""
    stand_in = PLANES[name].moons and name not in originals
    return f"{PLANES[name].title} (two moons in its place)" if stand_in else PLANES[name].title


def over_rows(values: np.ndarray) -> Statistic:
    """Return the mean over random splits of the same rows."""
    return mean(values, HOLDOUT / (1 - HOLDOUT))


def point_claims(runs: Runs) -> dict[str, Found]:
    """Judge accuracy and time in the plane; each run has its own points, or its own split of a set."""
    found = {}
    for name, plane in PLANES.items():
        fields, python = (runs["points", name, plane.title, way] for way in ("", PYTHON))
        right = 1 - fields["error"][:, 0]
        found[f"{name}-accuracy"] = Found({"": mean(right) if plane.loss else over_rows(right)})
        compiled = {"compiled": median(fields["seconds"][:, 0])}
        found[f"{name}-time"] = Found({"": median(python["seconds"][:, 0])}, compiled)
    return found


def of_texts(runs: Runs, name: str, field: str = "error", setting: str = "") -> np.ndarray:
    """Return a field of a classifier of texts, of shape (n_runs,)."""
    return runs["classifiers", "texts", name, setting][field][:, 0]


def text_claims(runs: Runs) -> dict[str, Found]:
    """Judge the claims on texts; differences of accuracy are on the same splits."""
    wrong, tuned = {name: of_texts(runs, name) for name in NAMES}, partial(tuned_error, runs)
    always, fewest_and_most = of_texts(runs, "always one label"), expected_columns(runs)
    better = {name: over_rows(always - wrong[name]) for name in NAMES}
    alike = {f"{a} minus {b}": over_rows(wrong[b] - wrong[a]) for a, b in combinations(CLASSIFIERS, 2)}
    both, parts, tfidf = {}, {}, {}
    for name, alpha in ALPHAS.items():
        counts = tuned(name, "counts", n_passes=1)
        both[name] = over_rows(wrong[name] - tuned(name, "counts"))
        parts[f"{name}, lambda alone"] = over_rows(wrong[name] - counts)
        parts[f"{name}, passes alone"] = over_rows(wrong[name] - tuned(name, "counts", (alpha,)))
        tfidf[name] = over_rows(counts - tuned(name, "tf-idf"))
        tfidf[f"{name}, lambda {alpha:g}"] = over_rows(wrong[name] - tuned(name, "tf-idf", (alpha,)))
    return {
        "columns": Found({"": Statistic(np.mean(fewest_and_most), *fewest_and_most)}),
        "well": Found({name: better.pop(name) for name in CLASSIFIERS}, better),
        "alike": Found(alike),
        "times": Found(time_ratios(runs, PYTHON), time_ratios(runs)),
        "tf-idf": Found({"Pegasos SVM": tfidf.pop("Pegasos SVM")}, tfidf),
        "tuning": Found(both, parts),
    }


def time_ratios(runs: Runs, setting: str = "") -> dict[str, Statistic]:
    """Return the time of each classifier over the time of another."""
    taken = {name: of_texts(runs, name, "seconds", setting) for name in CLASSIFIERS}
    of = setting or "compiled"
    return {f"{a} / {b}, {of}": median(taken[a] / taken[b]) for b, a in combinations(taken, 2)}


def tuned_error(
    runs: Runs, name: str, features: str, alphas: Sequence[float] = (), n_passes: int | None = None
) -> np.ndarray:
    """Return errors with the lambda and the passes that are best on a fifth of the training texts."""
    settings = [f"{features}, lambda {alpha:g}" for alpha in alphas or GRIDS[features][0]]
    tuning, choosing = (
        np.hstack([runs[each, "texts", name, setting]["error"][:, :n_passes] for setting in settings])
        for each in ("tuning", "choosing")
    )
    return tuning[np.arange(len(tuning)), choosing.argmin(axis=1)]


def expected_columns(runs: Runs) -> tuple[float, float]:
    """Return bounds of the number of columns of the article's texts, which are more than ours.

    Each doubling of the texts multiplies the columns by a falling factor. Upper bound: the factor stays as in
    the last doubling. Lower bound: its logarithm goes on falling as it did there. The lowest lower bound and
    the highest upper bound over the orders are returned.
    """
    growth = runs["columns", "texts", "", ""]
    logs = np.log2(growth["value"])
    doublings = np.log2(ARTICLES_TRAINING / growth["visits"][0, -1])
    before, last = np.diff(logs, axis=1).T
    most = logs[:, -1] + last * doublings
    fewest = most - (before - last) * doublings * (doublings + 1) / 2
    return float(2 ** fewest.min()), float(2 ** most.max())


# Figures and tables


def draw_surface(ax, surface: Arrays, frame: int, size: float) -> None:
    """Draw the sides of a classifier after some steps; after all steps, with held-out points as crosses."""
    across, up, field = surface["across"], surface["up"], surface["fields"][frame]
    ax.contourf(across, up, field, levels=(-2, 0, 2), colors=SIDES)
    if field.min() < 0 < field.max():
        ax.contour(across, up, field, levels=(0,), colors="0.15", linewidths=1.2)
    is_test = np.ones(len(surface["y"]), bool)
    is_test[surface["train"]] = False
    for sign, colour, label in (1, BLUE, "first label"), (-1, VERMILION, "second label"):
        known, unknown = (surface["X"][rows & (surface["y"] == sign)].T for rows in (~is_test, is_test))
        ax.plot(*known, "o", color=colour, ms=size, label=f"{label}, trained on")
        if frame == len(surface["steps"]) - 1:
            edge = {"mec": "black", "mew": 0.3}
            ax.plot(*unknown, "X", color=colour, ms=2 * size, label=f"{label}, held out", **edge)
    ax.set(xlim=across[[0, -1]], ylim=up[[0, -1]], xlabel="x", ylabel="y")


def draw_surfaces(sheet, surfaces: dict[str, Arrays]) -> None:
    """Draw the surfaces after some steps, one row per method."""
    for row, (title, surface) in zip(sheet.subplots(len(surfaces), STILLS), surfaces.items(), strict=True):
        steps, n_test = surface["steps"], len(surface["y"]) - len(surface["train"])
        for ax, frame in zip(row, np.linspace(0, len(steps) - 1, STILLS).round().astype(int), strict=True):
            draw_surface(ax, surface, frame, 1.7)
            ax.set(title=f"step {steps[frame]:,}")
        row[0].set_title(f"{title}\nstep 1")
        row[-1].set_title(f"step {steps[-1]:,}\nright on {surface['right']} of {n_test}")
    sheet.legend(*row[-1].get_legend_handles_labels(), loc="outside lower center", ncols=4)


def animated_gif(surface: Arrays, title: str, sheet) -> bytes:
    """Draw every frame, and return them as a GIF."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    canvas, ax, frames = FigureCanvasAgg(sheet), sheet.subplots(), []
    for frame, n_steps in enumerate(surface["steps"]):
        ax.clear()
        draw_surface(ax, surface, frame, 2)
        ax.set(title=f"{title}\nstep {n_steps:,}")
        canvas.draw()
        sheet.set_layout_engine("none")  # all frames have the layout of the first, because layouts take long
        frames.append(Image.fromarray(np.array(canvas.buffer_rgba())[..., :3]))
    palette = frames[-1].quantize(GIF_COLOURS)
    first, *others = (frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames)
    content, times = BytesIO(), [PACE] * len(others) + [PAUSE]
    first.save(content, "GIF", save_all=True, append_images=others, duration=times, loop=0, optimize=True)
    return content.getvalue()


def draw_rows(sheet, rows: Sequence[str]) -> None:
    """Write the first rows."""
    sheet.text(0.01, 0.95, "\n".join(rows), family="monospace", fontsize=8, va="top", linespacing=1.6)


def draw_texts(sheet, runs: Runs) -> None:
    """Draw how many texts each label has, and how long they are."""
    left, right = sheet.subplots(1, 2, width_ratios=(1, 3))
    for label, colour in ("neg", VERMILION), ("pos", BLUE):
        lengths = runs["lengths", "texts", "", label]["value"][0]
        left.bar_label(left.bar(label, len(lengths), color=colour), [f"{len(lengths):,}"])
        words = f"{label}, median {np.median(lengths):.0f} words"
        shares = 100 * np.histogram(lengths, BINS)[0] / len(lengths)
        right.stairs(shares, BINS, color=colour, label=words, linewidth=1.5)
    left.set(ylabel="texts", title="labels", ymargin=0.1)
    left.yaxis.set_major_formatter("{x:,.0f}")
    right.set(title="lengths", xlabel="words (log scale)", xscale="log", ylabel="% of the label's texts")
    right.legend()


def draw_classifiers(sheet, runs: Runs) -> None:
    """Draw the accuracy and the time of each classifier, one row each."""
    left, right = sheet.subplots(1, 2, sharey=True, width_ratios=(3, 2))
    for row, name in enumerate(NAMES):
        colour = BLUE if name in CLASSIFIERS else GREEN
        is_right, seconds = 1 - of_texts(runs, name), of_texts(runs, name, "seconds")
        value, low, high = over_rows(is_right)
        left.errorbar(value, row, xerr=[[value - low], [high - value]], fmt="o", color=colour)
        left.annotate(f"{value:.3f}", (value, row), (0, 5), textcoords="offset points", ha="center")
        right.plot(np.median(seconds), row, "o", color=colour)
        for ax, values in (left, is_right), (right, seconds):
            ax.plot(values, np.full(len(values), row + 0.25), "o", color="0.25", alpha=0.4, ms=2.5, mew=0)
    left.set(yticks=range(len(NAMES)), yticklabels=NAMES, ylim=(len(NAMES) - 0.5, -0.7))
    left.set(xlabel="accuracy on the texts held out", title="mean with its 95 % interval")
    right.set(xlabel="CPU seconds from texts to a model\n(log scale)", xscale="log", title="median")


def draw_words(sheet, runs: Runs) -> None:
    """Draw the top words of the article's three classifiers."""
    top = runs.select("top words", "texts")
    for ax, name in zip(sheet.subplots(1, len(CLASSIFIERS)), CLASSIFIERS, strict=True):
        words = {key.setting: each["value"][0, 0] for key, each in top.items() if key.solver == name}
        colours = [BLUE if weight > 0 else VERMILION for weight in words.values()]
        ax.barh(range(len(words)), [*words.values()], color=colours)
        ax.set(yticks=range(len(words)), yticklabels=words, ylim=(len(words) - 0.5, -0.5))
        ax.set(title=name, xlabel="weight: positive above 0")


def accuracy_table(runs: Runs) -> Table:
    """Return accuracies and times on texts."""
    rows = []
    for name in NAMES:
        is_right, seconds = 1 - of_texts(runs, name), np.median(of_texts(runs, name, "seconds"))
        python = np.median(of_texts(runs, name, "seconds", PYTHON)) if name in CLASSIFIERS else None
        found = is_right[0], over_rows(is_right), is_right.min(), is_right.max()
        rows.append((name, *found, seconds, python))
    header = "classifier", "first split", "accuracy", "worst", "best", "CPU s"
    return Table("accuracies", (*header, f"CPU s of {PYTHON}"), rows)
