"""Log loss of logistic regression in folds, with training scores."""

from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from reporting import report

X, y = load_digits(return_X_y=True)
model = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=1000))
found = cross_validate(model, X, y, scoring="neg_log_loss", return_train_score=True, cv=5)
report(test=found["test_score"].mean(), train=found["train_score"].mean())
