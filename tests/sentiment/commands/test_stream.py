"""train --stream: two passes over a corpus, and a matrix on disk."""

import json
import os
import random
from dataclasses import replace

import numpy as np
import pytest

from fastsvm.text import Bag
from fastsvm_apps.sentiment.data import corpus as corpora
from fastsvm_apps.sentiment.data.text_source import TextSource
from fastsvm_apps.sentiment.jobs import streamed_training
from fastsvm_apps.sentiment.learning import corpus_terms
from fastsvm_apps.sentiment.learning.corpus_terms import TRAIN, rows_of_part
from fastsvm_apps.sentiment.settings import BY_DEFAULT, Settings
from refusal import assert_refused

pytestmark = pytest.mark.blas


def reviews(n, labels=("neg", "pos")):
    rng = random.Random(0)
    pairs = []
    for i in range(n):
        label = labels[i * len(labels) // n]  # sorted by label, as files often are
        said = [f"{label}{rng.randrange(4)}" if rng.random() < 0.8 else f"{labels[0]}0" for _ in range(2)]
        pairs.append((label, " ".join([*said, *rng.choices([f"thing{k}" for k in range(300)], k=9)])))
    return pairs


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr(corpora, "BATCH_CHARACTERS", 5000)
    monkeypatch.setattr(corpus_terms, "SHARD", 2000)


def test_batches_give_the_vocabulary_of_all_texts_and_copies_stay_together(write, small_batches):
    pairs = reviews(900)
    source = TextSource(write(pairs + pairs[:100], "csv", "reviews.csv"))
    settings = Settings()
    result = streamed_training.train_streamed(source, settings)
    place, parted = {}, {"train": [], "calibrate": [], "try": []}
    with corpora.labelled_batches(source, settings.seed) as (_, _, found):
        found = list(found)
    assert len(found) > 10
    for batch in found:
        for where, _, text in batch:
            assert place.setdefault(text, where) == where
        for part, texts in parted.items():
            texts += [batch[i][2] for i in rows_of_part(settings, batch, part)]
    n_train, n_calibrate, n_test = map(len, parted.values())
    uses = f"{n_train} to train on, {n_calibrate} for probabilities and {n_test} held out"
    assert result.uses == uses
    bag = Bag(ngram_range=(1, 3), min_df=2, token_pattern=r"(?u)\b\w+\b").fit(parted["train"])
    names = result.model["vectorizer"].get_feature_names_out()
    assert names.tolist() == bag.get_feature_names_out().tolist()
    assert result.relative_gap <= 1e-3
    assert np.allclose(result.n_test / 1000, 0.2, atol=0.06)


def test_of_texts_without_blanks_characters_are_counted(write, small_batches):
    rng = random.Random(0)
    others = [chr(code) for code in range(0x4E00, 0x4E64)]
    pairs = [
        (label, "".join([*rng.choices(others, k=9), said, *rng.choices(others, k=9)]))
        for label, said in (("neg", "失望"), ("pos", "很好"))
        for _ in range(200)
    ]
    settings = replace(BY_DEFAULT, holdout=0)  # but for 2 %, on which probabilities are learned
    source = TextSource(write(pairs, "csv", "reviews.csv"))
    result = streamed_training.train_streamed(source, settings)
    assert result.settings.recipe == "nb-signs"
    # As words, no two texts would have any in common.
    best = {label: words[0][0] for label, words in result.top_words.items()}
    assert best["neg"] in "失望"
    assert best["pos"] in "很好"
    bag = Bag(ngram_range=(1, 4), min_df=2, analyzer="char_wb")
    with corpora.labelled_batches(source, settings.seed) as (_, _, found):
        bag.fit([batch[i][2] for batch in found for i in rows_of_part(settings, batch, TRAIN)])
    names = result.model["vectorizer"].get_feature_names_out()
    assert names.tolist() == bag.get_feature_names_out().tolist()


@pytest.mark.parametrize("labels", [pytest.param(("neg", "pos"), marks=pytest.mark.slow), ("a", "b", "c")])
def test_the_model_is_like_any_other(run, write, small_batches, labels):
    corpus = write(reviews(1200, labels), "csv", "reviews.csv")
    done = run("train", corpus, "--stream", "--ngrams", "1", "--json", "-o", "m.safetensors")
    assert done.exit_code == 0, done.stderr
    record = json.loads(done.stdout)
    assert record["accuracy"] > 0.8
    assert max(np.atleast_1d(record["relative_gap"])) <= 1e-3
    assert sum(record["label_counts"].values()) == 1200
    judged = json.loads(run("evaluate", "m.safetensors", corpus, "--json").stdout)
    assert judged["accuracy"] > 0.8


@pytest.mark.slow
def test_a_most_of_terms_raises_min_df(write, small_batches, monkeypatch):
    monkeypatch.setattr(corpus_terms, "MOST_TERMS", 50)
    result = streamed_training.train_streamed(
        TextSource(write(reviews(600), "csv", "reviews.csv")), Settings()
    )
    assert result.n_features <= 50
    assert result.settings.min_df > 2


def test_stdin_and_what_cannot_be_told_apart_are_refused(run, write, tmp_path):
    whole = "give a file or a folder"
    assert_refused(run("train", "-", "--stream", "-o", "m.safetensors"), 2, whole)
    os.mkfifo(pipe := tmp_path / "pipe")  # opened, it would wait for ever
    for option in {"stream": True}, {"checkpoint": "run.ckpt"}:
        assert_refused(run("train", pipe, config=option), 2, f"pipe can be read only once; {whole}")
    done = run("train", write(reviews(50, ("same",)), "csv", "reviews.csv"), "--stream")
    assert_refused(done, 1, "'same' is the only label")
    done = run("train", write(reviews(9), "csv", "reviews.csv"), "--stream", "--format", "jsonl")
    assert_refused(done, 1, r"no labelled text, read as jsonl; .* such as line 1: not JSON")
