from .fallback import FallbackWarning as FallbackWarning
from .linear_svc import LinearSVC as LinearSVC
from .logistic_regression import LogisticRegression as LogisticRegression
from .patching import patch as patch
from .patching import unpatch as unpatch
from .perceptron import Perceptron as Perceptron
from .sgd_classifier import SGDClassifier as SGDClassifier
