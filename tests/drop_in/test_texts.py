"""The drop-in vectorisers and SelectKBest beside scikit-learn's."""

import copy
import pickle
import warnings

import numpy as np
import pytest
import sklearn.feature_extraction.text as theirs
import sklearn.feature_selection
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_selection import chi2, f_classif

from fastsvm import drop_in
from twins import OTHERS, TEXTS, assert_same_matrix, check, outcome, scikit_learn

SETTINGS = [
    {},
    *({"ngram_range": (1, 2), "binary": binary} for binary in (False, True)),
    *({"analyzer": name, "ngram_range": (2, 4), "strip_accents": "unicode"} for name in ("char", "char_wb")),
    {"stop_words": "english", "lowercase": False, "dtype": np.float32},
    *({"token_pattern": pattern} for pattern in (r"\w{1,}", r"(?u)\b\w{2,}\b", r"\S+", r"\b\w+\b")),
    {"tokenizer": str.split, "token_pattern": None},
    {"preprocessor": str.swapcase, "dtype": np.int64},
    {"analyzer": str.split},
]
FITTED = [
    *({"min_df": 2, "max_df": share, "max_features": 4} for share in (0.5, 9)),
    *({"vocabulary": words} for words in (["cat", "the", "unseen"], {"mat": 1, "the": 0})),
]
MISSING = [
    ({"token_pattern": "[a-z]+"}, r"the token_pattern '\[a-z\]\+'"),
    ({"ngram_range": (1, 9)}, "n-grams of 9 words"),
]


@pytest.mark.parametrize("settings", [*SETTINGS, *FITTED], ids=str)
@pytest.mark.parametrize("name", ["CountVectorizer", "TfidfVectorizer"])
def test_vectorisers(name, settings):
    ours = getattr(drop_in, name)(**settings)
    own = scikit_learn(ours)
    assert type(own) is getattr(theirs, name)
    if name == "CountVectorizer":
        check(ours)
    for fit in ours.fit_transform, lambda texts: ours.fit(texts).transform(texts):
        np.testing.assert_allclose(fit(TEXTS).toarray(), own.fit_transform(TEXTS).toarray(), rtol=1e-12)
    assert ours.get_params() == own.get_params()
    assert ours.vocabulary_ == own.vocabulary_
    expected = own.transform(OTHERS)
    for again in ours, pickle.loads(pickle.dumps(ours)), copy.deepcopy(ours), clone(ours).fit(TEXTS):
        found = again.transform(OTHERS)
        np.testing.assert_allclose(found.toarray(), expected.toarray(), rtol=1e-12)
        assert found.dtype == expected.dtype
        for words, own_words in zip(
            again.inverse_transform(found), own.inverse_transform(expected), strict=True
        ):
            assert sorted(words) == sorted(own_words)
    assert ours.build_analyzer()(TEXTS[0]) == own.build_analyzer()(TEXTS[0])


@pytest.mark.parametrize("norm", ["l1", "l2", None])
@pytest.mark.parametrize("more", [{"use_idf": False}, {"smooth_idf": False}, {"sublinear_tf": True}], ids=str)
def test_weights(norm, more):
    ours = drop_in.TfidfVectorizer(norm=norm, **more)
    own = scikit_learn(ours)
    for texts in TEXTS, OTHERS:
        found = [one.fit(TEXTS).transform(texts).toarray() for one in (ours, own)]
        np.testing.assert_allclose(*found, rtol=1e-12)
    counts = sparse.csr_array(drop_in.CountVectorizer().fit_transform(TEXTS))
    twice = sparse.csr_array(
        (np.repeat(counts.data, 2), np.repeat(counts.indices, 2), 2 * counts.indptr), counts.shape
    )
    for X in counts, twice, counts.astype(np.float32), counts.tocsc(), counts.toarray():
        before = copy.deepcopy(X)
        found = drop_in.TfidfTransformer(norm=norm, **more).fit_transform(X)
        expected = theirs.TfidfTransformer(norm=norm, **more).fit_transform(copy.deepcopy(X))
        assert type(found) is type(expected)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found.toarray(), expected.toarray(), rtol=1e-12)
        assert (before != X).sum() == 0


@pytest.mark.parametrize(
    "settings", [*SETTINGS, {"alternate_sign": False, "norm": "l1"}, {"n_features": 7}], ids=str
)
def test_hashes(settings):
    if settings.get("analyzer") in ("char", "char_wb"):
        with pytest.warns(drop_in.FallbackWarning, match="fastsvm does not support the analyzer 'char"):
            drop_in.HashingVectorizer(**settings).transform(TEXTS)
        return
    ours = drop_in.HashingVectorizer(**settings)
    own = scikit_learn(ours)
    assert_same_matrix(ours.partial_fit(TEXTS).transform(TEXTS), own.transform(TEXTS))


@pytest.mark.parametrize(("settings", "missing"), MISSING, ids=str)
@pytest.mark.parametrize("name", ["CountVectorizer", "TfidfVectorizer", "HashingVectorizer"])
def test_what_is_not_compiled_is_said_and_refused_where_asked(name, settings, missing, monkeypatch):
    ours = getattr(drop_in, name)(**settings)
    with pytest.warns(drop_in.FallbackWarning, match=f"{name}: fastsvm does not support {missing}"):
        found = ours.fit_transform(TEXTS)
    assert_same_matrix(found, scikit_learn(ours).fit_transform(TEXTS))
    monkeypatch.setenv("FASTSVM_STRICT", "1")
    with pytest.raises(NotImplementedError, match=missing):
        ours.fit_transform(TEXTS)


@pytest.mark.parametrize("name", ["CountVectorizer", "TfidfVectorizer", "HashingVectorizer"])
def test_the_analyzer_of_another_class_is_refused(name):
    with pytest.raises(ValueError, match="'split'"):
        getattr(drop_in, name)(analyzer="split").fit_transform(TEXTS)


@pytest.mark.parametrize("texts", [[], "a text", [None], [np.nan]], ids=str)
def test_errors_are_scikit_learns_or_say_more(texts):
    for name in "CountVectorizer", "TfidfVectorizer", "HashingVectorizer":
        ours = getattr(drop_in, name)().fit(TEXTS)
        own = scikit_learn(ours).fit(TEXTS)
        found, expected = (outcome(lambda one=one: one.transform(texts)).error for one in (ours, own))
        more = "Found array with 0 sample" if not texts else "is an invalid document"
        assert found == expected or (found[0] is ValueError and more in found[1])


def test_weights_of_another_size_are_not_read_beyond_their_end():
    model = drop_in.TfidfVectorizer().fit(TEXTS)
    model.vocabulary_ = {f"word{k}": k for k in range(10**6)}
    with pytest.raises(ValueError, match="X has 1000000 features"):
        model.transform(["word999999"])


@pytest.mark.parametrize("score", [f_classif, chi2, lambda X, y: np.arange(X.shape[1])])
@pytest.mark.parametrize("y", [np.arange(10) % 2, np.arange(10) % 3, list("aabbccabca"), np.arange(10) / 7])
@pytest.mark.parametrize("k", [0, 5, 10**6, "all"])
def test_select_k_best(score, y, k):
    counts = theirs.CountVectorizer().fit_transform(TEXTS)
    apart = sparse.csr_matrix(np.arange(10)[:, None] % 2 + np.zeros(12))  # constant in each of two classes
    constant = sparse.csr_matrix(np.ones((10, 12)))
    for X in counts, counts.astype(np.float32), -counts, counts.tocsc(), counts.toarray(), apart, constant:
        outcomes = []
        for module in drop_in, sklearn.feature_selection:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                model = module.SelectKBest(score, k=k)
                try:
                    kept = model.fit_transform(X, y)
                    found = [
                        model.scores_,
                        model.pvalues_,
                        model.get_support(),
                        kept.toarray() if sparse.issparse(kept) else kept,
                    ]
                except ValueError as error:
                    found = [str(error)]
            said = {str(each.message).partition("[")[0] for each in caught if each.category is UserWarning}
            outcomes.append(([*found], said))
        (ours, said), (own, own_said) = outcomes
        for found, expected in zip(ours, own, strict=True):
            np.testing.assert_array_equal(found, expected)
        assert said == own_said


def test_p_values_are_those_of_the_last_fit():
    counts = theirs.CountVectorizer().fit_transform(TEXTS)
    model = drop_in.SelectKBest(k=3)
    assert not hasattr(model, "pvalues_")
    for y in np.arange(10) % 2, np.arange(10) % 3:
        own = sklearn.feature_selection.SelectKBest(k=3).fit(counts, y)
        np.testing.assert_array_equal(model.fit(counts, y).pvalues_, own.pvalues_)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).pvalues_, own.pvalues_)
