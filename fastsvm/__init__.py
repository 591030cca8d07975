"""Linear classifiers that certify how far they are from the optimum."""

from importlib.metadata import version

from .linear import PegasosClassifier, PerceptronClassifier, SDCAClassifier
from .persistence import ModelFileError, load_model, save_model

__version__ = version("fastsvm")

__all__ = [
    "ModelFileError",
    "PegasosClassifier",
    "PerceptronClassifier",
    "SDCAClassifier",
    "load_model",
    "save_model",
]
