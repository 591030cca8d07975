"""What the article says, and what was measured of it: the rules of the verdicts.

- A classifier does well where its interval lies above what always guessing one label gets.
- Two are comparable where the interval of their paired difference lies within `ALIKE`; times, where that of
  their ratio lies between 1 / `TIMES_ALIKE` and `TIMES_ALIKE`.
- One is better than another where the interval of the paired difference lies above 0.
- A share is even where its interval lies within `EVEN` of one half.
"""

from dataclasses import replace
from itertools import combinations

import numpy as np

from ....common.statistics import wilson_interval
from ...report.claim_judging import Statistic, above, inside, judge, mean, meets, spelled, within
from ...report.study_report import Claim, Verdict
from .text_comparison import ARTICLE, TO_THE_LETTER, Comparison
from .text_experiments import (
    ARTICLES_COLUMNS,
    ARTICLES_TRAINING,
    TUNED,
    Corpus,
    TextFindings,
    expected_columns,
)

ALIKE, TIMES_ALIKE, EVEN = 0.05, 2.0, 0.05
LAMBDAS = {"pegasos-svm": 0.015, "pegasos-logistic": 0.01}
NAMES = {"perceptron": "perceptron", "pegasos-svm": "Pegasos SVM", "pegasos-logistic": "Pegasos logistic"}
SIGNED = spelled("+.3f")
PICTURE = "a picture; the text has no number"


def of_texts(corpus: Corpus, found: TextFindings | None) -> list[Claim]:
    """Return the claims on the corpus."""
    if found is None:
        return [Claim(words, theirs, "", Verdict.UNTESTED, corpus.why) for words, theirs in _WORDS.values()]
    if corpus.is_articles:
        return [*_corpus_claims(found, ""), *_article_claims(found)]
    why = "It is about the article's texts, and these are generated reviews."
    of_data = [Claim(*_WORDS[key], "", Verdict.UNTESTED, why) for key in ("columns", "even", "lengths")]
    return [*_corpus_claims(found, " On generated reviews, not on the article's."), *of_data]


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


# fmt: off
def _corpus_claims(found: TextFindings, others: str) -> list[Claim]:
    """Judge the claims that any corpus tests."""
    known = found.comparison
    runs, default = known.seconds.shape[1], _accuracies_of(known, "default").mean()
    letter = {name: _accuracies_of(known, name + TO_THE_LETTER) for name in ARTICLE}
    seconds = {
        name: np.maximum(known.seconds[known.row(name + TO_THE_LETTER)], 1e-9) for name in ARTICLE
    }
    pairs = list(combinations(ARTICLE, 2))
    differences = {
        f"{NAMES[one]} less {NAMES[other]}": known.statistic(letter[one] - letter[other]) for one,
        other in pairs
    }
    ratios = [mean(np.log(seconds[one] / seconds[other])) for one, other in pairs]
    span = Statistic(*np.exp((0.0, min(s.low for s in ratios), max(s.high for s in ratios))))
    gains = {
        **{f"tuned {name}": (found.of_chosen[k] - letter[name],
                             ("Lambda chosen on a fifth of the training texts of each split, "
                             f"{np.median(found.chosen[k]):g} in the middle, against the article's "
                             f"{LAMBDAS[name]:g}."))
           for k, name in enumerate(TUNED)},
        "tfidf": (_accuracies_of(known, "logistic-regression") - letter["pegasos-logistic"],
                  ("A logistic regression at its optimum on tf-idf of all words, lambda chosen, against the "
                  "article's on counts.")),
    }
    claims = [
        *(judge(*_WORDS[name], known.statistic(values), above(float(known.majority)),
                lambda s, values=values: f"{spelled('.3f')(s)}, worst {values.min():.3f}",
                why=f"Always guessing one label gets {known.majority:.3f}; what train makes by default gets "
                    f"{default:.3f} on the same {runs} splits.")
          for name, values in letter.items()),
        judge(*_WORDS["alike"], differences, inside(-ALIKE, ALIKE),
              ours="; ".join(f"{pair} {SIGNED(s)}" for pair, s in differences.items()),
              why=f"Paired differences of {runs} splits."),
        judge(*_WORDS["times"], span, within(1 / TIMES_ALIKE, TIMES_ALIKE),
              ours=", ".join(f"{NAMES[name]} {np.median(values):.2g} s" for name, values in seconds.items()),
              why="CPU seconds from texts to a model, as the article timed it. Their ratios lie within "
                  f"{span.low:.2f} to {span.high:.2f}."),
        *(judge(*_WORDS[key], known.statistic(gain), above(0), SIGNED, why=why)
          for key, (gain, why) in gains.items()),
    ]
    return [replace(claim, why=claim.why + others) for claim in claims]


def _article_claims(found: TextFindings) -> list[Claim]:
    """Judge the claims on the article's texts."""
    known = found.description
    fewest, most = expected_columns(found.sizes, found.columns, ARTICLES_TRAINING)
    counts = known.label_counts
    share = Statistic(0.5, *wilson_interval(counts["pos"], sum(counts.values())))
    codes = list(counts)
    lengths = {label: known.token_counts[known.codes == codes.index(label)] for label in ("pos", "neg")}
    middle, half = longer_share(lengths["pos"], lengths["neg"])
    longer = Statistic(middle, middle - half, middle + half)
    even = inside(0.5 - EVEN, 0.5 + EVEN)
    return [
        judge(*_WORDS["columns"], Statistic(fewest, fewest, most),
              meets(ARTICLES_COLUMNS, ARTICLES_COLUMNS),
              ours=f"{int(found.columns[0, -1]):,} in {found.sizes[-1]:,} texts; {fewest:,.0f} to "
                   f"{most:,.0f} "
                   f"expected in {ARTICLES_TRAINING:,}",
              why="Of a part of its corpus; the growth of the last doublings is carried on to the texts it "
                  "trained "
                  "on."),
        judge(*_WORDS["even"], share, even,
              ours=", ".join(f"{count:,} {label}" for label, count in sorted(counts.items())),
              why=f"Of the texts, {share.low:.3f} to {share.high:.3f} are positive (95 %)."),
        judge(*_WORDS["lengths"], longer, even,
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


def _accuracies_of(known: Comparison, name: str) -> np.ndarray:
    """Return the accuracies of a contender."""
    return known.accuracies[known.row(name)]
