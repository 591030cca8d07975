"""Where terms are: as often as they are counted, and inside the text."""

from itertools import pairwise

import numpy as np
import pytest

from fastsvm.text import Bag, Union, lower_without_markup
from fastsvm_apps import sentiment
from fastsvm_apps.sentiment.model.places import places

TEXTS = [
    "A fine pen; a FINE pen, isn't it? ... :)",
    "  x\tyy\nzzz  Ünïcode İstanbul ΣΑΣ 🎉🎉 naïve ",
    "<b>Good</b> &amp; cheap<br />really &eacute;t&eacute;",
    "这个酒店很好，房间很大。 服务也不错",
    "",
    "a",
]
WORDS = {"ngram_range": (1, 2), "token_pattern": r"(?u)\b\w+\b"}
SIGNS = {"analyzer": "char_wb", "ngram_range": (1, 4)}


@pytest.mark.parametrize("clean", [None, lower_without_markup])
@pytest.mark.parametrize("kind", ["words", "characters", "both"])
def test_terms_are_found_as_often_as_they_are_counted(clean, kind):
    words, signs = Bag(preprocessor=clean, **WORDS), Bag(preprocessor=clean, **SIGNS)
    bag = {"words": words, "characters": signs, "both": Union([("w", words), ("c", signs)])}[kind]
    X = bag.fit_transform(TEXTS)
    names = bag.get_feature_names_out()
    for text, row in zip(TEXTS, X.toarray(), strict=True):
        counted = {names[i]: row[i] for i in np.flatnonzero(row)}
        tokens, found = places(bag, text, counted)
        assert {term: len(those) for term, those in found.items()} == counted
        assert [token.start for token in tokens] == sorted(token.start for token in tokens)
        for before, after in pairwise(tokens):
            assert before.stop <= after.start
        for those in found.values():
            assert all(members and set(members) <= set(range(len(tokens))) for members in those)


def test_characters_belong_to_the_words_that_they_are_in():
    bag = Union([("w", Bag(**WORDS)), ("c", Bag(**SIGNS))]).fit(["it isn't so, :)"])
    names = bag.get_feature_names_out().tolist()
    tokens, found = places(bag, "it isn't so, :)", names)
    assert [token.token for token in tokens] == ["it", "isn", "t", "so", ":)"]
    assert found["c__sn"] == [[1]]
    assert found["c__n't"] == [[1, 2]]
    assert found["c__ so,"] == [[3]]
    assert found["c__:)"] == [[4]]
    assert found["w__isn t"] == [[1, 2]]
    assert found["c__,"] == [[3]]  # between no words: to all of what the blanks divide
    chinese, _ = places(Bag(**SIGNS).fit(["酒店很好 好"]), "酒店很好 好", ["很好"])
    assert [token.token for token in chinese] == list("酒店很好好")


@pytest.mark.parametrize("recipe", ["nb-both", "tfidf-chars"])
def test_shares_add_up_to_the_score(recipe):
    given = [f"{w} thing{i % 7}, {w}ly done" for i, w in enumerate(["good", "bad"] * 60)]
    labels = ["pos", "neg"] * 60
    model = sentiment.train(given, labels, recipe=recipe)
    for text in (given[0], f"{given[1]}, {given[2].upper()}!"):
        found = model.explain(text)
        score = float(model.decision_function([text])[0])
        np.testing.assert_allclose(found.score, score, rtol=1e-5)
        for parts in (found.words, found.spans):
            total = found.intercept + sum(part.contribution for part in parts)
            np.testing.assert_allclose(total, score, rtol=1e-3, atol=1e-5)
        assert all(text[span.start : span.stop].strip() for span in found.spans)
