"""The area under the ROC curve of pairs of words, in five folds."""

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from reporting import film_reviews, report

texts, y = film_reviews(2000)
model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True), LinearSVC())
report(area=cross_val_score(model, texts, [label == "pos" for label in y], cv=5, scoring="roc_auc").mean())
