"""All classifiers, read from the packages that name them, so that none is forgotten."""

import inspect

import fastsvm
from fastsvm import drop_in, fitting


def _classifiers():
    for package in (fastsvm, fitting, drop_in):
        for name in package.__all__:
            kind = getattr(package, name)
            if inspect.isclass(kind) and hasattr(kind, "predict") and not hasattr(kind, "named_steps"):
                yield f"{package.__name__}.{name}", kind


CLASSIFIERS = dict(_classifiers())


def hurried(kind):
    """Make a classifier that stops long before its tolerance."""
    parameters = {name: inspect.signature(kind).parameters.get(name) for name in ("max_iter", "tol")}
    return kind(**{name: 1 if name == "max_iter" else 1e-9 for name, found in parameters.items() if found})
