"""scikit-learn's own checks of every estimator."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from fastsvm import PegasosClassifier, PerceptronClassifier, SDCAClassifier

_N_COUNTS_ALL = "the objective averages over all n rows, those of weight 0 and repeated ones included"


def _expected_failures(estimator):
    return {
        "check_sample_weight_equivalence_on_dense_data": _N_COUNTS_ALL,
        "check_sample_weight_equivalence_on_sparse_data": _N_COUNTS_ALL,
    }


# Some checks ask for one epoch, or fit columns that differ in size by orders of magnitude.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [
        SDCAClassifier(),
        SDCAClassifier("log"),
        PegasosClassifier(),
        PegasosClassifier("log"),
        PerceptronClassifier(),
        PerceptronClassifier(averaging=True),
    ],
    expected_failed_checks=_expected_failures,
)
def test_check(estimator, check):
    check(estimator)
