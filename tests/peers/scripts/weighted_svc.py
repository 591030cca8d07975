"""Weights of rows and of classes, and the probabilities of a polynomial kernel's scores."""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import balanced_accuracy_score
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from reporting import report

X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)
weights = np.random.default_rng(0).uniform(0.5, 2, len(y))
model = SVC(C=10, kernel="poly", degree=2, coef0=1, class_weight="balanced")
model.fit(X[:300], y[:300], sample_weight=weights[:300])
report(accuracy=balanced_accuracy_score(y[300:], model.predict(X[300:])), support=-len(model.support_) / 300)
