"""Weights of rows, routed through a pipeline and a search."""

import numpy as np
import sklearn
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from reporting import report

sklearn.set_config(enable_metadata_routing=True)
X, y = load_breast_cancer(return_X_y=True)
weights = np.where(y == 0, 3.0, 1.0)
classifier = LogisticRegression().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
model = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), classifier)
grid = GridSearchCV(model, {"logisticregression__C": [0.01, 0.1, 1]}, cv=5)
report(best=grid.fit(X, y, sample_weight=weights).best_score_)
