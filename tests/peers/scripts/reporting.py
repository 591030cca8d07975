"""What the scripts share: real texts, and how they report."""

from itertools import islice
from pathlib import Path

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data"


def film_reviews(n):
    """The first n film reviews, and whether they are positive."""
    with open(SHARED / "imdb_10k.tsv", encoding="utf-8") as lines:
        names, *rows = [line.rstrip("\n").split("\t") for line in islice(lines, n + 1)]
    text, label = names.index("text"), names.index("label")
    return [row[text] for row in rows], [row[label] for row in rows]


def question_titles(part, n):
    """Titles of programming questions, and their labels, of 20; part is "train" or "test"."""
    with open(SHARED / "text" / f"sotitles_{part}.tsv", encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t", 1) for line in islice(lines, 1, n + 1)]
    return [text for _, text in rows], [label for label, _ in rows]


def report(**scores):
    """Print the scores."""
    for name, score in scores.items():
        print(name, f"{score:.5f}")
