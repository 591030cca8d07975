"""The English model that comes along, used by commands that are given no other."""

import re
from importlib import resources

import pytest

from fastsvm_apps.sentiment.data.text_source import TextSource
from fastsvm_apps.sentiment.jobs.corpus_evaluation import CorpusEvaluation
from fastsvm_apps.sentiment.measures.prediction import load_text_model

CARD = (resources.files("fastsvm_apps.sentiment") / "shipped" / "MODEL_CARD.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def english():
    return load_text_model(None)


def test_it_is_there_and_small(english):
    file = resources.files("fastsvm_apps.sentiment") / "shipped" / "english.safetensors"
    assert file.stat().st_size < 2_000_000
    assert english.classes_.tolist() == ["neg", "pos"]
    assert len(english["vectorizer"].get_feature_names_out()) == english["classifier"].coef_.shape[1]
    assert english["classifier"].coef_.dtype == english["weighting"].weights_.dtype == "float32"
    assert load_text_model("english").predict(["boring"]) == ["neg"]


def test_the_card_is_of_this_model(english):
    """Every text of its table has the probability that stands there, and the wrong ones are marked."""
    rows = re.findall(r"^\| (neg|pos) \| (.+?) \| (\d\.\d\d)( \*\*wrong\*\*)? \|$", CARD, re.MULTILINE)
    assert len(rows) > 50
    labels, texts, stated, wrong = zip(*rows, strict=True)
    found = english.predict_proba(texts)[:, 1]
    assert found == pytest.approx([float(number) for number in stated], abs=0.0051)
    assert [bool(mark) for mark in wrong] == (english.predict(texts) != labels).tolist()
    assert f"**{sum(map(bool, wrong))} of {len(rows)}** are wrong" in CARD


def test_apostrophes_and_capitals_make_no_difference(english):
    scores = english.decision_function(["I don't like it", "I DON’T LIKE IT", "i don't  like it!"])
    assert scores[0] == scores[1] == scores[2] != 0


def test_unknown_words_say_nothing(english):
    assert english.predict_proba(["qwxz vrrk"]).tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize("name", ["sentiment.txt", "imdb_10k.tsv"])
def test_it_knows_what_it_was_trained_on(english, shared, name):
    found = CorpusEvaluation([("english", english, {})], TextSource(str(shared / name)))
    assert found.evaluation.accuracy > 0.9
