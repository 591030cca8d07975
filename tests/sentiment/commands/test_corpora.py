"""The memory of a training."""

import sys

from peak_memory import peak_of

from fastsvm_apps.sentiment.data.corpus import read_corpus
from fastsvm_apps.sentiment.data.text_source import TextSource
from fastsvm_apps.sentiment.jobs.text_training import train_text_model
from fastsvm_apps.sentiment.settings import Settings


def test_training_holds_each_text_once(tmp_path):
    # Few different words, so that texts weigh much more than counts.
    corpus = tmp_path / "long.tsv"
    words = [f"{('bad', 'good')[i % 2]} word{i % 7} " for i in range(400)]
    lines = [f"{('neg', 'pos')[i % 2]}\t{each * 2000}\n" for i, each in enumerate(words)]
    corpus.write_text("".join(["label\ttext\n", *lines]))
    held = sum(map(sys.getsizeof, read_corpus(TextSource(str(corpus))).texts))
    assert held > 8e6
    model = str(tmp_path / "m.safetensors")
    assert peak_of(lambda: train_text_model(TextSource(str(corpus)), Settings(), model)) < 1.3 * held
