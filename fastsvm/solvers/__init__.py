"""The compiled solvers: plain functions on arrays and CSR matrices, y in {-1, +1}.

They need NumPy and SciPy only. `fastsvm.SDCAClassifier` and its siblings build on them.
"""

from ._asdca_run import AsdcaRun, asdca
from ._gram import scores_of
from ._input import as_rows, as_weights
from ._kernel_pegasos_run import KernelPegasosRun, kernel_pegasos
from ._kernel_run import KernelProblem, KernelResult, make_gram
from ._kernel_sdca_run import KernelSDCARun, kernel_sdca
from ._newton_run import NewtonRun
from ._pegasos_run import PegasosRun, pegasos
from ._perceptron_run import PerceptronRun, perceptron
from ._run import LOSSES, Epoch, Problem, Result
from ._sdca_run import SDCARun
from ._solve import make_run, sdca
from ._sparse import as_csr

__all__ = [
    "LOSSES",
    "AsdcaRun",
    "Epoch",
    "KernelPegasosRun",
    "KernelProblem",
    "KernelResult",
    "KernelSDCARun",
    "NewtonRun",
    "PegasosRun",
    "PerceptronRun",
    "Problem",
    "Result",
    "SDCARun",
    "as_csr",
    "as_rows",
    "as_weights",
    "asdca",
    "kernel_pegasos",
    "kernel_sdca",
    "make_gram",
    "make_run",
    "pegasos",
    "perceptron",
    "scores_of",
    "sdca",
]
