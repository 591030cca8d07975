"""The corpora, and their splits into files for every program to read."""

from typing import NamedTuple

import numpy as np
from sklearn.model_selection import train_test_split

from ..common import imdb_texts, sentiment_texts


class Corpus(NamedTuple):
    """Texts and labels; `tokens` is "split" for those that are cut at white space already."""

    name: str
    texts: list
    labels: np.ndarray
    tokens: str


class Split(NamedTuple):
    """Files: labelled texts to train on; texts to predict, those held out before the others; one text."""

    train: object
    texts: object
    one: object
    held_out: np.ndarray  # labels of the first texts to predict
    n: int  # texts to predict


def load(name, folder):
    """A corpus by name."""
    read, tokens = {"sentiment": (sentiment_texts, "split"), "imdb": (imdb_texts, "words")}[name]
    try:
        return Corpus(name, *read(folder), tokens)
    except FileNotFoundError as error:
        raise SystemExit(f"{name}: no file {error.filename}; see --data and --corpora") from None


def split(corpus, seed, folder):
    """Write the files of a split, four fifths to train on, in the format the corpus came in."""
    rows = np.arange(len(corpus.labels))
    train, test = train_test_split(rows, test_size=0.2, random_state=seed, stratify=corpus.labels)
    texts = [text.strip() for text in corpus.texts]
    if corpus.tokens == "split":
        lines = [f"reviews {corpus.labels[i]} {i}.txt {texts[i]}" for i in train]
    else:
        lines = ["label\ttext", *(f"{corpus.labels[i]}\t{texts[i]}" for i in train)]
    asked = [texts[i] for i in (*test, *train)]
    files = []
    for part, content in ("train", lines), ("texts", asked), ("one", asked[:1]):
        suffix = ".txt" if corpus.tokens == "split" or part != "train" else ".tsv"
        files.append(folder / f"{corpus.name}-{seed}-{part}{suffix}")
        files[-1].write_text("\n".join(content) + "\n", encoding="utf-8")
    return Split(*files, corpus.labels[test], len(asked))
