"""The warning, or the refusal, when scikit-learn's own class is used in place of fastsvm's code."""

import os

from .._utils.warnings import warn_user
from ..fitting.fit import forget_fit

STRICT = "FASTSVM_STRICT"  # the environment variable that makes the warning an error


class FallbackWarning(UserWarning):
    """Warning that scikit-learn's own class was used in place of fastsvm's code."""


def fall_back(estimator, missing):
    """Remove an earlier fit's certificate, and warn that scikit-learn's class is used, or refuse.

    Parameters
    ----------
    estimator : object of a class of this package
    missing : str
        What fastsvm does not support, such as "a penalty".

    Raises
    ------
    NotImplementedError
        If the environment variable FASTSVM_STRICT is 1.
    """
    forget_fit(estimator)  # its certificate is of the fit before
    name = type(estimator).__name__
    if os.environ.get(STRICT, "0") not in ("", "0"):
        raise NotImplementedError(
            f"{name}: fastsvm does not support {missing}. Unset {STRICT} to use scikit-learn's {name}."
        )
    warn_user(f"{name}: fastsvm does not support {missing}; scikit-learn's {name} is used.", FallbackWarning)
