"""Data of two and three classes for the estimators."""

import pytest
from sklearn.datasets import load_iris
from sklearn.preprocessing import scale


@pytest.fixture
def iris():
    X, y = load_iris(return_X_y=True)
    return scale(X), load_iris().target_names[y]


@pytest.fixture(params=["two classes", "three classes"])
def data(request, problem, iris):
    return problem if request.param == "two classes" else iris
