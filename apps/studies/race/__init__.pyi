from .comparison import Comparison as Comparison
from .running import compare as compare
