"""Texts that are the same, or nearly."""

import random

import numpy as np
import pytest

from fastsvm_apps.sentiment.jobs import suspect_texts
from fastsvm_apps.sentiment.jobs.suspect_texts import OVERLAP, same_texts, similar_texts


def sentences(n, words=40, seed=0):
    rng = random.Random(seed)
    vocabulary = [f"w{i}" for i in range(300)]
    return [" ".join(rng.choices(vocabulary, k=words)) for _ in range(n)]


def test_the_same_words_are_the_same_text():
    texts = ["A fine pen.", "a  FINE pen", "a pen, fine", "!!", "??", "!! ", "Straße", "STRASSE", ""]
    assert same_texts(texts).tolist() == [0, 0, 1, 2, 3, 2, 4, 4, 5]
    assert similar_texts(texts).tolist() == same_texts(texts).tolist()
    assert similar_texts(["a", "b c", "a"]).tolist() == [0, 1, 0]  # no three words in a row


def overlap(a, b):
    a, b = (set(zip(*(text.split()[i:] for i in range(3)), strict=False)) for text in (a, b))
    return len(a & b) / len(a | b)


@pytest.mark.parametrize("rows", [7, 10_000])
def test_near_duplicates_are_those_of_a_plain_count(monkeypatch, rows):
    monkeypatch.setattr(suspect_texts, "TEXTS_AT_ONCE", rows)
    rng = random.Random(1)
    texts = sentences(30)
    for text in texts[:20]:  # changed at one to eight places
        words = text.split()
        for _ in range(rng.randint(1, 8)):
            words[rng.randrange(len(words))] = f"new{rng.randrange(1000)}"
        texts.append(" ".join(words))
    texts += [texts[3].upper(), f"{texts[4]} more", texts[5][: len(texts[5]) // 2]]
    found = similar_texts(texts)
    near = np.array([[overlap(a.lower(), b.lower()) >= OVERLAP for a in texts] for b in texts])
    for _ in range(5):  # joined by others
        near = near @ near
    np.testing.assert_array_equal(found[:, None] == found, near)
    assert 3 < len(texts) - len(set(found.tolist())) < 20
