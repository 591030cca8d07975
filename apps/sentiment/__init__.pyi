from .api import ENGLISH as ENGLISH
from .api import TextModel as TextModel
from .api import load as load
from .api import train as train
