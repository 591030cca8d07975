"""Few features by an l1 penalty."""

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from reporting import film_reviews, report

texts, y = film_reviews(3000)
few = SelectFromModel(LinearSVC(penalty="l1", dual=False, C=1.0, random_state=0))
model = make_pipeline(TfidfVectorizer(min_df=2), few, LogisticRegression(C=10)).fit(texts[:2000], y[:2000])
report(accuracy=model.score(texts[2000:], y[2000:]))
