from .container import ModelFileError as ModelFileError
from .registry import load_about as load_about
from .registry import load_plain as load_plain
from .registry import load_with_about as load_with_about
from .registry import save_plain as save_plain
from .scorer import TextScorer as TextScorer
from .scorer import TextScores as TextScores
