"""What scikit-learn's users try first is answered in one line that names the way."""

import numpy as np
import pytest

import fastsvm
from fastsvm import KernelSDCAClassifier, PerceptronClassifier, SDCAClassifier, dask

X, Y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) % 2


@pytest.mark.parametrize(
    ("attempt", "error", "message"),
    [
        (lambda: SDCAClassifier(C=1), TypeError, r"has no parameter 'C': use alpha = 1 / \(C n\) for n rows"),
        (lambda: KernelSDCAClassifier(C=1), TypeError, "KernelSDCAClassifier has no parameter 'C'"),
        (
            lambda: fastsvm.SDCAClassifierCV(C=1),
            TypeError,
            "SDCAClassifierCV has no parameter 'C'",
        ),
        (lambda: dask.SDCAClassifier(C=1), TypeError, "SDCAClassifier has no parameter 'C'"),
        (
            lambda: PerceptronClassifier(penalty="l1"),
            TypeError,
            "SDCAClassifier and fastsvm.drop_in support others",
        ),
        (lambda: SDCAClassifier("log_loss").fit(X, Y), ValueError, "got 'log_loss': use 'log'"),
        (lambda: KernelSDCAClassifier("gaussian").fit(X, Y), ValueError, "use 'rbf'"),
        (lambda: SDCAClassifier(alpha=0).fit(X, Y), ValueError, "without a penalty there is no certificate"),
        (lambda: SDCAClassifier(max_iter=-1).fit(X, Y), ValueError, "got -1: give a large number"),
        (lambda: SDCAClassifier().fit(X, Y).predict_proba(X), AttributeError, "needs loss='log'"),
        (lambda: PerceptronClassifier().predict_proba(X), AttributeError, "needs calibration: wrap"),
        (lambda: SDCAClassifier().partial_fit(X, Y), AttributeError, "PegasosClassifier has partial_fit"),
        (lambda: fastsvm.LinearSVC, AttributeError, "from fastsvm.drop_in import LinearSVC"),
        (lambda: fastsvm.BagOfWords, AttributeError, "from fastsvm.text import BagOfWords"),
        (lambda: fastsvm.sentiment, AttributeError, "from fastsvm_apps import sentiment"),
        (lambda: fastsvm.SDCA, AttributeError, "did you mean .*SDCAClassifierCV"),
        (lambda: exec("from fastsvm import SVC"), ImportError, "from fastsvm.drop_in import SVC"),
    ],
)
def test_the_answer_names_the_way(attempt, error, message):
    with pytest.raises(error, match=message) as caught:
        attempt()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", [SDCAClassifier, KernelSDCAClassifier, PerceptronClassifier])
def test_predict_proba_is_documented_and_hidden(kind):
    assert kind.predict_proba.__doc__.startswith("Return the probabilities")
    assert not hasattr(kind(), "predict_proba")
