"""Linear classifiers that certify how far they are from the optimum."""

from importlib.metadata import version

from .certificate import Certificate, certify
from .linear import PegasosClassifier, PerceptronClassifier, SDCAClassifier
from .persistence import ModelFileError, load_model, save_model

__version__ = version("fastsvm")

__all__ = [
    "Certificate",
    "ModelFileError",
    "PegasosClassifier",
    "PerceptronClassifier",
    "SDCAClassifier",
    "certify",
    "load_model",
    "save_model",
]
