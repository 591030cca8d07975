"""What is said of texts that differ from those held out in training, and when nothing is said."""

from types import SimpleNamespace

import numpy as np
import pytest

from fastsvm_apps.sentiment.data.text_labels import TextLabels
from fastsvm_apps.sentiment.measures.drift import TextWatch, held_out_record, known_per_word

MODEL = SimpleNamespace(classes_=np.array(["a", "b", "c"]))
SHARES = 0.5, 0.3, 0.2
TEXT = "one two three four five six seven eight nine ten"


def lot(n, shares=SHARES, sure=0.8, known=9.0, seed=0):
    """Return n texts of ten words, and predictions: shares of labels, mean confidence, mean known terms."""
    random = np.random.default_rng(seed)
    best = np.repeat(np.arange(3), np.round(np.multiply(shares, n)).astype(int))[:n]
    highest = np.clip(random.normal(sure, 0.1, n), 0.4, 1)
    probabilities = np.repeat((1 - highest[:, None]) / 2, 3, axis=1)
    probabilities[np.arange(n), best] = highest
    n_first_terms = np.clip(np.round(random.normal(known, 1.5, n)), 0, None)
    return [TEXT] * n, SimpleNamespace(probabilities=probabilities, n_first_terms=n_first_terms)


def recorded(found, known=None, labels=None):
    """Return the record of texts that have the likeliest labels, or the ones given."""
    names = MODEL.classes_.tolist()
    if found.probabilities is not None and labels is None:
        labels = MODEL.classes_[found.probabilities.argmax(axis=1)].tolist()
    truth = labels and TextLabels.of(labels).named(MODEL.classes_)
    evaluation = SimpleNamespace(classes=names, truth=truth, probabilities=found.probabilities)
    return held_out_record(evaluation, truth, known)


def moved(*new, n_there=1000):
    texts, found = lot(n_there, seed=1)
    watch = TextWatch(MODEL, recorded(found, known_per_word(texts, found.n_first_terms)))
    for each in new:
        watch.add(*each)
    return watch


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({}, []),
        ({"shares": (0.48, 0.32, 0.2)}, []),
        ({"sure": 0.79, "known": 8.9}, []),
        ({"sure": 0.7}, ["confidence"]),
        ({"sure": 0.9}, ["confidence"]),
        ({"sure": 0.7, "shares": (0.2, 0.6, 0.2)}, ["confidence"]),  # not: labels
        ({"known": 7.0}, ["known terms per word"]),
        ({"known": 11.0}, []),
        ({"shares": (0.5, 0.4, 0.1)}, ["label c", "label b"]),
        ({"known": 8.5, "shares": (0.5, 0.4, 0.1)}, []),  # the texts are a little different
    ],
)
def test_what_moved_is_named(changes, names):
    assert [each.what for each in moved(lot(2000, **changes)).moved] == names
    few = moved(lot(90, **changes)), moved(lot(2000, **changes), n_there=90)
    assert [each.moved for each in few] == [[], []]


def test_values_are_means_here_and_there():
    watch = moved(lot(500, sure=0.6, known=5.0))
    record = {each["what"]: (each["here"], each["held_out"]) for each in watch.record}
    assert record == {
        "known terms per word": pytest.approx((0.5, 0.9), abs=0.03),
        "confidence": pytest.approx((0.6, 0.8), abs=0.03),
    }
    assert watch.difference.startswith(
        "the texts differ from those held out in training: known terms per word 0."
    )
    label = moved(lot(2000, (0.5, 0.5, 0))).difference
    assert label.endswith(": label c 0 % (there 20 %), label b 51 % (there 30 %)")
    assert ": label a 100 % (there 50 %), " in moved(lot(2000, (1, 0, 0))).difference


def test_batches_give_what_all_texts_give_and_later_words_weigh_as_many():
    first, later = lot(3000), lot(3000, known=5.0, seed=2)
    texts, found = first[0] + later[0], {}
    for name in ("probabilities", "n_first_terms"):
        found[name] = np.concatenate([getattr(each[1], name) for each in (first, later)])
    batches = [
        (texts[i : i + 70], SimpleNamespace(**{name: rows[i : i + 70] for name, rows in found.items()}))
        for i in range(0, 6000, 70)
    ]
    once, often = moved((texts, SimpleNamespace(**found))), moved(*batches)
    (known,), (alike,) = once.moved, often.moved
    assert known.here == pytest.approx(alike.here) == pytest.approx(0.7, abs=0.03)


@pytest.mark.parametrize("record", [None, 3, {}, {"labels": [1], "confidence": 2}, {"confidence": {}}])
def test_of_a_file_that_does_not_tell_nothing_is_said(record):
    watch = TextWatch(MODEL, {"held_out": record})
    watch.add(*lot(1000, (0, 0, 1), sure=0.5, known=6))
    assert (watch.moved, watch.strangeness) == ([], "")


def test_without_probabilities_known_words_are_compared():
    texts, found = lot(1000)
    known = known_per_word(texts, found.n_first_terms)
    watch = TextWatch(MODEL, recorded(SimpleNamespace(probabilities=None), known))
    watch.add(texts, SimpleNamespace(probabilities=None, n_first_terms=found.n_first_terms // 2))
    assert [each.what for each in watch.moved] == ["known terms per word"]


def test_texts_without_words_count_for_nothing():
    assert np.isnan(known_per_word(["!?", "a b a"], np.array([0, 3]))).tolist() == [True, False]
    assert recorded(SimpleNamespace(probabilities=None), np.array([np.nan])) == {"held_out": {}}
    watch = moved((["!?"] * 200, lot(200)[1]))
    assert watch.strangeness == ""


def test_of_several_labels_each_share_is_watched():
    """The likeliest label of each text stays, and another goes from 40 % to 10 %."""
    random = np.random.default_rng(3)

    def texts_with(share):
        has_it = random.random((1000, 3)) < (1, share, 0.2)
        found = SimpleNamespace(probabilities=np.where(has_it, (0.9, 0.8, 0.7), 0.05))
        return found, [tuple(MODEL.classes_[row].tolist()) for row in has_it]

    there, labels = texts_with(0.4)
    watch = TextWatch(MODEL, recorded(there, labels=labels))
    here, _ = texts_with(0.1)
    watch.add([TEXT] * 1000, SimpleNamespace(**vars(here), n_first_terms=np.full(1000, 9)))
    assert [each.what for each in watch.moved] == ["label b"]
