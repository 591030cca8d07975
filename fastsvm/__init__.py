"""Linear classifiers that certify how far they are from the optimum."""

from importlib.metadata import version

from .certificate import Certificate, certify
from .linear import ASDCAClassifier, PegasosClassifier, PerceptronClassifier, SDCAClassifier
from .linear_cv import SDCAClassifierCV
from .path import SDCAPath, sdca_path
from .persistence import ModelFileError, load_model, save_model

__version__ = version("fastsvm")

__all__ = [
    "ASDCAClassifier",
    "Certificate",
    "ModelFileError",
    "PegasosClassifier",
    "PerceptronClassifier",
    "SDCAClassifier",
    "SDCAClassifierCV",
    "SDCAPath",
    "certify",
    "load_model",
    "save_model",
    "sdca_path",
]
