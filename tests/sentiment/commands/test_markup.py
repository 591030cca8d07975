"""HTML in a corpus: stripped where it has some, the same by every command that uses the model."""

import json

import pytest

from fastsvm.text import TextScorer
from fastsvm_apps.sentiment.jobs.text_explanation import TextExplainer
from fastsvm_apps.sentiment.measures.prediction import load_text_model


@pytest.fixture
def html(texts):
    """Return texts with tags and entities."""
    return [(y, f"{text}<br />The caf&eacute; &amp; <b>bar</b>") for y, text in texts(100)]


@pytest.mark.parametrize("options", [{}, {"keep_markup": True}])
def test_a_model_does_with_new_texts_what_it_did_with_its_own(run, write, html, texts, options):
    recipe = "--recipe", "nb-words"
    assert run("train", write(html, "csv"), "-o", "m.safetensors", *recipe, config=options).exit_code == 0
    model = TextScorer.load("m.safetensors")
    names = set(model[0].get_feature_names_out().tolist())
    assert ("br" in names, "eacute" in names) == ((True, True) if options else (False, False))
    assert ("café" in names) == (not options)
    with_markup = f"{html[0][1]}<br />br"
    decision = model.decision_function([with_markup])[0]
    scored = run("predict", "m.safetensors", "--json", input=with_markup)
    assert json.loads(scored.stdout)["score"] == decision
    explained = json.loads(run("explain", "m.safetensors", with_markup, "--json").stdout)
    assert explained["score"] == pytest.approx(decision)


def test_explain_marks_words_where_they_stand(run, write, html):
    assert run("train", write(html, "csv"), "-o", "m.safetensors", "--ngrams", "1").exit_code == 0
    text = "A <i>GREAT</i> caf&eacute;, &amp;c; so dull<br>thing1"
    spans = TextExplainer(load_text_model("m.safetensors")).explain(text).spans
    assert {text[span.start : span.stop] for span in spans} >= {"GREAT", "caf&eacute;", "dull", "thing1"}


def test_a_corpus_without_markup_has_a_model_without(run, write, texts):
    pairs = texts(60)
    assert run("train", write(pairs), "-o", "m.safetensors", "--recipe", "nb-words").exit_code == 0
    assert TextScorer.load("m.safetensors")[0].preprocessor is None
