"""The article on Pegasos, on texts: how its three classifiers compare, lambda, words, the vocabulary.

The rules of the verdicts:

- A classifier does well where its interval lies above what always guessing one label gets.
- Two are comparable where the interval of their paired difference lies within `ALIKE`; times, where that of
  their ratio lies between 1 / `TIMES_ALIKE` and `TIMES_ALIKE`.
- One is better than another where the interval of the paired difference lies above 0.
- A share is even where its interval lies within `EVEN` of one half.
"""

import warnings
from dataclasses import replace
from functools import partial
from itertools import combinations
from math import floor
from pathlib import Path
from time import process_time

import numpy as np

from fastsvm.fitting import ConvergenceWarning

from ...common.errors import AppError
from ...common.folds import random_split
from ...common.html_pages import shorten
from ...common.matplotlib_figures import OKABE_ITO
from ...common.printing import shortened
from ...common.statistics import wilson_interval
from ...sentiment.data.corpus import read_corpus
from ...sentiment.data.text_labels import TextLabels
from ...sentiment.data.text_source import TextSource
from ...sentiment.jobs.corpus_description import CorpusDescription
from ...sentiment.learning import pipeline_steps
from ...sentiment.learning.alpha_choice import FoldPart
from ...sentiment.learning.learned_model import CountedTexts
from ...sentiment.learning.recipe_choice import choose_recipe
from ...sentiment.measures.metrics import score_decision
from ...sentiment.measures.term_effects import shown_term, top_words
from ...sentiment.output.top_words_output import draw_top_words, size_of_top_words
from ...sentiment.settings import Settings, recipe_settings
from ...sentiment.text_recipes import AUTO
from ..report import charts
from ..report.charts import BLUE, GREEN, VERMILION
from ..report.claim_judging import Statistic, above, inside, judge, mean, meets, over_splits, spelled, within
from ..report.study_report import Advance, Arrays, Claim, Context, Figure, Report, Table, Verdict
from . import literal_classifiers
from .literal_classifiers import LITERAL, LiteralSettings

LabelledTexts = tuple[list[str], TextLabels]

RUNS, FEW_RUNS = 10, 3  # splits
HOLDOUT = 0.2
ALPHAS = np.array(
    [0.001, 0.002, 0.005, 0.01, 0.015, 0.02, 0.05, 0.1, 0.2]
)  # the article's .01, .015 among them
SHARES = np.array([1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1])  # of the texts, for the growth of the vocabulary
ORDERS = 10  # in which texts come for it
FIRST_ROWS, SHOWN = 5, 90  # characters of a text
WORDS = 15  # for each label

# In the order of the article that this study redoes.
NAMES = {"perceptron": "perceptron", "pegasos-svm": "Pegasos SVM", "pegasos-logistic": "Pegasos logistic"}
ARTICLE = tuple(NAMES)
TO_THE_LETTER = "-literal"
LAMBDAS = {"pegasos-svm": 0.015, "pegasos-logistic": 0.01}
TUNED = tuple(LAMBDAS)
ARTICLES_TEXTS, ARTICLES_COLUMNS = 11_914, 51_063
ARTICLES_TRAINING = floor((1 - HOLDOUT) * ARTICLES_TEXTS)

ALIKE, TIMES_ALIKE, EVEN = 0.05, 2.0, 0.05
SIGNED = spelled("+.3f")
PICTURE = "a picture; the text has no number"
CLAIMS = {
    **{name: (f"The {said} classifies unseen texts well", PICTURE) for name, said in NAMES.items()},
    "alike": ("The three are about as accurate as each other", PICTURE),
    "times": ("The three take about the same time to train", PICTURE),
    **{
        f"tuned {name}": (f"Tuning lambda improves the accuracy of the {NAMES[name]}", "no number")
        for name in TUNED
    },
    "tfidf": ("Tf-idf features improve the accuracy", "no number"),
    "columns": (f"The bag of words has {ARTICLES_COLUMNS:,} columns", f"{ARTICLES_COLUMNS:,}"),
    "even": ("There are as many positive texts as negative ones", PICTURE),
    "lengths": ("Positive and negative texts are about as long", PICTURE),
}


def add_texts(report: Report, context: Context) -> None:
    """Do all that is done with texts."""
    source, is_articles = find_texts(context.data), context.data is not None
    if isinstance(source, str):
        report.data = source
        report.claims = [Claim(*words, "", Verdict.UNTESTED, source) for words in CLAIMS.values()]
        return
    runs = context.runs or (FEW_RUNS if context.quick else RUNS)
    key = {"corpus": np.frombuffer(Path(source.path).read_bytes(), np.uint8), "seed": context.seed}
    description = CorpusDescription(read_corpus(source))
    found = sorted(description.label_counts)
    if found != ["neg", "pos"]:
        wrong = ", ".join(found[:20])
        raise AppError(f"{source.path}: has the labels {wrong}, and the article neg and pos")
    texts, settings = literal_classifiers.read(source, replace(LITERAL, seed=context.seed))
    compute = partial(compare_classifiers, source, runs, settings)
    known = context.part("classifiers", compute, total=runs, runs=runs, **key)
    counted = pipeline_steps.count_terms(texts.texts, pipeline_steps.vectorizer(settings))
    compute = partial(tune, counted, texts.labels, settings, runs)
    tuned = context.part("lambda", compute, total=runs, runs=runs, alphas=ALPHAS, **key)
    compute = partial(grow, counted, context.seed)
    growth = context.part("words", compute, total=ORDERS, orders=ORDERS, shares=SHARES, **key)
    train, _ = literal_classifiers.split_texts(texts.texts, texts.labels, HOLDOUT, context.seed)
    words = {}
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        for name in ARTICLE:
            model = literal_classifiers.fit(*train, replace(settings, classifier=name)).model
            words[name] = top_words(model, WORDS)
    whose = f"of the article's {ARTICLES_TEXTS:,}" if is_articles else "that are generated"
    report.data = f"{description.n_texts:,} reviews {whose}."
    report.settings |= {
        "splits": f"{runs} into {known['sizes'][0]:,} and {known['sizes'][1]:,}, as train_test_split",
        "features": "counts of single words, the best 5,000 by the F statistic of the training texts",
        "to the letter": "rows with replacement, 10 steps a text, last iterate, no intercept",
        "lambda": ", ".join(f"{alpha:g} ({name})" for name, alpha in LAMBDAS.items()),
        "default": f"what train makes by default; recipe chosen on the first split: {known['recipe']}",
    }
    others = "" if is_articles else " On generated reviews, not on the article's."
    why = "It is about the article's texts, and these are generated reviews."
    report.claims = [
        *(replace(claim, why=claim.why + others) for claim in classifier_claims(known, tuned)),
        *(corpus_claims(description, growth) if is_articles else [
            Claim(*CLAIMS[name], "", Verdict.UNTESTED, why) for name in ("columns", "even", "lengths")
        ]),
    ]  # fmt: skip
    report.figures = text_figures(known, tuned, growth, description, words, is_articles)
    first = list(zip(texts.labels.spelled, texts.texts, strict=True))[:FIRST_ROWS]
    report.tables = text_tables(known, tuned, description, words, first)


def find_texts(data: str | None) -> TextSource | str:
    """Return the article's corpus from the folder, or generated reviews; or why there are none."""
    if data is not None:
        path = Path(data, "sentiment.txt")
        return TextSource(str(path)) if path.is_file() else "The folder of the data has no sentiment.txt."
    *_, apps, sources = Path(__file__).resolve().parents[:4]
    for path in apps / "samples" / "reviews.txt", sources / "data" / "reviews.txt":
        if path.is_file():  # of an installed package, or of the sources
            return TextSource(str(path))
    return "There are no samples beside the package; give --data."


# Experiments


def contenders(settings: Settings, recipe: str) -> dict[str, Settings]:
    """Return how each is trained: by default, as a plain logistic regression, and as in the article.

    Parameters
    ----------
    settings : LiteralSettings
        Of the article's classifiers, which are there twice, with averages and to the letter. The others share
        the seed, the metric and how texts are cut.
    recipe : str
        That of the default.
    """
    same = {name: getattr(settings, name) for name in ("tokens", "markup", "seed", "metric")}
    plain = Settings("sdca-logistic", "tfidf", ngrams=(1, 1), min_df=1, **same)
    found = {"default": recipe_settings(recipe, **same), "logistic-regression": plain}
    averaged = Settings(**vars(settings))
    for suffix, made in ("", averaged), (TO_THE_LETTER, settings):
        found |= {f"{name}{suffix}": replace(made, classifier=name) for name in ARTICLE}
    return found


def compare_classifiers(source: TextSource, runs: int, settings: Settings, advance: Advance) -> Arrays:
    """Train and try each of the contenders on the same splits.

    Run number `i` has the article's split by `seed + i`. Whatever is learned, terms, weights and alpha, is
    learned from the training part of a split; the recipe of the default, from that of the first.

    Returns
    -------
    dict
        names : (contenders,). accuracies, seconds : (contenders, runs), on the texts held out, and CPU from
        texts to a model. sizes : texts to train on, and to test on. majority : what always guessing the most
        frequent label would get right. recipe : which train chose by default, on the first split.
    """
    corpus, settings = literal_classifiers.read(source, settings)
    seeds = range(settings.seed, settings.seed + runs)
    texts, holdout = (corpus.texts, corpus.labels), settings.holdout
    train, _ = literal_classifiers.split_texts(*texts, holdout, seeds[0])
    recipe = choose_recipe(*train, contenders(settings, AUTO)["default"])[0].recipe
    made = contenders(settings, recipe)
    found = np.zeros((2, len(made), runs))
    # What the first training of a process pays for is nobody's.
    _run_contender(made[ARTICLE[-1]], train, train)
    for run, seed in enumerate(seeds):
        train, test = literal_classifiers.split_texts(*texts, holdout, seed)
        # Each classifier comes first in its turn: none is always the one that finds cold caches.
        for k in np.roll(np.arange(len(made)), -run):
            found[:, k, run] = _run_contender(replace([*made.values()][k], seed=seed), train, test)
        advance()
    counts = corpus.labels.label_counts.values()
    return {
        "names": np.array([*made]),
        "accuracies": found[0],
        "seconds": found[1],
        "sizes": np.array([len(train[0]), len(test[0])]),
        "majority": np.array(max(counts) / sum(counts)),
        "recipe": np.array(recipe),
    }


def _run_contender(settings: Settings, training: LabelledTexts, trial: LabelledTexts) -> tuple[float, float]:
    """Train and try a contender once; return its accuracy and its seconds."""
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        start = process_time()
        if isinstance(settings, LiteralSettings):
            model = literal_classifiers.fit(*training, settings).model
        else:
            model = CountedTexts.of(*training, settings).learn(settings).model
        seconds = process_time() - start
    decision = model.decision_function(trial[0])
    return score_decision("accuracy", trial[1], decision), seconds


def tune(X, y: TextLabels, settings: Settings, runs: int, advance: Advance) -> Arrays:
    """Try every lambda on the texts held out, and on a fifth of the training texts to choose one of them.

    Parameters
    ----------
    X : CSR matrix of shape (n_texts, n_words)
        Counts of all texts.
    y : TextLabels
    settings : Settings
        The first seed among them.
    runs : int
    advance : callable
        Called after each run.

    Returns
    -------
    dict
        accuracies : (tuned, alphas, runs). chosen, of_chosen : (tuned, runs), the lambda that was chosen, and
        its accuracy on the texts held out.
    """
    outer = np.empty((len(TUNED), len(ALPHAS), runs))
    inner = np.empty_like(outer)
    for run in range(runs):
        seed = settings.seed + run
        train, test = random_split(len(y), HOLDOUT, seed)
        kept, tried = (train[part] for part in random_split(len(train), HOLDOUT, seed))
        for fold, table in (((train, test), outer), ((kept, tried), inner)):
            part = FoldPart(X, y, fold, pipeline_steps.selection(settings))
            for k, name in enumerate(TUNED):
                for a, alpha in enumerate(ALPHAS.tolist()):
                    tried_settings = replace(settings, classifier=name, alpha=alpha, seed=seed)
                    model = pipeline_steps.classifier(tried_settings).fit(part.X, part.y.codes)
                    table[k, a, run] = np.mean(model.predict(part.X_test) == part.y_test.codes)
        advance()
    best = inner.argmax(axis=1)
    of_chosen = np.take_along_axis(outer, best[:, None], axis=1)[:, 0]
    return {"accuracies": outer, "chosen": ALPHAS[best], "of_chosen": of_chosen}


def grow(X, seed: int, advance: Advance) -> Arrays:
    """Return how many columns are not empty in the first texts, in `ORDERS` random orders of them.

    Returns
    -------
    dict
        sizes : (counts,), numbers of texts. columns : (orders, counts).
    """
    n, random = X.shape[0], np.random.default_rng(seed)
    sizes = np.maximum((SHARES * n).astype(int), 1)
    rows = np.repeat(np.arange(n), np.diff(X.indptr))
    columns = np.empty((ORDERS, len(sizes)), int)
    for order in range(ORDERS):
        first = np.full(X.shape[1], n)
        np.minimum.at(first, X.indices, random.permutation(n)[rows])
        columns[order] = np.searchsorted(np.sort(first), sizes)
        advance()
    return {"sizes": sizes, "columns": columns}


def expected_columns(growth: Arrays) -> tuple[float, float]:
    """Return between how many columns the article's texts should have, which are more than were counted.

    Each doubling of the texts multiplies the columns by a factor that falls. The most: it stays what it was
    in the last doubling; the fewest: its logarithm goes on falling as it did there. Over the orders, the
    least of the fewest and the largest of the most.
    """
    logs = np.log2(growth["columns"][:, -3:])
    doublings = np.log2(ARTICLES_TRAINING / growth["sizes"][-1])
    before, last = np.diff(logs, axis=1).T
    most = logs[:, -1] + last * doublings
    fewest = most - (before - last) * doublings * (doublings + 1) / 2
    return float(2 ** fewest.min()), float(2 ** most.max())


# Claims


def accuracies_of(known: Arrays, name: str) -> np.ndarray:
    """Return the accuracies of a contender."""
    return known["accuracies"][known["names"].tolist().index(name)]


def over_text_splits(known: Arrays, values: np.ndarray) -> Statistic:
    """Return the mean of accuracies, or of differences, with its interval within what is possible."""
    s = over_splits(values, tuple(known["sizes"]))
    return s._replace(low=max(s.low, -1.0), high=min(s.high, 1.0))


# fmt: off
def classifier_claims(known: Arrays, tuned: Arrays) -> list[Claim]:
    """Judge the claims that any corpus tests."""
    runs, majority = known["seconds"].shape[1], float(known["majority"])
    default = accuracies_of(known, "default").mean()
    letter = {name: accuracies_of(known, name + TO_THE_LETTER) for name in ARTICLE}
    names = known["names"].tolist()
    seconds = {name: np.maximum(known["seconds"][names.index(name + TO_THE_LETTER)], 1e-9)
               for name in ARTICLE}
    pairs = list(combinations(ARTICLE, 2))
    differences = {f"{NAMES[one]} less {NAMES[other]}": over_text_splits(known, letter[one] - letter[other])
                   for one, other in pairs}
    ratios = [mean(np.log(seconds[one] / seconds[other])) for one, other in pairs]
    span = Statistic(*np.exp((0.0, min(s.low for s in ratios), max(s.high for s in ratios))))
    return [
        *(judge(*CLAIMS[name], over_text_splits(known, values), above(majority),
                lambda s, values=values: f"{spelled('.3f')(s)}, worst {values.min():.3f}",
                why=f"Always guessing one label gets {majority:.3f}; what train makes by default gets "
                    f"{default:.3f} on the same {runs} splits.")
          for name, values in letter.items()),
        judge(*CLAIMS["alike"], differences, inside(-ALIKE, ALIKE),
              ours="; ".join(f"{pair} {SIGNED(s)}" for pair, s in differences.items()),
              why=f"Paired differences of {runs} splits."),
        judge(*CLAIMS["times"], span, within(1 / TIMES_ALIKE, TIMES_ALIKE),
              ours=", ".join(f"{NAMES[name]} {np.median(values):.2g} s" for name, values in seconds.items()),
              why="CPU seconds from texts to a model, as the article timed it. Their ratios lie within "
                  f"{span.low:.2f} to {span.high:.2f}."),
        *(judge(*CLAIMS[f"tuned {name}"], over_text_splits(known, of_chosen - letter[name]), above(0), SIGNED,
                why="Lambda chosen on a fifth of the training texts of each split, "
                    f"{np.median(chosen):g} in the middle, against the article's {LAMBDAS[name]:g}.")
          for name, chosen, of_chosen in zip(TUNED, tuned["chosen"], tuned["of_chosen"], strict=True)),
        judge(*CLAIMS["tfidf"],
              over_text_splits(known, accuracies_of(known, "logistic-regression")
                                      - letter["pegasos-logistic"]), above(0), SIGNED,
              why="A logistic regression at its optimum on tf-idf of all words, lambda chosen, against the "
                  "article's on counts."),
    ]


def corpus_claims(description: CorpusDescription, growth: Arrays) -> list[Claim]:
    """Judge the claims on the article's texts."""
    fewest, most = expected_columns(growth)
    counts = description.label_counts
    share = Statistic(0.5, *wilson_interval(counts["pos"], sum(counts.values())))
    codes = list(counts)
    lengths = {label: description.token_counts[description.labels.has(codes.index(label))]
               for label in ("pos", "neg")}
    middle, half = longer_share(lengths["pos"], lengths["neg"])
    longer = Statistic(middle, middle - half, middle + half)
    even = inside(0.5 - EVEN, 0.5 + EVEN)
    return [
        judge(*CLAIMS["columns"], Statistic(fewest, fewest, most), meets(ARTICLES_COLUMNS, ARTICLES_COLUMNS),
              ours=f"{int(growth['columns'][0, -1]):,} in {growth['sizes'][-1]:,} texts; {fewest:,.0f} to "
                   f"{most:,.0f} expected in {ARTICLES_TRAINING:,}",
              why="Of a part of its corpus; the growth of the last doublings is carried on to the texts it "
                  "trained on."),
        judge(*CLAIMS["even"], share, even,
              ours=", ".join(f"{count:,} {label}" for label, count in sorted(counts.items())),
              why=f"Of the texts, {share.low:.3f} to {share.high:.3f} are positive (95 %)."),
        judge(*CLAIMS["lengths"], longer, even,
              ours="medians in words: "
                   + ", ".join(f"{label} {np.median(values):.0f}" for label, values in lengths.items()),
              why=f"A positive text is longer than a negative one in {longer.low:.3f} to {longer.high:.3f} "
                  "of the pairs (95 %)."),
    ]
# fmt: on


def longer_share(one: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """Return in which share of the pairs a value of `one` is the larger, and half its 95 % interval.

    Equal ones count one half. The interval is DeLong's (1988) of an area under a curve.
    """
    below = (np.searchsorted(np.sort(other), one) + np.searchsorted(np.sort(other), one, "right")) / 2
    above = (np.searchsorted(np.sort(one), other) + np.searchsorted(np.sort(one), other, "right")) / 2
    of_one, of_other = below / len(other), 1 - above / len(one)
    variance = of_one.var(ddof=1) / len(one) + of_other.var(ddof=1) / len(other)
    return float(of_one.mean()), 1.959964 * float(variance) ** 0.5


# Figures


# fmt: off
def text_figures(known, tuned, growth, description, words, is_articles: bool) -> list[Figure]:
    """Return the figures."""
    return [
        Figure("classifiers", "How accurate the classifiers are, and how long they take",
               "The article's three as averages and to the letter, and two others for scale. The middle "
               "panel has paired differences.",
               partial(_draw_classifiers, known=known), (11.0, 2.2 + 0.5 * len(known["names"])),
               source="figures f41 to f43"),
        Figure("lambda", "What lambda does", "Mean accuracy over the splits.",
               partial(_draw_lambdas, accuracies=tuned["accuracies"])),
        Figure("lengths", "How long the texts are", "Shares of each label's texts.",
               partial(_draw_lengths, description=description), (10.0, 4.6), source="figure f38"),
        Figure("labels", "How many texts have each label", "Texts of the corpus.",
               partial(_draw_labels, counts=description.label_counts), (5.0, 2.2), source="figure f39"),
        Figure("columns", "How the bag of words grows",
               "Different words in the first texts, in ten random orders of them; beyond the corpus, what "
               "the last doublings lead to.",
               partial(_draw_growth, growth=growth, is_articles=is_articles)),
        *(Figure(f"words-{name}", f"Top words of the {NAMES[name]}",
                 "The highest and the lowest weights of the model to the letter, on the article's split.",
                 partial(draw_top_words, words=found), size_of_top_words(found), source="figures f41 to f43")
          for name, found in words.items()),
    ]
# fmt: on


def _draw_classifiers(sheet, known: Arrays) -> None:
    """Draw how accurate each classifier is, how far behind the best, and how long it takes, a row each."""
    left, middle, right = sheet.subplots(1, 3, sharey=True, width_ratios=(3, 3, 2))
    n = known["seconds"].shape[1]
    best = known["accuracies"][known["accuracies"].mean(axis=1).argmax()]
    accuracies = [over_text_splits(known, values) for values in known["accuracies"]]
    behind = [over_text_splits(known, best - values) for values in known["accuracies"]]
    medians = np.median(known["seconds"], axis=1)
    for ax, table in (left, known["accuracies"]), (right, known["seconds"]):
        for row, values in enumerate(table):  # single runs below a row, so that equal ones can be told apart
            places, label = row + 0.18 + np.linspace(0, 0.14, n), "" if row else "single splits"
            ax.plot(values, places, "o", color="0.25", label=label, alpha=0.5, ms=3, markeredgewidth=0)
    notes = [f"{s.value:.3f}" for s in accuracies]
    charts.draw_dots(left, accuracies, GREEN, "mean, or median time", notes=notes)
    charts.name_rows(left, known["names"].tolist())
    left.set(xlabel="accuracy on the held-out texts", title=f"mean of {n} splits, 95 % interval")
    charts.draw_dots(middle, behind, GREEN, notes=[f"{s.value:.3f}" if s.value else "best" for s in behind])
    middle.axvline(0, color="0.3")
    middle.set(xlabel="accuracy that the best one has more", xmargin=0.08)
    middle.set(title="on the same splits, 95 % interval")
    times = [(value, value, value) for value in medians]
    charts.draw_dots(right, times, GREEN, notes=[f"{value:.2g} s" for value in medians])
    ends = known["seconds"].min() / 2, 2 * medians.max()
    right.set(xlabel="CPU seconds from texts\nto a model (log scale)", xscale="log", xlim=ends)
    right.set(title=f"median of {n} splits")
    charts.legend_below(sheet, 2)


def _draw_lambdas(sheet, accuracies: np.ndarray) -> None:
    ax = sheet.subplots()
    for name, colour, table in zip(TUNED, (BLUE, VERMILION), accuracies, strict=True):
        band = np.stack([table.mean(axis=1), table.min(axis=1), table.max(axis=1)], axis=1)
        charts.draw_band(ax, ALPHAS, band, colour, NAMES[name], "o-")
        label = f"{NAMES[name]}, the article's lambda"
        ax.axvline(LAMBDAS[name], color=colour, linestyle="--", label=label)
    charts.name_band(ax, "worst to best split")
    ax.set(xscale="log", xlabel="lambda (log scale)", ylabel="accuracy on held-out texts")
    ax.set(title="accuracy by lambda")
    ax.legend()


def _draw_lengths(sheet, description: CorpusDescription) -> None:
    """Draw how often lengths occur, as many bins as Rice's rule has, on a log scale."""
    counts = description.label_counts
    lengths = (description.token_counts, description.unit), (description.character_counts, "characters")
    for ax, (values, unit) in zip(sheet.subplots(1, 2), lengths, strict=True):
        some = values[values > 0]
        bins = 2 * (len(values) / len(counts)) ** (1 / 3)
        edges = np.unique(np.geomspace(some.min(), some.max() + 1, max(int(bins), 5)).round()) - 0.5
        for number, (label, colour) in enumerate(zip(counts, OKABE_ITO.values(), strict=False)):
            own = values[description.labels.has(number)]  # labels go by their frequency
            shares = 100 * np.histogram(own, edges)[0] / len(own) / np.diff(np.log2(edges))
            name = f"“{shortened(label, 30)}” ({counts[label]:,} texts)"
            ax.plot(edges, [*shares, shares[-1]], color=colour, label=name, drawstyle="steps-post")
        without = len(values) - len(some)
        left_out = f"\n({without:,} texts have none and are left out)" if without else ""
        ax.set(title=f"length in {unit}", xlabel=f"length in {unit} (log scale){left_out}", xscale="log")
        ax.set(ylabel="% of the label's texts\nbetween a length and twice that length", ylim=(0, None))
    charts.legend_below(sheet, len(counts))


def _draw_labels(sheet, counts: dict[str, int]) -> None:
    ax, colours = sheet.subplots(), [*OKABE_ITO.values()][: len(counts)]
    bars = ax.barh([*counts], [*counts.values()], color=colours)
    ax.bar_label(bars, [f"{count:,}" for count in counts.values()], fontsize=8, padding=2)
    ax.set(title="texts of each label", xlabel="texts", xlim=(0, 1.15 * max(counts.values())))


def _draw_growth(sheet, growth: Arrays, is_articles: bool) -> None:
    ax, (sizes, columns) = sheet.subplots(), (growth["sizes"], growth["columns"])
    for order, values in enumerate(columns):
        ax.plot(sizes, values, color=BLUE, alpha=0.3, label="" if order else "one order of the texts")
    ax.plot(sizes, columns.mean(axis=0), "o", color=BLUE, label="mean of ten orders")
    if is_articles:
        n = ARTICLES_TRAINING
        ax.plot((n, n), expected_columns(growth), "_-", color=GREEN, label="expected", markersize=10)
        ax.plot(n, ARTICLES_COLUMNS, "x", color=VERMILION, label="the article's", markersize=10)
    ax.set(xlabel="texts (log scale)", ylabel="different words (log scale)", **charts.LOG_LOG)
    ax.set(title="different words by texts")
    ax.legend()


# Tables


# fmt: off
def text_tables(known, tuned, description, words, first: list[tuple[str, str]]) -> list[Table]:
    """Return the tables of the corpus; `first` has labels and texts of its first rows."""
    lengths = "mean", "quartile_1", "median", "quartile_3", "maximum"
    best = known["accuracies"][known["accuracies"].mean(axis=1).argmax()]
    return [
        Table("classifiers", "Accuracy and time",
              "Means over the splits with 95 % intervals (Nadeau and Bengio's); the first split is the "
              "article's. CPU seconds from texts to a model, the median.",
              ("classifier", "first split", "accuracy", "low", "high", "worst", "best", "behind best",
               "behind, low", "behind, high", "CPU s"),
              [[str(name), of[0], *over_text_splits(known, of), of.min(), of.max(),
                *over_text_splits(known, best - of), np.median(seconds)]
               for name, of, seconds in zip(*(known[key] for key in ("names", "accuracies", "seconds")),
                                            strict=True)],
              source="figures f41 to f43"),
        Table("first-rows", "The first rows of the corpus", "Label and the beginning of the text.",
              ("label", "text"), [[label, shorten(text, SHOWN)] for label, text in first],
              source="figure f37"),
        Table("lengths", "Lengths in words, by label", "Of all texts of the corpus.",
              ("label", "texts", "mean", "25 %", "median", "75 %", "most"),
              [[part["label"] or "all", part["n_texts"], *(part["tokens"][name] for name in lengths)]
               for part in description.lengths],
              source="figures f38, f39"),
        Table("words", "Top words", "Weights of the models to the letter, on the article's split.",
              ("classifier", "label", "word", "weight"),
              [[NAMES[name], label, shown_term(word), weight]
               for name, of in words.items() for label, found in of.items() for word, weight in found],
              shown=False, source="figures f41 to f43"),
        Table("lambda", "Accuracy by lambda", "Over the splits; to the letter but for lambda.",
              ("classifier", "lambda", "accuracy", "worst", "best"),
              [[NAMES[name], alpha, *map(float, (row.mean(), row.min(), row.max()))]
               for name, table in zip(TUNED, tuned["accuracies"], strict=True)
               for alpha, row in zip(ALPHAS.tolist(), table, strict=True)],
              shown=False),
    ]
# fmt: on
