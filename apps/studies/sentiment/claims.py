"""What the article says, and what was measured of it: the rules of the verdicts.

- A classifier does well where its interval lies above what always guessing one label gets.
- Two are comparable where the interval of their paired difference lies within `ALIKE`; times, where that of
  their ratio lies between 1 / `TIMES_ALIKE` and `TIMES_ALIKE`.
- One is better than another where the interval of the paired difference lies above 0.
- A share is even where its interval lies within `EVEN` of one half.
"""

from itertools import combinations

import numpy as np

from ...common.statistics import mean_interval, resampled_interval, wilson_interval
from ..frame.deciding import Interval, decided
from ..frame.report import Claim, Verdict
from .comparison import ARTICLE, TO_THE_LETTER, Comparison, Runs
from .texts import ARTICLES_COLUMNS, ARTICLES_TRAINING, TUNED, Corpus, Found, expected_columns

ALIKE, TIMES_ALIKE, EVEN = 0.05, 2.0, 0.05
LAMBDAS = {"pegasos-svm": 0.015, "pegasos-logistic": 0.01}
NAMES = {"perceptron": "perceptron", "pegasos-svm": "Pegasos SVM", "pegasos-logistic": "Pegasos logistic"}
_WEIGHT = (Verdict.HELD, Verdict.UNTESTED, Verdict.NOT_HELD)  # of several verdicts the last decides
PICTURE = "a picture; the text has no number"


def of_texts(corpus: Corpus, found: Found | None) -> list[Claim]:
    """Return the claims on the corpus."""
    if found is None:
        return [Claim(words, theirs, "", Verdict.UNTESTED, corpus.why) for words, theirs in _WORDS.values()]
    known = found.comparison
    others = "" if corpus.is_articles else " On generated reviews, not on the article's."
    claims = [_does_well(known, name, others) for name in ARTICLE]
    claims += [_alike(known, others), _times_alike(known, others)]
    claims += [_tuned(found, name, others) for name in TUNED]
    claims += [_tfidf(known, others)]
    if not corpus.is_articles:
        why = "It is about the article's texts, and these are generated reviews."
        of_data = ("columns", "even", "lengths")
        return [*claims, *(Claim(*_WORDS[key], "", Verdict.UNTESTED, why) for key in of_data)]
    return [*claims, _columns(found), _even(found), _lengths(found)]


_WORDS = {
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


def _does_well(known: Comparison, name: str, others: str) -> Claim:
    accuracies = _of(known, name + TO_THE_LETTER)
    interval = _interval(known, accuracies)
    verdict, unsure = decided(interval, (known.majority, np.inf), len(known.seeds))
    why = (
        f"Always guessing one label gets {known.majority:.3f}; what train makes by default gets "
        f"{_of(known, 'default').mean():.3f} on the same {len(known.seeds)} splits.{unsure}{others}"
    )
    ours = f"{accuracies.mean():.3f} ({interval[0]:.3f} to {interval[1]:.3f}), worst {accuracies.min():.3f}"
    return Claim(*_WORDS[name], ours, verdict, why)


def _alike(known: Comparison, others: str) -> Claim:
    verdicts, ours, runs = [], [], len(known.seeds)
    for one, other in combinations(ARTICLE, 2):
        difference = _of(known, one + TO_THE_LETTER) - _of(known, other + TO_THE_LETTER)
        interval = _interval(known, difference)
        verdicts.append(decided(interval, (-ALIKE, ALIKE), runs))
        ours.append(f"{NAMES[one]} less {NAMES[other]} {signed(difference.mean(), interval)}")
    verdict, unsure = max(verdicts, key=lambda each: _WEIGHT.index(each[0]))
    why = f"Paired differences of {runs} splits; alike is within {ALIKE:g}.{unsure}{others}"
    return Claim(*_WORDS["alike"], "; ".join(ours), verdict, why)


def _times_alike(known: Comparison, others: str) -> Claim:
    seconds = {name: np.maximum(_runs(known, name + TO_THE_LETTER).seconds, 1e-9) for name in ARTICLE}
    ratios = [np.log(seconds[one] / seconds[other]) for one, other in combinations(ARTICLE, 2)]
    intervals = [mean_interval(ratio.tolist()) for ratio in ratios]
    span = float(np.min(intervals)), float(np.max(intervals))
    verdict, unsure = decided(span, (-np.log(TIMES_ALIKE), np.log(TIMES_ALIKE)), len(known.seeds))
    medians = ", ".join(f"{NAMES[name]} {np.median(seconds[name]):.2g} s" for name in ARTICLE)
    why = (
        f"CPU seconds from texts to a model, as the article timed it. Their ratios lie within "
        f"{np.exp(span[0]):.2f} to {np.exp(span[1]):.2f}, and alike is within a factor of {TIMES_ALIKE:g}."
        f"{unsure}{others}"
    )
    return Claim(*_WORDS["times"], medians, verdict, why)


def _tuned(found: Found, name: str, others: str) -> Claim:
    tuning, k = found.tuning, TUNED.index(name)
    why = (
        f"Lambda chosen on a fifth of the training texts of each split, {np.median(tuning.chosen[k]):g} in "
        f"the middle, against the article's {LAMBDAS[name]:g}."
    )
    return _gain(found.comparison, f"tuned {name}", name, tuning.of_chosen[k], why, others)


def _tfidf(known: Comparison, others: str) -> Claim:
    why = (
        "A logistic regression at its optimum on tf-idf of all words, lambda chosen, against the article's "
        "on counts."
    )
    return _gain(known, "tfidf", "pegasos-logistic", _of(known, "logistic-regression"), why, others)


def _gain(known: Comparison, key: str, name: str, accuracies: np.ndarray, why: str, others: str) -> Claim:
    """Judge whether these accuracies are better than the article's."""
    gain = accuracies - _of(known, name + TO_THE_LETTER)
    interval = _interval(known, gain)
    verdict, unsure = decided(interval, (0.0, np.inf), len(known.seeds))
    return Claim(*_WORDS[key], signed(gain.mean(), interval), verdict, f"{why}{unsure}{others}")


def _columns(found: Found) -> Claim:
    growth = found.growth
    fewest, most = expected_columns(growth, ARTICLES_TRAINING)
    seen = int(growth.columns[0, -1])
    ours = f"{seen:,} in {growth.sizes[-1]:,} texts; {fewest:,.0f} to {most:,.0f} expected"
    ours += f" in {ARTICLES_TRAINING:,}"
    why = (
        "Of a part of its corpus; the growth of the last doublings is carried on to the texts it trained on."
    )
    return Claim(*_WORDS["columns"], ours, Verdict.of(fewest <= ARTICLES_COLUMNS <= most), why)


def _even(found: Found) -> Claim:
    counts = found.description.label_counts
    n = sum(counts.values())
    low, high = wilson_interval(counts["pos"], n)
    ours = ", ".join(f"{count:,} {label}" for label, count in sorted(counts.items()))
    why = (
        f"Of the texts, {low:.3f} to {high:.3f} are positive (95 %), and even is within {EVEN:g} of one half."
    )
    return Claim(*_WORDS["even"], ours, Verdict.of(abs(low - 0.5) < EVEN and abs(high - 0.5) < EVEN), why)


def _lengths(found: Found) -> Claim:
    known = found.description
    codes = list(known.label_counts)
    lengths = {label: known.token_counts[known.codes == codes.index(label)] for label in ("pos", "neg")}
    share, half = longer_share(lengths["pos"], lengths["neg"])
    medians = ", ".join(f"{label} {np.median(lengths[label]):.0f}" for label in ("pos", "neg"))
    why = (
        f"A positive text is longer than a negative one in {share - half:.3f} to {share + half:.3f} of the "
        f"pairs (95 %), and even is within {EVEN:g} of one half."
    )
    held = abs(share - 0.5) + half < EVEN
    return Claim(*_WORDS["lengths"], f"medians in words: {medians}", Verdict.of(held), why)


def longer_share(one: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """Return in which share of the pairs a value of `one` is the larger, and half its 95 % interval.

    Equal ones count one half. The interval is DeLong's (1988) of an area under a curve.
    """
    below = (np.searchsorted(np.sort(other), one) + np.searchsorted(np.sort(other), one, "right")) / 2
    above = (np.searchsorted(np.sort(one), other) + np.searchsorted(np.sort(one), other, "right")) / 2
    of_one, of_other = below / len(other), 1 - above / len(one)
    variance = of_one.var(ddof=1) / len(one) + of_other.var(ddof=1) / len(other)
    return float(of_one.mean()), 1.959964 * float(variance) ** 0.5


def signed(mean: float, interval: Interval) -> str:
    """Return a difference with its interval."""
    return f"{mean:+.3f} ({interval[0]:+.3f} to {interval[1]:+.3f})"


def _of(known: Comparison, name: str) -> np.ndarray:
    """Return the accuracies of a contender."""
    return np.array(_runs(known, name).accuracies)


def _runs(known: Comparison, name: str) -> Runs:
    return next(each for each in known.results if each.classifier == name)


def _interval(known: Comparison, values: np.ndarray) -> Interval:
    return resampled_interval(values.tolist(), known.n_train, known.n_test)
