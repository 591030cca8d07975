"""Combining marks in words, and one word in Unicode's composed and decomposed form."""

import sys
from collections import Counter
from unicodedata import category, normalize

import pytest
from sklearn.pipeline import make_pipeline

from fastsvm import SDCAClassifier, load_model, save_model
from fastsvm.text import Bag, BagOfWords, TextScorer, lower_without_markup, token_regex

WORDS = [
    "हिन्दी",
    "বাংলা",
    "தமிழ்",
    "שָׁלוֹם",
    "Việt",
    "café",
    "Å",
    "각",
    "क़",
    "می‌خواهم",
    "İzmir",
    "x̱y",
    "a\U000e0100b",
]
KINDS = [{"token_pattern": r"\w+"}, {"token_pattern": r"(?u)\b\w\w+\b"}, {"analyzer": "split"}]
KINDS += [{"analyzer": "char_wb", "ngram_range": (1, 3)}, {"token_pattern": r"\w+", "ngram_range": (1, 9)}]
CLEANED = [{}, {"preprocessor": lower_without_markup}, {"lowercase": False}]


def test_words_are_whole_in_either_form():
    for form in "NFC", "NFD":
        texts = [normalize(form, f"({word}) ❤\ufe0f \u0301") for word in WORDS]
        bag = Bag(token_pattern=r"\w+", marks=True).fit(texts)
        expected = {normalize("NFC", word).lower() for word in WORDS}
        assert set(bag.get_feature_names_out().tolist()) == expected


@pytest.mark.parametrize("least", [1, 2])
def test_every_character_is_read_as_the_pattern_says(least):
    """Behind a letter, behind a sign, and between letters; Python's own tables are the reference."""
    point = [
        chr(p) for p in range(sys.maxunicode + 1) if p < 0x3000 or p % 97 == 0 or category(chr(p))[0] == "M"
    ]
    texts = [f"a{c} -{c} b{c}b" for c in point if c.lower() == c]
    pattern = r"\w+" if least == 1 else r"\w\w+"
    bag, find = (
        Bag(token_pattern=pattern, marks=True, lowercase=False),
        token_regex(pattern, marks=True).findall,
    )
    X = bag.fit_transform(texts)
    names = bag.get_feature_names_out()
    for text, row in zip(texts, X, strict=True):
        expected = Counter(find(normalize("NFC", text)))
        assert dict(zip(names[row.indices].tolist(), row.data.tolist(), strict=True)) == expected


@pytest.mark.parametrize("cleaned", CLEANED, ids=str)
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_bags_of_words_and_model_files_read_alike(kind, cleaned, tmp_path):
    texts = [f"{word} &amp;<b>{normalize('NFD', word)}</b> e&#769; plain" for word in WORDS]
    bag = BagOfWords(marks=True, **kind, **cleaned)
    X = bag.fit_transform(texts).toarray()
    names = bag.get_feature_names_out().tolist()
    analyze = bag.build_analyzer()
    for text, row in zip(texts, X.tolist(), strict=True):
        assert {name: n for name, n in zip(names, row, strict=True) if n} == Counter(analyze(text))
    if kind.get("ngram_range") == (1, 9):
        return  # scikit-learn's own code counted
    assert (Bag(marks=True, **kind, **cleaned).fit_transform(texts).toarray() == X).all()
    model = make_pipeline(bag, SDCAClassifier()).fit(texts, [0, 1] * (len(texts) // 2) + [1])
    save_model(model, path := tmp_path / "model.safetensors")
    for other in load_model(path), TextScorer.load(path):
        for form in "NFC", "NFD":
            same = [normalize(form, text) for text in texts]
            assert (other.decision_function(same) == model.decision_function(texts)).all()
