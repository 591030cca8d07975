"""Feature elimination, a threshold tuned to a metric, importance by permutation, a learning curve."""

from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import RFECV
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import TunedThresholdClassifierCV, learning_curve
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale
from sklearn.svm import LinearSVC

from reporting import report

X, y = load_breast_cancer(return_X_y=True)
model = make_pipeline(StandardScaler(), RFECV(LinearSVC(C=0.1), step=2, cv=3)).fit(X[:400], y[:400])
tuned = TunedThresholdClassifierCV(LogisticRegression(), scoring="balanced_accuracy", cv=3)
tuned.fit(scale(X[:400]), y[:400])
importance = permutation_importance(model, X[400:], y[400:], n_repeats=3, random_state=0)
_, _, curve = learning_curve(LogisticRegression(), scale(X), y, cv=3)
scores = {"eliminated": model.score(X[400:], y[400:]), "tuned": tuned.score(scale(X[400:]), y[400:])}
report(**scores, curve=curve[-1].mean())
