from .layout import MatrixFileError as MatrixFileError
from .reader import Matrix as Matrix
from .reader import feature_names as feature_names
from .reader import load as load
from .svmlight import read_svmlight as read_svmlight
from .svmlight import store_svmlight as store_svmlight
from .svmlight import svmlight_arrays as svmlight_arrays
from .writer import MatrixWriter as MatrixWriter
