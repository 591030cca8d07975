"""The contenders: each has `fit` and `predict`, and both are timed, what they convert included."""

import time
from functools import partial
from importlib.util import find_spec
from resource import RUSAGE_SELF, getrusage
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.svm import SVC

import fastsvm


class Contender(NamedTuple):
    """A name, how to make the classifier, and what to install for it."""

    name: str
    make: object
    requires: str = "sklearn"
    package: str = "scikit-learn"


def chosen(contenders, names):
    """Those that are installed and whose names begin so; the others' packages are named."""
    missing = {c.package for c in contenders if find_spec(c.requires) is None}
    if missing:
        print(f"not installed, left out: {', '.join(sorted(missing))}")
    return [
        c for c in contenders if c.package not in missing and (not names or c.name.startswith(tuple(names)))
    ]


class Times(NamedTuple):
    """CPU seconds of a fit, those of them in the system (mostly for memory), of a prediction; the labels."""

    fit: float
    system: float
    predict: float
    labels: np.ndarray


def timed(model, X, y, X_new):
    """Fit and predict."""
    start, before = time.process_time(), getrusage(RUSAGE_SELF).ru_stime
    model.fit(X, y)
    fitted, after = time.process_time(), getrusage(RUSAGE_SELF).ru_stime
    labels = model.predict(X_new)
    return Times(fitted - start, after - before, time.process_time() - fitted, labels)


# With memory for the whole kernel matrix.
OWN = {"cache_size": 1000, "n_jobs": 1, "random_state": 0}
pegasos = partial(fastsvm.KernelPegasosClassifier, **OWN)
sdca = partial(fastsvm.KernelSDCAClassifier, **OWN)
svc = partial(SVC, cache_size=1000)


class Libsvm:
    """LIBSVM's own Python package, which takes sparse rows in a twentieth of the time of dense ones."""

    def __init__(self, options):
        self.options = f"{options} -m 1000 -q"

    def fit(self, X, y):
        """Convert and train."""
        from libsvm.svmutil import svm_train

        self.model = svm_train(y, sparse.csr_matrix(X), self.options)
        return self

    def predict(self, X):
        """Labels."""
        from libsvm.svmutil import svm_predict

        return np.array(svm_predict([], sparse.csr_matrix(X), self.model, "-q")[0])
