"""Combining marks in words, and one word in Unicode's composed and decomposed form."""

import sys
from collections import Counter
from unicodedata import category, normalize

import pytest

from fastsvm.text import Bag, BagOfWords, lower_without_markup, token_regex
from pairs import named

WORDS = "हिन्दी বাংলা தமிழ் שָׁלוֹם Việt café Å 각 क़ می‌خواهم İzmir x̱y a\U000e0100b ❤\ufe0f".split()  # noqa: SIM905
KINDS = [{"token_pattern": r"\w+"}, {"analyzer": "split"}, {"analyzer": "char_wb", "ngram_range": (1, 3)}]
KINDS += [{"token_pattern": r"\w\w+", "preprocessor": lower_without_markup}, {"ngram_range": (1, 9)}]
ODD = [c for c in map(chr, range(sys.maxunicode)) if c < "\u3000" or ord(c) % 97 == 0 or category(c) == "Mn"]


@pytest.mark.parametrize("pattern", [r"\w+", r"\w\w+"])
def test_every_character_is_read_as_the_pattern_says(pattern):
    """Behind a letter, behind a sign, and between letters; Python's own tables are the reference."""
    texts = [*WORDS, *(f"a{c} -{c} b{c}b" for c in ODD)]
    bag, find = Bag(token_pattern=pattern, marks=True), token_regex(pattern, marks=True).findall
    X = bag.fit_transform(texts)
    for text, row in zip(texts, X, strict=True):
        found = bag.terms_.at(row.indices).strings()
        assert dict(zip(found, row.data, strict=True)) == Counter(find(normalize("NFC", text).lower()))
    whole = {normalize("NFC", word).lower() for word in WORDS[:-1]}
    assert whole - {"å", "각"} <= set(bag.terms_.strings())


@pytest.mark.parametrize("kind", KINDS, ids=named)
def test_bags_read_as_their_analyzer(kind):
    texts = [f"{word} &amp;<b>{normalize('NFD', word)}</b> e&#769; plain" for word in WORDS]
    bag = BagOfWords(marks=True, **kind).fit(texts)  # scikit-learn's own code counts nine words in a row
    for text, row in zip(texts, bag.transform(texts), strict=True):
        found = zip(bag.get_feature_names_out()[row.indices], row.data, strict=True)
        assert dict(found) == Counter(bag.build_analyzer()(text))
