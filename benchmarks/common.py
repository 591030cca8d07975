"""What the benchmarks share: timing, figures, corpora, memory."""

import csv
import mmap
import os
import time
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.datasets import load_svmlight_file
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import StandardScaler

from .machine import peak


def cpu(function, clock=time.process_time):
    """CPU seconds of one call."""
    start = clock()
    function()
    return clock() - start


wall = partial(cpu, clock=time.perf_counter)  # seconds that one call takes on the clock


def alternate(functions, rounds, clock=cpu):
    """Seconds of each function, an array of shape (functions, rounds), after one call to warm up."""
    for function in functions:
        function()
    return np.transpose([[clock(function) for function in functions] for _ in range(rounds)])


def in_child(function, limit):
    """What a function returns, called in a fork of this process; None if that takes more CPU seconds."""
    context = get_context("fork")
    result, given = context.Pipe(duplex=False)
    child = context.Process(target=lambda: given.send(function()))
    child.start()
    given.close()
    while not result.poll(0.1):  # no RLIMIT_CPU: with it the process's clock goes in steps of 4 ms
        user, system = Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        if int(user) + int(system) > limit * os.sysconf("SC_CLK_TCK"):
            child.kill()
            child.join()
            return None
    try:
        return result.recv()
    except EOFError:
        raise RuntimeError("the child process failed") from None
    finally:
        child.join()


def aligned(rows):
    """The table as text."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def spread(values, scale=1.0):
    """Median and range."""
    low, middle, high = np.quantile(values, [0, 0.5, 1]) * scale
    return f"{middle:8.3f} [{low:.3f}-{high:.3f}]"


def a9a(folder):
    """The a9a table: 32,561 x 123, 14 values per row, with 32-bit indices, which SGDClassifier needs."""
    X, y = load_svmlight_file(str(folder / "a9a.svm"))
    return with_int32(X), y


def usps(folder):
    """The handwritten digits of USPS, 9,298 x 256, and what they are."""
    digits = np.load(folder / "usps.npz")
    return digits["X"], digits["y"].astype(int)


def skin(folder):
    """Pixels, skin or not: 245,057 x 3, standardised."""
    table = np.loadtxt(folder / "skin.tsv.gz", delimiter=",", skiprows=1)
    return StandardScaler().fit_transform(table[:, :3]), table[:, 3] == 1


def sentiment_words(folder):
    """tf-idf of the reviews of the sentiment corpus, and which are positive."""
    texts, labels = sentiment_texts(folder)
    return with_int32(TfidfVectorizer(token_pattern=r"\S+").fit_transform(texts)), labels == "pos"


def made(n, seed=0):
    """Ten normal columns; the sign of x0 x1 + x2 x3 + sin 2 x4, 10 % flipped; n rows, and 5,000 new ones."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n + 5000, 10))
    y = np.sign(X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] + np.sin(2 * X[:, 4]))
    y *= np.where(rng.random(len(y)) < 0.1, -1, 1)
    return X, y, n


def sentiment_texts(folder):
    """The reviews of the sentiment corpus, tokens apart by spaces, and their labels, pos and neg."""
    with open(folder / "sentiment.txt", encoding="utf-8") as file:
        lines = [line.split(None, 3) for line in file]
    return [text for *_, text in lines], np.array([label for _, label, _, _ in lines])


def imdb_texts(folder):
    """The film reviews, and their labels, pos and neg."""
    csv.field_size_limit(1 << 30)
    with open(folder / "imdb_10k.tsv", encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [row["text"] for row in rows], np.array([row["label"] for row in rows])


def with_int32(X):
    """X with 32-bit indices."""
    return sparse.csr_matrix((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), X.shape)


def memory_added(fit):
    """Bytes by which a call of `fit` raises the most memory that this process has had (Linux)."""
    before = resident()
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
    fit()
    return peak() - before


def resident():
    """Bytes of memory the process has now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * mmap.PAGESIZE
