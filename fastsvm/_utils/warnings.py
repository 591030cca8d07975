"""Warnings that point at the line of the caller's own code."""

import sys
import warnings

BETWEEN = {"fastsvm", "fastsvm_apps", "sklearn", "joblib"}  # packages whose lines tell the user nothing


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called this package, directly or through scikit-learn.

    Parameters
    ----------
    message : str
    category : class of the warning
    """
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in BETWEEN:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
