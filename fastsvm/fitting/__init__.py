"""Problems driven to their end, plainly: linear models, paths, certificates; nothing of scikit-learn.

The classes are what `fastsvm.SDCAClassifier` and its siblings add scikit-learn's contract to.
"""

from typing import TYPE_CHECKING

from .._utils.lazy import lazily

if TYPE_CHECKING:
    from .advice import ConvergenceWarning
    from .calibration import Calibration
    from .labels import class_weights
    from .linear import ASDCA, SDCA, Pegasos, Perceptron
    from .parameters import Parameters
    from .path import SDCAPath, sdca_path
    from .pipeline import Pipeline
    from .scaler import Scaler
    from .threads import number_of_threads

__all__ = [
    "ASDCA",
    "SDCA",
    "Calibration",
    "ConvergenceWarning",
    "Parameters",
    "Pegasos",
    "Perceptron",
    "Pipeline",
    "SDCAPath",
    "Scaler",
    "class_weights",
    "number_of_threads",
    "sdca_path",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        ".advice": "ConvergenceWarning",
        ".calibration": "Calibration",
        ".labels": "class_weights",
        ".linear": "ASDCA SDCA Pegasos Perceptron",
        ".parameters": "Parameters",
        ".path": "SDCAPath sdca_path",
        ".pipeline": "Pipeline",
        ".scaler": "Scaler",
        ".threads": "number_of_threads",
    },
)
