import pickle

import numpy as np
import pytest
from peak_memory import peak_of
from scipy import sparse
from sklearn.base import clone

from contracts import LINEAR, estimators
from fastsvm import (
    ASDCAClassifier,
    KernelPegasosClassifier,
    KernelSDCAClassifier,
    PegasosClassifier,
    PerceptronClassifier,
    SDCAClassifier,
)

pytestmark = pytest.mark.blas

ALL = estimators(LINEAR, multi_class="multinomial")
ONLINE = [e for e in ALL if hasattr(e, "partial_fit")]
KERNEL = KernelPegasosClassifier(random_state=0)
each = pytest.mark.parametrize("estimator", ALL, ids=str)
each_online = pytest.mark.parametrize("estimator", ONLINE, ids=str)


@pytest.mark.parametrize("kind", [np.int64, np.uint8, bool])
def test_whole_numbers_in_any_order_of_columns(kind):
    X = sparse.csr_matrix((np.ones(6, kind), [2, 0, 1, 2, 2, 1], [0, 2, 5, 6]), (3, 3))
    model = SDCAClassifier(random_state=0).fit(X, [0, 1, 0])
    as_float = sparse.csr_matrix((X.data.astype(float), X.indices, X.indptr), X.shape)
    again = SDCAClassifier(random_state=0).fit(as_float, [0, 1, 0])
    np.testing.assert_array_equal(model.coef_, again.coef_)
    np.testing.assert_array_equal(model.decision_function(X), again.decision_function(as_float))
    assert X.indices.tolist() == [2, 0, 1, 2, 2, 1]


def test_dual_coef_is_svcs(iris):
    X, y = iris
    model = SDCAClassifier(alpha=0.01, random_state=0).fit(X, y)
    np.testing.assert_allclose(model.dual_coef_ @ X, model.coef_, rtol=1e-9, atol=1e-12)
    assert np.abs(model.dual_coef_).max() <= 1 / (0.01 * len(y)) * (1 + 1e-12)
    np.testing.assert_allclose(model.dual_coef_.sum(axis=1), 0, atol=1e-9)
    positive = model.dual_coef_[0] > 0
    assert (y[positive] == "setosa").all()


@each_online
def test_partial_fit_continues(estimator, problem):
    X, y = problem
    model = clone(estimator)
    for _ in range(30):
        for part in np.array_split(np.arange(len(y)), 4):
            model.partial_fit(X[part], y[part], classes=[-1, 1])
    assert model.n_iter_ == 120
    assert model.score(X, y) > clone(estimator).fit(X, y).score(X, y) - 0.05
    assert not hasattr(model, "dual_gap_")
    if isinstance(model, PegasosClassifier):
        assert model.t_ == 30 * len(y)


@each_online
def test_partial_fit_after_fit_starts_there(estimator, problem):
    X, y = problem
    fitted = clone(estimator).fit(X, y)
    before = fitted.coef_.copy()
    fitted.partial_fit(X[:1], y[:1])
    assert np.abs(fitted.coef_ - before).max() < 0.5 * np.abs(before).max()
    again = pickle.loads(pickle.dumps(fitted)).partial_fit(X, y)
    np.testing.assert_array_equal(again.coef_, fitted.partial_fit(X, y).coef_)
    restarted = fitted.fit(X, y)
    np.testing.assert_array_equal(restarted.coef_, before)


def test_partial_fit_averages_from_the_step_that_is_given(problem):
    """Rows are seen 200 at a time: the first call's are before it, the second call's average begins there."""
    X, y = problem
    late, last, early = (
        PegasosClassifier(alpha=0.1, averaging=averaging, average_from=start, random_state=1)
        for averaging, start in (("tail", 300), ("last", None), ("tail", None))
    )
    for model in (late, last, early):
        model.partial_fit(X, y, classes=[-1, 1])
    np.testing.assert_array_equal(late.coef_, last.coef_)
    assert late.partial_fit(X, y)._states[0]["averaged"] == 100
    assert early.partial_fit(X, y)._states[0]["averaged"] == 400 * 401 / 2  # the t-th weighs t


def test_partial_fit_draws_an_iterate_of_the_second_half_and_goes_on_from_the_last(problem):
    model = PegasosClassifier(alpha=0.1, averaging="random", random_state=1)
    for k in range(1, 4):
        model.partial_fit(*problem, classes=[-1, 1])
        [state] = model._states
        assert model.t_ == state["t"] == 200 * k
        assert np.abs(model.coef_[0] - state["scale"] * state["w"]).max() > 1e-6


@pytest.mark.parametrize("estimator", [*ONLINE, KERNEL], ids=str)
def test_partial_fit_refuses_what_it_cannot_do(estimator, problem):
    X, y = problem
    model = clone(estimator)
    with pytest.raises(ValueError, match="needs classes"):
        model.partial_fit(X, y)
    with pytest.raises(ValueError, match="'balanced' needs all of y"):
        clone(estimator).set_params(class_weight="balanced").partial_fit(X, y, classes=[-1, 1])
    if isinstance(model, PegasosClassifier):
        with pytest.raises(ValueError, match="fit_intercept='search' needs all rows: use fit"):
            clone(estimator).set_params(fit_intercept="search").partial_fit(X, y, classes=[-1, 1])
    assert not hasattr(model, "classes_")
    model.partial_fit(X, y, classes=[-1, 1])
    before = dict(vars(model))
    with pytest.raises(ValueError, match="label 2, which is not among classes"):
        model.partial_fit(X, np.where(y > 0, 2, -1))
    with pytest.raises(ValueError, match="earlier calls had"):
        model.partial_fit(X, y, classes=[-1, 1, 2])
    with pytest.raises(ValueError, match="29 features"):
        model.partial_fit(X[:, :29], y)
    bad = X.toarray()
    bad[3, 7] = np.nan
    with pytest.raises(ValueError, match="X contains NaN at row 3, column 7;"):
        model.partial_fit(bad, y)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is before[name] for name in before)


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (PegasosClassifier("huber"), r"loss must be one of 'hinge', 'squared_hinge',"),
        (ASDCAClassifier("hinge"), r"loss must be one of .*; got 'hinge'"),
        (ASDCAClassifier(theta=1.5), r"theta must be 'paper' or a number above 0 and at most 1; got 1\.5"),
        (ASDCAClassifier(order="random"), "order must be one of 'permutation', 'batches'"),
        (SDCAClassifier(order="sorted"), "order must be one of"),
        (PegasosClassifier(fit_intercept="find"), "fit_intercept must be True or False; got 'find'"),
        (PegasosClassifier(average_from=1.5), "average_from must be a positive integer; got 1.5"),
        (SDCAClassifier(fit_intercept="search"), "fit_intercept must be True or False; got 'search'"),
        (PerceptronClassifier(averaging="tail"), "averaging must be one of 'last', 'all'"),
        (KernelSDCAClassifier(gamma="wide"), "gamma must be one of 'scale', 'auto'; got 'wide'"),
    ],
    ids=lambda p: str(p)[:40],
)
def test_bad_parameters_are_named(estimator, message, problem):
    with pytest.raises(ValueError, match=message):
        estimator.fit(*problem)


def test_sorted_input_is_no_worse(problem):
    X, y = problem
    order = np.argsort(y, kind="stable")
    for estimator in ALL:
        scores = [
            np.mean(
                [clone(estimator).set_params(random_state=s).fit(X[r], y[r]).score(X, y) for s in range(5)]
            )
            for r in (order, np.random.default_rng(0).permutation(len(y)))
        ]
        assert abs(scores[0] - scores[1]) < 0.03


@pytest.fixture(scope="module")
def large():
    """2 million values in 5,000 rows."""
    rng = np.random.default_rng(0)
    values, columns = np.ones(2_000_000, np.float32), rng.integers(0, 3000, 2_000_000, dtype=np.int32)
    X = sparse.csr_array((values, columns, np.arange(0, 2_000_001, 400, dtype=np.int32)), (5000, 3000))
    return X, np.where(rng.random(5000) > 0.5, 1, -1)


@each
def test_memory_beyond_x_is_small(estimator, large):
    """A fit holds less than 5 % of X on top of it: no copy."""
    X, y = large
    size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    model = clone(estimator).set_params(max_iter=1)
    if hasattr(model, "tol"):
        model.tol = None
    clone(model).fit(X, y)  # what a process loads and asks of its libraries once is no fit's
    assert peak_of(lambda: model.fit(X, y)) < 0.05 * size
