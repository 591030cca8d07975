"""Linear and kernel classifiers that certify how far they are from the optimum."""

from importlib.machinery import PathFinder
from typing import TYPE_CHECKING

from ._utils.lazy import lazily

if TYPE_CHECKING:
    from ._utils.version import __version__ as __version__
    from .estimators.certify import certify
    from .estimators.kernel_cv import KernelSDCAClassifierCV
    from .estimators.kernel_features import KernelFeatures
    from .estimators.kernel_grid import kernel_pegasos_grid
    from .estimators.kernel_pegasos import KernelPegasosClassifier
    from .estimators.kernel_sdca import KernelSDCAClassifier
    from .estimators.linear import ASDCAClassifier, PegasosClassifier, PerceptronClassifier, SDCAClassifier
    from .estimators.linear_cv import SDCAClassifierCV
    from .estimators.persistence import load_model, save_model
    from .fitting.advice import ConvergenceWarning
    from .fitting.certificate import Certificate
    from .fitting.path import SDCAPath, sdca_path
    from .model_files.container import ModelFileError

if PathFinder.find_spec("_rows", [f"{__path__[0]}/solvers"]) is None:  # it would look like a circular import
    raise ImportError(
        f"{__path__[0]} has no compiled modules for this Python: in a clone of the repository run "
        "'pip install -e .', or start Python in another folder.",
        name="fastsvm.solvers._rows",
    )

__all__ = [
    "ASDCAClassifier",
    "Certificate",
    "ConvergenceWarning",
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
        ".estimators.certify": "certify",
        ".fitting.advice": "ConvergenceWarning",
        ".fitting.certificate": "Certificate",
        ".model_files.container": "ModelFileError",
        ".estimators.kernel_pegasos": "KernelPegasosClassifier",
        ".estimators.kernel_sdca": "KernelSDCAClassifier",
        ".estimators.kernel_cv": "KernelSDCAClassifierCV",
        ".estimators.kernel_grid": "kernel_pegasos_grid",
        ".estimators.kernel_features": "KernelFeatures",
        ".estimators.linear": "ASDCAClassifier PegasosClassifier PerceptronClassifier SDCAClassifier",
        ".estimators.linear_cv": "SDCAClassifierCV",
        ".fitting.path": "SDCAPath sdca_path",
        ".estimators.persistence": "load_model save_model",
        "._utils.version": "__version__",
    },
)
