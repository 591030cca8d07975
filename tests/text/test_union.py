"""Bags side by side, beside scikit-learn's FeatureUnion, and in model files."""

import numpy as np
import pytest
from sklearn.pipeline import FeatureUnion, Pipeline

import fastsvm
from fastsvm import fitting
from fastsvm.model_files import load_plain, save_plain
from fastsvm.text import Bag, BagOfWords, HashedBagOfWords, TextScorer, Union, Weighting
from twins import OTHERS, TEXTS, assert_same_bits

LABELS = np.arange(len(TEXTS)) % 2


def bags(cls):
    return [("words", cls(ngram_range=(1, 2))), ("chars", cls(analyzer="char_wb", ngram_range=(2, 3)))]


@pytest.fixture
def model():
    classifier = fitting.SDCA(alpha=0.1)
    steps = [("vectorizer", Union(bags(Bag))), ("weighting", Weighting("nb")), ("classifier", classifier)]
    return fitting.Pipeline(steps).fit(TEXTS, LABELS)


def test_as_feature_union():
    ours, own = Union(bags(Bag)), FeatureUnion(bags(BagOfWords))
    assert_same_bits(ours.fit_transform(iter(TEXTS)), own.fit_transform(TEXTS))
    assert_same_bits(ours.transform(iter(OTHERS)), own.transform(OTHERS))
    assert ours.get_feature_names_out().tolist() == own.get_feature_names_out().tolist()
    assert_same_bits(Union(bags(Bag)).fit(iter(TEXTS)).transform(OTHERS), own.transform(OTHERS))


def test_restricting_and_parameters():
    union = Union(bags(Bag))
    X = union.fit_transform(TEXTS).tocsc()
    names = union.get_feature_names_out()
    columns = np.array([X.shape[1] - 1, 0, 5, X.shape[1] - 9])
    restricted = union.restrict(columns, indices=True)
    assert restricted.get_feature_names_out().tolist() == names[np.sort(columns)].tolist()
    assert (restricted.transform(TEXTS) != X[:, np.sort(columns)]).nnz == 0
    assert restricted.restrict(np.array([True, True, False, False])).transform(TEXTS).shape == (len(TEXTS), 2)
    assert [name for name, _ in restricted.transformer_list] == ["words"]
    union = Union(bags(Bag)).fit(TEXTS)
    assert union.set_params(dtype=np.float32).transform(TEXTS).dtype == np.float32
    assert union.set_params(transformer_list=bags(Bag)[:1]).fit_transform(TEXTS).dtype == np.int64


def test_a_model_file_is_for_all_three_readers(model, tmp_path):
    path = tmp_path / "model.safetensors"
    save_plain(model, path)
    wanted = model.decision_function(OTHERS)
    scorer, pipeline = TextScorer.load(path), fastsvm.load_model(path)
    assert isinstance(scorer, TextScorer)
    assert isinstance(pipeline, Pipeline)
    assert isinstance(pipeline["vectorizer"], FeatureUnion)
    for each in (scorer, load_plain(path), pipeline):
        assert each.decision_function(OTHERS).tobytes() == wanted.tobytes()
    again = tmp_path / "again.safetensors"
    fastsvm.save_model(pipeline, again)
    assert again.read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("union", "message"),
    [
        (FeatureUnion([("words", HashedBagOfWords())]), "a FeatureUnion of a HashedBagOfWords"),
        (FeatureUnion([("words", BagOfWords().fit(TEXTS))], n_jobs=2), "a FeatureUnion with n_jobs=2"),
        (FeatureUnion([("words", BagOfWords())]), "not fitted"),
        (FeatureUnion([]), "without steps"),
    ],
    ids=str,
)
def test_what_a_file_does_not_hold(union, message, tmp_path):
    path = tmp_path / "model.safetensors"
    with pytest.raises(fastsvm.ModelFileError, match=message):
        fastsvm.save_model(union, path)
    assert not path.exists()


def test_a_width_that_does_not_fit_is_refused(model, tmp_path):
    model["vectorizer"].restrict([1, 2, 3], indices=True)
    with pytest.raises(fastsvm.ModelFileError, match="does not take the 3 features"):
        save_plain(model, tmp_path / "model.safetensors")
