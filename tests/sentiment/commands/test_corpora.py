"""Memory, and the figures on real corpora where they lie beside the project."""

import sys
import tracemalloc

from fastsvm_apps.sentiment.data.corpus import read_corpus
from fastsvm_apps.sentiment.data.text_source import TextSource
from fastsvm_apps.sentiment.jobs import text_training as pipeline
from fastsvm_apps.sentiment.settings import Settings


def test_training_holds_each_text_once(tmp_path):
    # Few different words, so that texts weigh much more than counts.
    corpus = tmp_path / "long.tsv"
    with open(corpus, "w") as file:
        file.write("label\ttext\n")
        for i in range(400):
            words = f"{'good' if i % 2 else 'bad'} word{i % 7} "
            file.write(f"{'pos' if i % 2 else 'neg'}\t{words * 2000}\n")
    held = sum(map(sys.getsizeof, read_corpus(TextSource(str(corpus))).texts))
    assert held > 8e6
    tracemalloc.start()
    try:
        pipeline.train_text_model(TextSource(str(corpus)), Settings(), str(tmp_path / "m.safetensors"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1.3 * held
