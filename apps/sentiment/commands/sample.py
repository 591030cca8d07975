"""`sample`: reviews to try the other commands on."""

import sys

from ...common.csv_quoting import csv_writer
from ...common.files import samples_folder
from ..data.corpus import read_corpus
from ..data.text_source import TextSource
from ._options import command


@command("sample > reviews.csv", "sample | fastsvm-sentiment train - -o reviews.safetensors")
def sample(stage, verbose):
    """Print 2,000 sample reviews as CSV, to train on.

    The reviews are synthetic. Each has the label pos or neg.
    """
    corpus = read_corpus(TextSource(str(samples_folder() / "reviews.txt")))
    csv_writer(sys.stdout)(("text", "label"), *zip(corpus.texts, corpus.labels, strict=True))
