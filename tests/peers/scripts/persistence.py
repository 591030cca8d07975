"""A pipeline saved by joblib and by pickle."""

import pickle
import tempfile

import joblib
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline

from reporting import film_reviews, report

texts, y = film_reviews(3000)
model = make_pipeline(TfidfVectorizer(), SGDClassifier(loss="modified_huber", random_state=0))
model.fit(texts[:2000], y[:2000])
with tempfile.NamedTemporaryFile(suffix=".joblib") as file:
    joblib.dump(model, file.name)
    again = joblib.load(file.name)
same = pickle.loads(pickle.dumps(again))
report(accuracy=same.score(texts[2000:], y[2000:]))
