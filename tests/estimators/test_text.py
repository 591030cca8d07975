"""The vectorisers as scikit-learn's own tools use them, and where they hand over to scikit-learn's code."""

import copy
import pickle

import pytest
import sklearn
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
from sklearn.utils import get_tags

from fastsvm.text import BagOfWords, HashedBagOfWords
from twins import (
    OTHERS,
    TEXTS,
    assert_same,
    assert_same_bits,
    assert_same_matrix,
    check,
    outcome,
    scikit_learn,
)

pytestmark = pytest.mark.blas

BOTH = pytest.mark.parametrize("vectorizer", [BagOfWords, HashedBagOfWords])
OWN = {BagOfWords: CountVectorizer, HashedBagOfWords: HashingVectorizer}


# Where scikit-learn's own code does the work


def shout(text):
    return text.upper().split()


def letters(text):
    return sorted(set(text))


def swap(text):
    return text.swapcase()


FALLBACKS = [
    {"tokenizer": shout, "token_pattern": None},
    {"tokenizer": shout},
    {"preprocessor": swap},
    {"analyzer": letters},
    {"analyzer": letters, "ngram_range": (1, 2), "stop_words": ["the"], "preprocessor": swap},
    {"analyzer": "char", "ngram_range": (2, 3)},
    {"analyzer": "char_wb", "ngram_range": (1, 3), "stop_words": ["the"]},
    {"token_pattern": r"\w+"},
    {"token_pattern": r"(?u)\b\w\w\w+\b", "ngram_range": (1, 2)},
    {"token_pattern": r"(\w)\w+"},
    {"token_pattern": r"\S+"},
    {"strip_accents": swap},
    {"analyzer": "char", "token_pattern": r"\S+"},
]


@pytest.mark.parametrize("parameters", FALLBACKS, ids="-".join)
def test_what_is_not_compiled_is_as_in_scikit_learn(parameters):
    for more in ({}, {"min_df": 2}, {"max_features": 5, "binary": True}, {"vocabulary": ["the", "cat", "t"]}):
        for n_jobs in (None, 2):
            X = check(BagOfWords(**parameters, **more, n_jobs=n_jobs))
            assert X is not None


@pytest.mark.parametrize("parameters", FALLBACKS, ids="-".join)
def test_hashing_what_is_not_compiled(parameters):
    ours = HashedBagOfWords(**parameters, n_jobs=2)
    assert_same(*(outcome(lambda one=one: one.fit_transform(TEXTS)) for one in (ours, scikit_learn(ours))))


def test_methods_of_a_subclass_are_called():
    """Overriding the parts of the analysis is how vectorisers are extended."""

    class Stems(BagOfWords):
        def build_analyzer(self):
            analyze = super().build_analyzer()
            return lambda text: [word.rstrip("s") for word in analyze(text)]

    class Quiet(BagOfWords):
        def build_preprocessor(self):
            return lambda text: text.replace("cat", "dog")

    class Pairs(BagOfWords):
        def build_tokenizer(self):
            return lambda text: [text[i : i + 2] for i in range(0, len(text), 2)]

    class Decoded(BagOfWords):
        def decode(self, doc):
            return doc["text"]

    assert "dog" in Stems().fit(TEXTS).vocabulary_
    assert "dogs" not in Stems().fit(TEXTS).vocabulary_
    assert "cat" not in Quiet().fit(TEXTS).vocabulary_
    assert "Th" in Pairs(lowercase=False).fit(TEXTS).vocabulary_
    assert Decoded().fit([{"text": "one"}]).vocabulary_ == {"one": 0}


# Parameters, copies, and the look of things


@BOTH
def test_they_are_scikit_learns_with_more_parameters(vectorizer):
    own = OWN[vectorizer]
    assert issubclass(vectorizer, own)
    more = {"n_jobs": None, "marks": False} if vectorizer is BagOfWords else {"n_jobs": None}
    assert vectorizer().get_params() == {**own().get_params(), **more}
    assert get_tags(vectorizer()) == get_tags(own())


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
@pytest.mark.parametrize(
    "parameters", [{}, {"analyzer": "split", "ngram_range": (1, 2)}, {"vocabulary": ["cat"]}], ids=str
)
def test_copies(copied, parameters):
    one = BagOfWords(**parameters).fit(TEXTS)
    for fitted in (one, BagOfWords(**parameters).fit(TEXTS)):
        other = copied(fitted)
        assert type(other) is BagOfWords
        assert other.vocabulary_ == fitted.vocabulary_
        assert other.get_feature_names_out().tolist() == fitted.get_feature_names_out().tolist()
        assert_same_bits(other.transform(OTHERS), fitted.transform(OTHERS))
        other.fit(OTHERS)
        own = scikit_learn(one).fit(TEXTS)
        assert_same_matrix(fitted.transform(TEXTS), own.transform(TEXTS))
        fitted.transform(TEXTS)  # the second time round, what is prepared once is there
    unfitted = copied(BagOfWords(**parameters))
    assert_same_matrix(unfitted.fit_transform(TEXTS), scikit_learn(one).fit_transform(TEXTS))


def test_a_copy_with_surrogates_in_its_terms():
    one = BagOfWords(analyzer="split").fit(["\ud800 \x00 x"])
    other = pickle.loads(pickle.dumps(one))
    assert other.vocabulary_ == one.vocabulary_


@BOTH
def test_sparse_arrays_where_they_are_configured(vectorizer):
    if "sparse_interface" not in sklearn.get_config():
        pytest.skip("this scikit-learn returns matrices only")
    for interface, kind in (("sparray", sparse.csr_array), ("spmatrix", sparse.csr_matrix)):
        with sklearn.config_context(sparse_interface=interface):
            one = vectorizer()
            assert type(one.fit_transform(TEXTS)) is kind
            assert type(one.transform(TEXTS)) is kind


# Together with others
