"""The compiled solvers: plain functions on arrays and CSR matrices, y in {-1, +1}.

They need NumPy and SciPy only. `fastsvm.SDCAClassifier` and its siblings build on the modules behind them.
"""

from ._input import as_rows
from ._solver import Epoch, Result
from .asdca_solver import asdca
from .kernel._problem import KernelResult
from .kernel.pegasos_solver import kernel_pegasos
from .kernel.sdca_solver import kernel_sdca
from .losses import LOSSES
from .pegasos_solver import pegasos
from .perceptron_solver import perceptron
from .sdca_solver import sdca

__all__ = [
    "LOSSES",
    "Epoch",
    "KernelResult",
    "Result",
    "as_rows",
    "asdca",
    "kernel_pegasos",
    "kernel_sdca",
    "pegasos",
    "perceptron",
    "sdca",
]
