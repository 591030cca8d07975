"""Classifiers that vote, that are stacked, that are bagged."""

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from reporting import report

X, y = load_breast_cancer(return_X_y=True)
members = [("log", LogisticRegression()), ("sgd", SGDClassifier(loss="log_loss", alpha=0.01, random_state=0))]
models = {
    "voting": VotingClassifier(members, voting="soft"),
    "stacking": StackingClassifier([*members, ("svc", SVC())], LogisticRegression(), cv=3),
    "bagging": BaggingClassifier(LinearSVC(C=0.1), n_estimators=5, random_state=0),
}
models = {name: make_pipeline(StandardScaler(), model) for name, model in models.items()}
report(**{name: cross_val_score(model, X, y, cv=5).mean() for name, model in models.items()})
