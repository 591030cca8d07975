"""`python -m benchmarks.text.recipes --data DIR`: what the numbers are worth by which train chooses a recipe.

Six corpora, five splits each: the accuracy on the texts held out, CPU seconds of reading and training, and
the recipes that were taken.
"""

import time
import warnings
from collections import Counter
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np

from fastsvm.fitting import ConvergenceWarning
from fastsvm_apps.sentiment.data.corpus import read_corpus
from fastsvm_apps.sentiment.data.text_source import TextSource
from fastsvm_apps.sentiment.jobs import text_training
from fastsvm_apps.sentiment.learning import recipe_choice
from fastsvm_apps.sentiment.settings import recipe_settings
from fastsvm_apps.sentiment.text_recipes import AUTO, usual_tokens

from ..machine import parser_of

FILES = ("sms_spam.tsv", "hotel_zh.csv", "imdb_10k.tsv")
SEEDS = 5
OTHERS = {
    "TEXTS_TRIED": (1000, 4000),
    "STANDARD_ERRORS_OF_WORDS": (0.0, 1.0, 3.0),
    "LONG_CHARACTERS": (350, 1000),
    "TOL": (0.01, 0.2),
}
RECIPES = ("nb-words", "nb-both", "tfidf-both")  # that are always taken, to compare with


def main():
    """Measure, and print a line for each corpus and way to choose."""
    parser = parser_of("text.recipes", __doc__)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    options = parser.parse_args()
    ways = [("as it is", AUTO, {}), *((recipe, recipe, {}) for recipe in RECIPES)]
    ways += [(f"{name} {value}", AUTO, {name: value}) for name, values in OTHERS.items() for value in values]
    print(f"{'corpus':14} {'way':12} accuracy  CPU s  recipes")
    for corpus, texts, labels, tokens in corpora(options.data):
        for way, recipe, constants in ways:
            accuracies, seconds, taken = measure(texts, labels, tokens, recipe, constants, options.seeds)
            names = ", ".join(f"{n} {name}" for name, n in taken.most_common())
            print(
                f"{corpus:14} {way:12} {np.mean(accuracies):.4f}  {np.median(seconds):7.2f}  {names}",
                flush=True,
            )


def corpora(folder):
    """Yield a name, texts, labels, and how texts are cut."""
    for name in FILES:
        corpus = read_corpus(TextSource(str(folder / name)))
        yield name, corpus.texts, corpus.labels, usual_tokens(corpus.format)
    lines = (folder / "sentiment.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split(None, 3) for line in lines]
    rows = [row for row in rows if len(row) == 4]
    for name, column in (("polarity", 1), ("domains", 0)):
        yield name, [row[3] for row in rows], [row[column] for row in rows], "split"
    own = read_corpus(TextSource(str(Path(__file__).parents[2] / "data" / "reviews.txt")))
    yield "reviews.txt", own.texts, own.labels, usual_tokens(own.format)


def measure(texts, labels, tokens, recipe, constants, n_seeds):
    """Train with constants of the choice set so; accuracies, CPU seconds, and the recipes that were taken."""
    accuracies, seconds, taken = [], [], Counter()
    settings = recipe_settings(recipe, tokens=tokens, refit=False)
    quiet = warnings.catch_warnings(action="ignore", category=ConvergenceWarning)
    with patch.dict(vars(recipe_choice), constants), quiet:
        for seed in range(n_seeds):
            start = time.process_time()
            result = text_training.train_text_model(
                TextSource(recipe, given=list(zip(texts, labels, strict=True))), replace(settings, seed=seed)
            )
            seconds.append(time.process_time() - start)
            accuracies.append(result.evaluation.accuracy)
            taken[result.settings.recipe] += 1
    return accuracies, seconds, taken


if __name__ == "__main__":
    main()
