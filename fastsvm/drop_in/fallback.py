"""What fastsvm does not have, scikit-learn's class does, with a word about it."""

import os

from .._utils.warnings import warn_user

STRICT = "FASTSVM_STRICT"  # the environment variable that refuses instead


class FallbackWarning(UserWarning):
    """scikit-learn's own class did the work."""


def fall_back(estimator, missing):
    """Say that scikit-learn's class does the work, or refuse.

    Parameters
    ----------
    estimator : object of a class of this package
    missing : str
        What fastsvm does not have, such as "l1 penalty".

    Raises
    ------
    NotImplementedError
        If the environment variable FASTSVM_STRICT is 1.
    """
    name = type(estimator).__name__
    if os.environ.get(STRICT, "0") not in ("", "0"):
        raise NotImplementedError(
            f"{name}: fastsvm has no {missing}. Unset {STRICT} to let scikit-learn's {name} do it."
        )
    warn_user(f"{name}: fastsvm has no {missing}, so scikit-learn's {name} does the work.", FallbackWarning)
