"""`python -m benchmarks.text.drift --data DIR`: how often changes of texts are named.

DIR has corpora as pairs of files, `C_train.tsv` and `C_test.tsv`. A model of each is asked about its test
part as it is, without 60 % of its most frequent label, and with half of the texts from another corpus: whole,
and in samples of 200 texts. Each row has the share of draws in which something is named, with other values of
the constants too.
"""

from types import SimpleNamespace
from unittest.mock import patch

import numpy as np

from fastsvm_apps.sentiment.data.corpus import read_corpus
from fastsvm_apps.sentiment.data.text_source import TextSource
from fastsvm_apps.sentiment.jobs.text_training import train_text_model
from fastsvm_apps.sentiment.measures import drift
from fastsvm_apps.sentiment.measures.prediction import classify

from ..machine import parser_of

DRAWS = 10
SIZES = 200, 1_000_000
OTHERS = {
    "MOVED_CONFIDENCE": (0.04, 0.1),
    "MOVED_WORDS": (0.07, 0.13),
    "SOME_NEW_WORDS": (0.04, 0.1),
    "MOVED_LABEL": (0.1, 0.4),
    "CHANCE": (0.001, 0.05),
}
KINDS = "as it is", "without 60 %", "half of another"


def main():
    """Train, draw, and print a line for each corpus, kind and size, and for each constant."""
    options = parser_of("text.drift", __doc__).parse_args()
    names = sorted(path.name.removesuffix("_train.tsv") for path in options.data.glob("*_train.tsv"))
    tests = {}
    for name in names:
        if (file := options.data / f"{name}_test.tsv").exists():
            tests[name] = read_corpus(TextSource(str(file)))
    total = {}
    for name in tests:
        training = train_text_model(TextSource(str(options.data / f"{name}_train.tsv")))
        for kind, size, texts, found in draws(training.model, name, tests):
            for constant, value in [("as it is", None), *((c, v) for c, vs in OTHERS.items() for v in vs)]:
                with patch.dict(vars(drift), {} if value is None else {constant: value}):
                    watch = drift.TextWatch(training.model, training.about)
                    watch.add(texts, found)
                    total.setdefault((f"{constant} {value or ''}", kind, size), []).append(bool(watch.moved))
                    if value is None:
                        total.setdefault((name, kind, size), []).append(bool(watch.moved))
    for (what, kind, size), named in total.items():
        print(f"{what:24} {kind:16} {'all' if size == SIZES[-1] else size:5} {np.mean(named):.3f}")


def draws(model, name, tests):
    """Yield a kind, a size, texts, and what the model says of them."""
    answers = {each: classify(model, corpus.texts) for each, corpus in tests.items()}
    labels = np.array([*tests[name].labels])
    values, counts = np.unique(labels, return_counts=True)
    others = [each for each in tests if each != name]
    for seed in range(DRAWS):
        random = np.random.default_rng(seed)
        own = random.permutation(len(labels))
        fewer = own[(labels[own] != values[counts.argmax()]) | (random.random(len(own)) < 0.4)]
        other = others[seed % len(others)]
        theirs = random.permutation(len(tests[other].texts))
        for size in SIZES:
            n = min(size // 2, len(own), len(theirs))
            lots = [(own[:size], theirs[:0]), (fewer[:size], theirs[:0]), (own[:n], theirs[:n])]
            for kind, (mine, strange) in zip(KINDS, lots, strict=True):
                texts = [tests[name].texts[i] for i in mine] + [tests[other].texts[i] for i in strange]
                yield kind, size, texts, joined(answers[name], mine, answers[other], strange)


def joined(one, rows, two, others):
    """Return the predictions of some rows of one lot and some of another."""
    names = "probabilities", "n_first_terms"
    parts = {name: (getattr(one, name)[rows], getattr(two, name)[others]) for name in names}
    return SimpleNamespace(**{name: np.concatenate(pair) for name, pair in parts.items()})


if __name__ == "__main__":
    main()
