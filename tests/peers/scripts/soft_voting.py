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
report(
    **{
        name: cross_val_score(make_pipeline(StandardScaler(), each), X, y, cv=5).mean()
        for name, each in models.items()
    }
)
