"""The article's three classifiers of texts: how they compare, lambda, words, lengths, the vocabulary."""

import warnings
from dataclasses import dataclass, replace
from math import floor
from pathlib import Path

import numpy as np

from fastsvm.fitting import ConvergenceWarning, Pipeline

from ....common.errors import AppError
from ....common.folds import random_split
from ....sentiment.data.corpus import read_corpus
from ....sentiment.data.text_source import TextSource
from ....sentiment.jobs.corpus_description import CorpusDescription
from ....sentiment.learning import pipeline_steps
from ....sentiment.learning.alpha_choice import FoldPart
from ....sentiment.settings import Settings
from ...report.study_report import Context
from . import literal_classifiers, text_comparison
from .literal_classifiers import LITERAL
from .text_comparison import ARTICLE, Comparison

RUNS, FEW_RUNS = 10, 3  # splits
HOLDOUT = 0.2
ALPHAS = np.array(
    [0.001, 0.002, 0.005, 0.01, 0.015, 0.02, 0.05, 0.1, 0.2]
)  # the article's .01, .015 among them
TUNED = ("pegasos-svm", "pegasos-logistic")
SHARES = np.array([1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1])  # of the texts, for the growth of the vocabulary
ORDERS = 10  # in which texts come for it
FIRST_ROWS = 5
WORDS = 15  # for each label

ARTICLES_TEXTS, ARTICLES_COLUMNS = 11_914, 51_063
ARTICLES_TRAINING = floor((1 - HOLDOUT) * ARTICLES_TEXTS)


@dataclass(frozen=True)
class Corpus:
    """The texts of the study; `source` None: there are none, `why` says so.

    `is_articles` tells whether they are of the article's corpus.
    """

    source: TextSource | None
    is_articles: bool = False
    why: str = ""


@dataclass(frozen=True)
class TextFindings:
    """All that was found of a corpus.

    Attributes
    ----------
    corpus : Corpus
    description : CorpusDescription
    first : list of (str, str)
        Labels and texts.
    trained : dict of str to Pipeline
        The article's classifiers on its own split.
    comparison : Comparison
    accuracies : ndarray of shape (len(TUNED), len(ALPHAS), n_runs)
        At each lambda of `ALPHAS`.
    chosen : ndarray of shape (len(TUNED), n_runs)
        The lambda chosen on a fifth of the training texts.
    of_chosen : ndarray of shape (len(TUNED), n_runs)
        Its accuracy on the texts held out.
    sizes : ndarray of int
        Texts in which different words were counted.
    columns : ndarray of shape (ORDERS, len(sizes))
        How many there are in the first of the texts, in each order of them.
    """

    corpus: Corpus
    description: CorpusDescription
    first: list[tuple[str, str]]
    trained: dict[str, Pipeline]
    comparison: Comparison
    accuracies: np.ndarray
    chosen: np.ndarray
    of_chosen: np.ndarray
    sizes: np.ndarray
    columns: np.ndarray


def find(data: str | None) -> Corpus:
    """Return the article's corpus from the folder; without a folder, the generated reviews of the sources."""
    if data is not None:
        path = Path(data, "sentiment.txt")
        if path.is_file():
            return Corpus(TextSource(str(path)), is_articles=True)
        return Corpus(None, why="The folder of the data has no sentiment.txt.")
    *_, apps, sources = Path(__file__).resolve().parents[:5]
    for path in apps / "samples" / "reviews.txt", sources / "data" / "reviews.txt":
        if path.is_file():  # of an installed package, or of the sources
            return Corpus(TextSource(str(path)))
    return Corpus(None, why="There are no samples beside the package; give --data.")


def run(context: Context, corpus: Corpus) -> TextFindings | None:
    """Do all that is done with texts; None without any."""
    source = corpus.source
    if source is None:
        return None
    runs = context.runs or (FEW_RUNS if context.quick else RUNS)
    key = {"corpus": np.frombuffer(Path(source.path).read_bytes(), np.uint8), "seed": context.seed}
    with context.stage("texts: describe"):
        description = CorpusDescription(read_corpus(source))
        _check_study_labels(source, description)
        texts, settings = literal_classifiers.read(source, replace(LITERAL, seed=context.seed))
    with context.stage("texts: compare", total=1) as advance:
        known = context.part(
            "classifiers", lambda: text_comparison.compare(source, runs, settings), runs=runs, **key
        )
        advance()
    with context.stage("texts: tune lambda", total=runs) as advance:
        counted = pipeline_steps.count_terms(texts.texts, pipeline_steps.vectorizer(settings))
        y = np.asarray(texts.labels)
        tuned = context.part(
            "lambda", lambda: tune(counted, y, settings, runs, advance), runs=runs, alphas=ALPHAS, **key
        )
    with context.stage("texts: count words"):
        growth = context.part(
            "words", lambda: grow(counted, context.seed), orders=ORDERS, shares=SHARES, **key
        )
    with context.stage("texts: train", total=len(ARTICLE)) as advance:
        (train, y_train), _ = literal_classifiers.split_texts(
            texts.texts, texts.labels, HOLDOUT, context.seed
        )
        trained = {}
        for name in ARTICLE:
            as_article = replace(settings, classifier=name)
            with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
                trained[name] = literal_classifiers.fit(train, y_train, as_article).model
            advance()
    return TextFindings(
        corpus,
        description,
        list(zip(texts.labels, texts.texts, strict=True))[:FIRST_ROWS],
        trained,
        Comparison(**known),
        **tuned,
        **growth,
    )


def _check_study_labels(source: TextSource, description: CorpusDescription) -> None:
    found = sorted(description.label_counts)
    if found != ["neg", "pos"]:
        raise AppError(f"{source.path}: has the labels {', '.join(found[:20])}, and the article neg and pos")


def tune(X, y: np.ndarray, settings: Settings, runs: int, advance) -> dict[str, np.ndarray]:
    """Try every lambda on the texts held out, and on a fifth of the training texts to choose one of them.

    Parameters
    ----------
    X : CSR matrix of shape (n_texts, n_words)
        Counts of all texts.
    y : ndarray of str, shape (n_texts,)
    settings : Settings
        The first seed among them.
    runs : int
    advance : callable
        Called after each run.

    Returns
    -------
    dict of ndarray
        `accuracies`, `chosen` and `of_chosen` of `TextFindings`.
    """
    labels, codes = np.unique(y, return_inverse=True)
    outer = np.empty((len(TUNED), len(ALPHAS), runs))
    inner = np.empty_like(outer)
    for run in range(runs):
        seed = settings.seed + run
        train, test = random_split(len(y), HOLDOUT, seed)
        kept, tried = (train[part] for part in random_split(len(train), HOLDOUT, seed))
        for fold, table in (((train, test), outer), ((kept, tried), inner)):
            part = FoldPart(X, codes, labels, fold, pipeline_steps.selection(settings))
            for k, name in enumerate(TUNED):
                for a, alpha in enumerate(ALPHAS.tolist()):
                    model = pipeline_steps.classifier(
                        replace(settings, classifier=name, alpha=alpha, seed=seed)
                    )
                    model.fit(part.X, part.y)
                    table[k, a, run] = np.mean(model.predict(part.X_test) == part.y_test)
        advance()
    best = inner.argmax(axis=1)
    of_chosen = np.take_along_axis(outer, best[:, None], axis=1)[:, 0]
    return {"accuracies": outer, "chosen": ALPHAS[best], "of_chosen": of_chosen}


def grow(X, seed: int) -> dict[str, np.ndarray]:
    """Return how many columns are not empty in the first texts, in `ORDERS` random orders of them."""
    n, random = X.shape[0], np.random.default_rng(seed)
    sizes = np.maximum((SHARES * n).astype(int), 1)
    rows = np.repeat(np.arange(n), np.diff(X.indptr))
    columns = np.empty((ORDERS, len(sizes)), int)
    for order in range(ORDERS):
        first = np.full(X.shape[1], n)
        np.minimum.at(first, X.indices, random.permutation(n)[rows])
        columns[order] = np.searchsorted(np.sort(first), sizes)
    return {"sizes": sizes, "columns": columns}


def expected_columns(sizes: np.ndarray, columns: np.ndarray, n: int) -> tuple[float, float]:
    """Return between how many columns n texts should have, where there are more of them than were counted.

    Each doubling of the texts multiplies the columns by a factor that falls. The most: it stays what it was
    in the last doubling; the fewest: its logarithm goes on falling as it did there. Over the orders, the
    least of the fewest and the largest of the most.
    """
    logs = np.log2(columns[:, -3:])
    doublings = np.log2(n / sizes[-1])
    before, last = np.diff(logs, axis=1).T
    most = logs[:, -1] + last * doublings
    fewest = most - (before - last) * doublings * (doublings + 1) / 2
    return float(2 ** fewest.min()), float(2 ** most.max())
