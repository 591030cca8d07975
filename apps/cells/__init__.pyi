from .api import CellClassification as CellClassification
from .api import CellModel as CellModel
from .api import CellTraining as CellTraining
from .api import classify as classify
from .api import load as load
from .api import train as train
