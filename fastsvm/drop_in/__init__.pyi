from .fallback import FallbackWarning as FallbackWarning
from .linear_svc import LinearSVC as LinearSVC
from .logistic_regression import LogisticRegression as LogisticRegression
