"""fastsvm's classes in the place of scikit-learn's, for a whole program."""

import sys
from importlib import import_module


def patch():
    """Put these classes in the place of scikit-learn's, wherever scikit-learn's modules name them.

    Call it before the program imports the classes: a name that it has already is not changed.

    Examples
    --------
    >>> from fastsvm import drop_in
    >>> drop_in.patch()
    >>> from sklearn.svm import LinearSVC
    >>> LinearSVC.__module__
    'fastsvm.drop_in.linear_svc'
    >>> drop_in.unpatch()
    """
    for ours, theirs in _pairs():
        _replace(theirs, ours)


def unpatch():
    """Undo `patch`: scikit-learn's modules have their own classes again."""
    for ours, theirs in _pairs():
        _replace(ours, theirs)


def _pairs():
    """Return the classes of this package, each with the one of scikit-learn that it inherits."""
    drop_in = import_module(__package__)
    classes = [ours for name in drop_in.__all__ if isinstance(ours := getattr(drop_in, name), type)]
    return [(ours, base) for ours in classes for base in ours.__mro__[1:] if base.__name__ == ours.__name__]


def _replace(old, new):
    """Let the modules of scikit-learn that have one class under its name have another."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "sklearn" and vars(module).get(old.__name__) is old:
            setattr(module, old.__name__, new)
