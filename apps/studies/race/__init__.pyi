from .compare_solvers import compare as compare
from .solver_comparison import Comparison as Comparison
