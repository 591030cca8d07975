"""HTML's tags and entities: what is taken out of a text, what stays, and that a model file knows of it."""

import pickle

import pytest
from sklearn.feature_extraction.text import CountVectorizer

from fastsvm.text import Bag, BagOfWords, has_markup, lower_without_markup


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One<br /><br/>Two<BR>", "one two"),
        ('<p class="a">Big</p>\n<a href="http://x.y/?a=1&amp;b=2">link</a>', "big link"),
        ("<!-- a\ncomment --><script>if (a < b) {}</script>left<style>p {}</style >", "left"),
        ("Fish &amp; chips, caf&eacute;&nbsp;&#8217;s &#x4E2D;", "fish & chips, café ’s 中"),
        ("&lt;b&gt;bold&lt;/b&gt;", "bold"),
        ("&lt;#&gt; minutes", "<#> minutes"),
    ],
)
def test_what_is_taken_out(text, expected):
    assert has_markup(text)
    assert " ".join(lower_without_markup(text).split()) == expected


@pytest.mark.parametrize(
    "text",
    ["a < b > c", "<user> said <URL>", "I <3 U", "R&D; AT&T", "x &foo bar", "<bravo>", "a<b", "<", "&;", ""],
)
def test_what_stays(text):
    assert lower_without_markup(text) == text.lower()
    assert not has_markup(text)


def test_tags_keep_the_places_of_words():
    text = "A <b>bold</b> <i >Word</i>"
    plain = lower_without_markup(text)
    assert len(plain) == len(text)
    assert plain.index("word") == text.index("Word")


TEXTS = ["A <b>fine</b> pen<br />and br", "so dull &amp; grey<br />", "fine Caf&eacute;", "İ <i>dull</i>"]


def test_vectorisers_agree():
    bag = BagOfWords(preprocessor=lower_without_markup)
    X = bag.fit_transform(TEXTS).toarray()
    usual = CountVectorizer(preprocessor=lower_without_markup)
    assert (usual.fit_transform(TEXTS).toarray() == X).all()
    plain = Bag(preprocessor=lower_without_markup)
    assert (plain.fit_transform(TEXTS).toarray() == X).all()
    assert plain.get_feature_names_out().tolist() == usual.get_feature_names_out().tolist()
    assert (pickle.loads(pickle.dumps(plain)).transform(TEXTS).toarray() == X).all()
    with pytest.raises(TypeError, match="a text is of type int, not str"):
        plain.transform([3])
