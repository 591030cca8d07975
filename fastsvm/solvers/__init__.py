"""The compiled solvers: plain functions on arrays and CSR matrices, y in {-1, +1}.

They need NumPy and SciPy only. `fastsvm.SDCAClassifier` and its siblings build on them.
"""

from ._asdca_solver import ASDCASolver, asdca
from ._choose import make_solver, sdca
from ._input import as_rows, as_weights
from ._newton_solver import NewtonSolver
from ._pegasos_solver import PegasosSolver, pegasos
from ._perceptron_solver import PerceptronSolver, perceptron
from ._sdca_solver import SDCASolver
from ._solver import Epoch, Problem, Result
from ._sparse import as_csr
from .kernel._gram import scores_of
from .kernel._pegasos_solver import KernelPegasosSolver, kernel_pegasos
from .kernel._problem import KernelProblem, KernelResult, make_gram
from .kernel._sdca_solver import KernelSDCASolver, kernel_sdca
from .losses import LOSSES

__all__ = [
    "LOSSES",
    "ASDCASolver",
    "Epoch",
    "KernelPegasosSolver",
    "KernelProblem",
    "KernelResult",
    "KernelSDCASolver",
    "NewtonSolver",
    "PegasosSolver",
    "PerceptronSolver",
    "Problem",
    "Result",
    "SDCASolver",
    "as_csr",
    "as_rows",
    "as_weights",
    "asdca",
    "kernel_pegasos",
    "kernel_sdca",
    "make_gram",
    "make_solver",
    "pegasos",
    "perceptron",
    "scores_of",
    "sdca",
]
