"""What every classifier does alike, with a kernel or without: bad input, names of columns, routed weights."""

import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

from fastsvm import (
    ASDCAClassifier,
    KernelPegasosClassifier,
    KernelSDCAClassifier,
    PegasosClassifier,
    PerceptronClassifier,
    SDCAClassifier,
)
from rounding import assert_close

pytestmark = pytest.mark.parametrize(
    "estimator",
    [
        SDCAClassifier(alpha=0.01, random_state=0),
        SDCAClassifier("log", alpha=0.01, random_state=0),
        ASDCAClassifier(alpha=0.01, random_state=0),
        PegasosClassifier(alpha=0.01, random_state=0),
        PegasosClassifier("log", alpha=0.01, averaging="tail", random_state=0),
        PerceptronClassifier(averaging="all", random_state=0),
        KernelSDCAClassifier(alpha=0.01, random_state=0),
        KernelSDCAClassifier(loss="log", alpha=0.01, random_state=0),
        KernelPegasosClassifier(alpha=0.01, random_state=0),
    ],
    ids=str,
)


def test_bad_input_is_one_line(estimator, problem):
    X, y = problem
    bad = X.toarray()
    bad[3, 7] = np.nan
    infinite = np.where(np.isnan(bad), np.inf, bad)
    cases = [
        ((bad, y), "X contains NaN at row 3, column 7;"),
        ((infinite, y), "X contains infinity at row 3, column 7;"),
        ((sparse.csr_array(infinite), y), "X contains infinity at row 3, column 7;"),
        ((X, y[:-1]), "inconsistent numbers of samples"),
        ((X, np.ones(len(y))), r"y has one class only \(1\.0\); at least two"),
    ]
    for arguments, message in cases:
        with pytest.raises(ValueError, match=message) as caught:
            clone(estimator).fit(*arguments)
        assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match=r"sample_weight\[0\] is -1.0; weights must be finite and >= 0"):
        clone(estimator).fit(X, y, sample_weight=np.full(len(y), -1.0))
    with pytest.raises(NotFittedError):
        clone(estimator).predict(X)


def test_names_of_columns(estimator, iris):
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(iris[0], columns=list("abcd"))
    model = clone(estimator).fit(X, iris[1])
    assert model.feature_names_in_.tolist() == list("abcd")
    with pytest.raises(ValueError, match="feature names"):
        model.predict(X.rename(columns={"a": "z"}))


def test_weights_are_routed(estimator, iris):
    X, y = iris
    weights = np.where(y == "setosa", 0.1, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = clone(estimator).set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        search = GridSearchCV(routed, {"class_weight": [None]}, cv=3).fit(X, y, sample_weight=weights)
    expected = clone(estimator).fit(X, y, sample_weight=weights)
    assert_close(search.decision_function(X), expected.decision_function(X))
