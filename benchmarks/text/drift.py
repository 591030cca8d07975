"""`python -m benchmarks.text.drift --data DIR`: how often changes of texts are named.

DIR has corpora as pairs of files, `C_train.tsv` and `C_test.tsv`. A model of each is asked about its test
part as it is, without 60 % of its most frequent label, and with half of the texts from another corpus: whole,
and in samples of 200 texts. Each row has the share of draws in which something is named.
"""

from collections import defaultdict
from types import SimpleNamespace

import numpy as np

from fastsvm_apps.sentiment.data.corpus import read_corpus
from fastsvm_apps.sentiment.data.text_source import TextSource
from fastsvm_apps.sentiment.jobs.text_training import train_text_model
from fastsvm_apps.sentiment.measures.drift import TextWatch
from fastsvm_apps.sentiment.measures.prediction import classify

from ..machine import parser_of

DRAWS = 10
SIZES = {"200": 200, "all": None}


def main():
    """Train, draw, and print a line for each corpus, size and kind of change."""
    folder = parser_of("text.drift", __doc__).parse_args().data
    files = {path.name.removesuffix("_test.tsv"): path for path in sorted(folder.glob("*_test.tsv"))}
    tests = {name: read_corpus(TextSource(str(path))) for name, path in files.items()}
    for name in tests:
        training = train_text_model(TextSource(str(folder / f"{name}_train.tsv")))
        answers = {each: classify(training.model, corpus.texts) for each, corpus in tests.items()}
        named = defaultdict(list)
        for seed in range(DRAWS):
            for size, kind, parts in draws(name, tests, seed):
                watch = TextWatch(training.model, training.about)
                for corpus, rows in parts:
                    fields = {
                        f: getattr(answers[corpus], f)[rows] for f in ("probabilities", "n_first_terms")
                    }
                    watch.add([tests[corpus].texts[i] for i in rows], SimpleNamespace(**fields))
                named[f"{name:24} {kind:16} {size:5}"].append(bool(watch.moved))
        for row, values in named.items():
            print(f"{row} {np.mean(values):.3f}", flush=True)


def draws(name, tests, seed):
    """Yield a size, a kind of change, and pairs of a corpus and rows of it."""
    random, labels = np.random.default_rng(seed), tests[name].labels
    own = random.permutation(len(labels))
    is_left = ~labels.has(labels.counts.argmax())[own] | (random.random(len(own)) < 0.4)
    others = [each for each in tests if each != name]
    other = others[seed % len(others)]
    theirs = random.permutation(len(tests[other].texts))
    for size, n in SIZES.items():
        half = min((n or len(own)) // 2, len(own), len(theirs))
        yield size, "as it is", [(name, own[:n])]
        yield size, "without 60 %", [(name, own[is_left][:n])]
        yield size, "half of another", [(name, own[:half]), (other, theirs[:half])]


if __name__ == "__main__":
    main()
