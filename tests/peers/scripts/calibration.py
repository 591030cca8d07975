"""Probabilities of a linear SVM, calibrated by cross-validation."""

from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import brier_score_loss
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from reporting import film_reviews, report

texts, y = film_reviews(3000)
model = make_pipeline(TfidfVectorizer(), CalibratedClassifierCV(LinearSVC(C=1.0, dual=True), cv=3))
model.fit(texts[:2000], y[:2000])
likely = model.predict_proba(texts[2000:])[:, 1]
is_positive = [label == model.classes_[1] for label in y[2000:]]
report(accuracy=model.score(texts[2000:], y[2000:]), brier=-brier_score_loss(is_positive, likely))
