"""Linear and kernel classifiers that certify how far they are from the optimum."""

from importlib.machinery import PathFinder
from typing import TYPE_CHECKING

from .lazy import lazily

if TYPE_CHECKING:
    from .certificate import Certificate, certify
    from .files import ModelFileError
    from .kernel import KernelPegasosClassifier, KernelSDCAClassifier
    from .kernel_cv import KernelSDCAClassifierCV, kernel_pegasos_grid
    from .kernel_features import KernelFeatures
    from .linear import ASDCAClassifier, PegasosClassifier, PerceptronClassifier, SDCAClassifier
    from .linear_cv import SDCAClassifierCV
    from .path import SDCAPath, sdca_path
    from .persistence import load_model, save_model
    from .version import __version__ as __version__

if PathFinder.find_spec("_rows", [f"{__path__[0]}/solvers"]) is None:  # it would look like a circular import
    raise ImportError(
        f"{__path__[0]} has no compiled modules for this Python: in a clone of the repository run "
        "'pip install -e .', or start Python in another folder.",
        name="fastsvm.solvers._rows",
    )

__all__ = [
    "ASDCAClassifier",
    "Certificate",
    "KernelFeatures",
    "KernelPegasosClassifier",
    "KernelSDCAClassifier",
    "KernelSDCAClassifierCV",
    "ModelFileError",
    "PegasosClassifier",
    "PerceptronClassifier",
    "SDCAClassifier",
    "SDCAClassifierCV",
    "SDCAPath",
    "certify",
    "kernel_pegasos_grid",
    "load_model",
    "save_model",
    "sdca_path",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "certificate": "Certificate certify",
        "files": "ModelFileError",
        "kernel": "KernelPegasosClassifier KernelSDCAClassifier",
        "kernel_cv": "KernelSDCAClassifierCV kernel_pegasos_grid",
        "kernel_features": "KernelFeatures",
        "linear": "ASDCAClassifier PegasosClassifier PerceptronClassifier SDCAClassifier",
        "linear_cv": "SDCAClassifierCV",
        "path": "SDCAPath sdca_path",
        "persistence": "load_model save_model",
        "version": "__version__",
    },
)
