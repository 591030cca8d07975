"""The compiled solvers: plain functions on arrays and CSR matrices, y in {-1, +1}.

They need NumPy and SciPy only. `fastsvm.SDCAClassifier` and its siblings build on them.
"""

from ._asdca_run import AsdcaRun, asdca
from ._input import as_rows, as_weights
from ._newton_run import NewtonRun
from ._pegasos_run import PegasosRun, pegasos
from ._perceptron_run import PerceptronRun, perceptron
from ._run import LOSSES, Epoch, Problem, Result
from ._sdca_run import SDCARun
from ._solve import make_run, sdca

__all__ = [
    "LOSSES",
    "AsdcaRun",
    "Epoch",
    "NewtonRun",
    "PegasosRun",
    "PerceptronRun",
    "Problem",
    "Result",
    "SDCARun",
    "as_rows",
    "as_weights",
    "asdca",
    "make_run",
    "pegasos",
    "perceptron",
    "sdca",
]
