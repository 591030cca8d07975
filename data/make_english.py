"""Train the model that is shipped, english.safetensors, and measure how good it is.

    python data/make_english.py DATA            train and replace it
    python data/make_english.py DATA --check    train, and compare with what is shipped

DATA is a folder with `sentiment.txt`, product reviews, and `imdb_10k.tsv`, film reviews. The model card,
MODEL_CARD.md, says what they are. The measures are printed as the tables of the card.
"""

import argparse
import re
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.model_selection import LeaveOneGroupOut, StratifiedKFold
from sklearn.pipeline import Pipeline

import fastsvm
from fastsvm.text import BagOfWords, TermWeighting
from fastsvm_apps.common.statistics import wilson_interval
from fastsvm_apps.common.training_items import learned_items, text_hashes
from fastsvm_apps.sentiment.data.corpus import read_corpus
from fastsvm_apps.sentiment.data.text_source import TextSource

SHIPPED = Path(__file__).resolve().parents[1] / "apps" / "sentiment" / "shipped"
TARGET = SHIPPED / "english.safetensors"
FILMS = "films"
N_TERMS = 70_000  # of some 500,000; these take just under 2 MB
BITS = 14  # of each weight: changes it by 6e-5 at most, and saves 60 KB of a packed wheel
COMMON = 20  # reviews: a word in so many is kept in any case, for texts of few words
ALPHA = 3e-6
COPIES = 2  # of each product review: there are twice as many of films
SENTENCES = 0.3  # what the sentences of a review weigh together, beside 1 for the review
SHORT = 30  # words
FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)

# Short texts of ours, with what a reader would say.
TRIALS = (SHIPPED / "trials.txt").read_text(encoding="utf-8")


class Reviews(NamedTuple):
    """Texts, labels, what they are about (six kinds of products, or films), and the texts as they were."""

    texts: np.ndarray
    labels: np.ndarray
    domains: np.ndarray
    written: np.ndarray

    def take(self, rows):
        """Return some of them."""
        return Reviews(*(column[rows] for column in self))


def read_reviews(folder):
    """Read both corpora; a text that comes twice is taken once, so that no fold knows another's."""
    reviews = {}
    with open(folder / "sentiment.txt", encoding="utf-8") as file:
        for line in file:
            domain, label, _, text = line.split(None, 3)
            reviews.setdefault(joined(text), (label, domain, text))
    films = read_corpus(TextSource(str(folder / "imdb_10k.tsv")))
    for text, label in zip(films.texts, films.labels, strict=True):
        reviews.setdefault(text.replace("<br />", " "), (label, FILMS, text))
    labels, domains, written = zip(*reviews.values(), strict=True)
    texts, written = (np.array(column, dtype=object) for column in ([*reviews], written))
    return Reviews(texts, np.array(labels), np.array(domains), written)


def joined(text):
    """Undo what the corpus did to words: "do n't", "it 's", "can not", "gon na"."""
    text = re.sub(r" (n't|'(?:s|m|d|re|ve|ll))\b", r"\1", text.strip())
    return re.sub(
        r"\b(?:(can) (not)|(gon|wan) (na)|(got) (ta))\b", lambda m: "".join(filter(None, m.groups())), text
    )


def train(reviews):
    """Train on reviews and on their sentences, keep the terms that matter, and train on these.

    The sentences, each with the label of its review, teach the model what few words are worth: without them
    a text of one word is as certain as one that is full of such words.
    """
    texts, labels = reviews.texts, reviews.labels
    pattern = r"(?u)\b\w+\b"
    bag = BagOfWords(token_pattern=pattern, ngram_range=(1, 3), min_df=2, dtype=np.float32, marks=True)
    counts = bag.fit_transform(texts)
    sentences = [re.split(r"(?<=[.!?])\s+", text) for text in texts]
    lengths = np.array([len(parts) for parts in sentences])
    owners = np.repeat(np.arange(len(texts)), lengths)
    copies = np.where(reviews.domains == FILMS, 1, COPIES)
    weights = np.concatenate([copies, (SENTENCES * copies / lengths)[owners]])
    X = sparse.vstack([counts, bag.transform([part for parts in sentences for part in parts])], "csr")
    y = np.concatenate([labels, labels[owners]])
    ratios_from = np.repeat(np.arange(len(texts)), copies)  # of whole reviews

    def fit(X):
        weighting = TermWeighting("nb", norm="l2").fit(X[ratios_from], labels[ratios_from])
        classifier = fastsvm.SDCAClassifier("log", alpha=ALPHA, tol=1e-4, fit_intercept=False, random_state=0)
        classifier.fit(weighting.transform(X), y, sample_weight=weights / weights.mean())
        return weighting, classifier

    weighting, classifier = fit(X)
    # What a term adds to a score, times the root of how often: rare ones matter less.
    frequencies = counts.getnnz(axis=0)
    importance = np.abs(classifier.coef_[0] * weighting.weights_) * np.sqrt(frequencies)
    words = np.array([" " not in term for term in bag.get_feature_names_out()])
    importance[words & (frequencies >= COMMON)] = np.inf
    kept = np.sort(np.argsort(-importance, kind="stable")[:N_TERMS])
    bag.restrict(kept, indices=True)
    weighting, classifier = fit(X[:, kept])
    mantissas, exponents = np.frexp(classifier.coef_)
    classifier.coef_ = np.ldexp(np.round(mantissas * 2**BITS) / 2**BITS, exponents).astype(np.float32)
    return Pipeline([("vectorizer", bag), ("weighting", weighting), ("classifier", classifier)])


def main():
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path, help="folder with sentiment.txt and imdb_10k.tsv")
    parser.add_argument("--check", action="store_true", help="only compare; exit 1 on a difference")
    options = parser.parse_args()
    reviews = read_reviews(options.data)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / TARGET.name if options.check else TARGET
        fastsvm.save_model(train(reviews), path, learned_items(text_hashes(reviews.written)))
        made, content = fastsvm.load_model(path), path.read_bytes()
    print_trials(made)
    print_measures(reviews)
    if options.check:
        # Another processor may round otherwise, and then a few of the rarest terms may be others.
        scores = [model.decision_function(reviews.texts) for model in (made, fastsvm.load_model(TARGET))]
        if not np.allclose(*scores, rtol=0, atol=0.05):
            sys.exit(f"{TARGET.name} is not what these reviews make")
        same = "byte for byte" if content == TARGET.read_bytes() else "with other last digits"
        print(f"\n{TARGET.name} is what these reviews make, {same}")


# Measures


def print_trials(model):
    """Print what the model says of short texts."""
    rows = []
    for line in TRIALS.strip().splitlines():
        label, _, texts = line.partition(": ")
        rows += [(label, text) for text in texts.split(" | ")]
    texts = [text for _, text in rows]
    found = zip(rows, model.predict(texts), model.predict_proba(texts)[:, 1], strict=True)
    wrong = 0
    print("| reader | text | P(pos) |\n| --- | --- | --- |")
    for (label, text), predicted, probability in found:
        wrong += predicted != label
        print(f"| {label} | {text} | {probability:.2f}{' **wrong**' * (predicted != label)} |")
    print(f"\n**{wrong} of {len(rows)}** are wrong")


def print_measures(reviews):
    """Print accuracies and calibration, of models that have not seen the texts they are measured on."""
    positive, film = reviews.labels == "pos", reviews.domains == FILMS
    strata = np.char.add(reviews.domains, reviews.labels)
    within = held_out(reviews, FOLDS.split(reviews.texts, strata))
    others = held_out(reviews, LeaveOneGroupOut().split(reviews.texts, groups=reviews.domains))
    from_films = held_out(reviews, [(np.flatnonzero(film), np.flatnonzero(~film))])
    names = sorted({*reviews.domains} - {FILMS})
    short = np.array([len(re.findall(r"\w+", text)) <= SHORT for text in reviews.texts])
    groups = {"product reviews": ~film, **{name: reviews.domains == name for name in names}}
    groups |= {f"of at most {SHORT} words": ~film & short, "film reviews": film}
    print("\n| | reviews | trained on four fifths of all | on all other kinds | on films |\n|" + " --- |" * 5)
    for name, rows in groups.items():
        cells = [accuracy(p[rows], positive[rows]) for p in (within, others, from_films)]
        if name == "film reviews":
            cells[-1] = "-"
        print(f"| {name} | {rows.sum():,} | {' | '.join(cells)} |")
    for name, rows in (("product reviews", ~film), ("film reviews", film)):
        print_calibration(name, within[rows], positive[rows])
    print_calibration(
        f"product reviews of at most {SHORT} words", within[~film & short], positive[~film & short]
    )
    print_calibration("product reviews, trained on films", from_films[~film], positive[~film])


def held_out(reviews, splits):
    """Return the probability that each text is positive, by the model of the others."""
    probabilities = np.full(len(reviews.texts), np.nan)
    for rest, part in splits:
        probabilities[part] = train(reviews.take(rest)).predict_proba(reviews.texts[part])[:, 1]
    return probabilities


def accuracy(probabilities, positive):
    """Format an accuracy and its 95 % interval."""
    right = int(np.sum((probabilities > 0.5) == positive))
    low, high = wilson_interval(right, len(positive))
    return f"{right / len(positive):.3f} ({low:.3f}-{high:.3f})"


def print_calibration(name, probabilities, positive):
    """Print how many texts are positive among those of about the same probability."""
    bins = np.minimum((probabilities * 10).astype(int), 9)
    error = 0.0
    rows = []
    for i in np.unique(bins):
        inside = bins == i
        stated, true = probabilities[inside].mean(), positive[inside].mean()
        error += inside.mean() * abs(stated - true)
        rows.append(f"| {i / 10:.1f}-{(i + 1) / 10:.1f} | {inside.sum():,} | {stated:.2f} | {true:.2f} |")
    print(f"\n{name}: expected calibration error {error:.3f}\n")
    print("| P(pos) | texts | mean P(pos) | positive |\n| --- | --- | --- | --- |", *rows, sep="\n")


if __name__ == "__main__":
    main()
