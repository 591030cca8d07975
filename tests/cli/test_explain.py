"""explain: the parts of a score, and where in the text they are."""

import re

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.pipeline import Pipeline

import fastsvm
from fastsvm_apps.common.errors import AppError
from fastsvm_apps.sentiment.explanation import explain

TEXTS = [
    "Great, great thing: I would buy this great thing again!",
    "A waste of money. It broke, it broke again",
    "mediocre thing, it is a fair thing",
    "sturdy and bright and a waste of paper",
]
HARD = (
    "İt BROKE\N{COMBINING ACUTE ACCENT} again — Straße ﬁne ΟΔΟΣ caf\u00e9, xyzzy great\r\nthing\x00 waste of"
)


def fitted(labels=2, weighting=None, **options):
    texts, y = [*TEXTS, "it again fine café straße οδος"], ["neg", "pos", "mixed", "pos", "neg"]
    y = [label if labels == 3 or label != "mixed" else "neg" for label in y]
    steps = [("vectorizer", CountVectorizer(**options))]
    if weighting is not None:
        steps.append(("weighting", weighting))
    return Pipeline([*steps, ("classifier", fastsvm.SDCAClassifier(loss="log", alpha=0.01))]).fit(texts, y)


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize(
    ("weighting", "options"),
    [
        (None, {}),
        (None, {"ngram_range": (1, 2), "token_pattern": r"\S+"}),
        (None, {"binary": True, "ngram_range": (2, 3), "stop_words": "english"}),
        (TfidfTransformer(sublinear_tf=True), {"ngram_range": (1, 2)}),
        (None, {"strip_accents": "unicode", "token_pattern": r"(\w)\w*"}),
    ],
)
@pytest.mark.parametrize("text", [*TEXTS, HARD, "", "nothing known"])
def test_contributions_add_up(labels, weighting, options, text):
    model = fitted(labels, weighting, **options)
    decision = model.decision_function([text])[0]
    found = explain(model, text)
    assert found.label == model.predict([text])[0]
    assert found.side == ("pos" if labels == 2 else found.label)
    assert found.score == (decision if labels == 2 else decision.max())
    for parts in (found.words, found.spans):
        total = sum(part.contribution for part in parts) + found.intercept
        np.testing.assert_allclose(total, found.score, rtol=1e-12, atol=1e-12)
    sizes = [abs(word.contribution) for word in found.words]
    assert sizes == sorted(sizes, reverse=True)
    counts = model["vectorizer"].transform([text])
    present = model["vectorizer"].get_feature_names_out()[counts.indices]
    assert sorted(word.term for word in found.words) == sorted(present)
    if not model["vectorizer"].binary:
        assert sum(word.count for word in found.words) == counts.sum()


@pytest.mark.parametrize("labels", [2, 3])
def test_every_label_can_be_asked_for(labels):
    model = fitted(labels)
    decision = model.decision_function([TEXTS[0]])[0]
    scores = dict(zip(model.classes_, [-decision, decision] if labels == 2 else decision, strict=True))
    for label, score in scores.items():
        found = explain(model, TEXTS[0], label)
        assert (found.side, found.score) == (label, score)
        assert found.label == model.predict([TEXTS[0]])[0]
        total = sum(word.contribution for word in found.words) + found.intercept
        np.testing.assert_allclose(total, score, rtol=1e-12)
    with pytest.raises(AppError, match="knows no label 'good'; its labels are"):
        explain(model, TEXTS[0], "good")


def known(model):
    """Set every weight so that it tells its term, and return the terms' weights."""
    weights = {term: 1.0 + i for i, term in enumerate(model["vectorizer"].get_feature_names_out())}
    model["classifier"].coef_[0] = list(weights.values())
    return weights


def test_spans_share_what_their_terms_contribute():
    model = fitted(ngram_range=(1, 2))
    weights = known(model)
    text = "GREAT unheard-of great thing"
    spans = {text[start:stop] + str(start): share for start, stop, share in explain(model, text).spans}
    assert spans == pytest.approx(
        {
            "GREAT0": weights["great"],
            "of14": weights["of"],  # "unheard" and "unheard of" are not known
            "great17": weights["great"] + weights["great thing"] / 2,
            "thing23": weights["thing"] + weights["great thing"] / 2,
        }
    )


def test_unknown_words_are_listed():
    found = explain(fitted(), "Never heard: great THINGAMAJIG, never")
    assert found.unknown == ["never", "heard", "thingamajig", "never"]
    assert (found.n_words, [word.term for word in found.words]) == (5, ["great"])


def test_spans_lie_on_the_words_of_the_original():
    model = fitted(strip_accents="unicode")
    spans = [HARD[start:stop] for start, stop, _ in explain(model, HARD).spans]
    # The dot of İ is a character of its own in lower case, and falls away with the accents.
    assert spans == [
        *("İt", "BROKE", "again", "Straße"),
        *("ﬁne", "ΟΔΟΣ", "café", "great", "thing", "waste", "of"),
    ]


def test_spans_of_plain_text_are_its_words():
    text = " ".join(TEXTS) + " \N{LATIN CAPITAL LETTER I WITH DOT ABOVE} " + TEXTS[0]
    spans = [text[start:stop].lower() for start, stop, _ in explain(fitted(), text).spans]
    assert spans == re.findall(r"\b\w\w+\b", text.lower().replace("\N{COMBINING DOT ABOVE}", ""))
