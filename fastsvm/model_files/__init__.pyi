from .container import ModelFileError as ModelFileError
from .plain import load_about as load_about
from .plain import load_plain as load_plain
from .plain import load_with_about as load_with_about
from .plain import save_plain as save_plain
from .scorer import TextScorer as TextScorer
from .scorer import TextScores as TextScores
