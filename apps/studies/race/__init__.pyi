from .race_running import compare as compare
from .solver_comparison import Comparison as Comparison
