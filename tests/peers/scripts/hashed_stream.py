"""Hashed words, batch by batch."""

from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import SGDClassifier

from reporting import film_reviews, report

texts, y = film_reviews(4000)
vectorizer = HashingVectorizer(n_features=2**18, alternate_sign=False)
model = SGDClassifier(loss="log_loss", random_state=0)
for start in range(0, 3000, 500):
    X = vectorizer.transform(texts[start : start + 500])
    model.partial_fit(X, y[start : start + 500], classes=["neg", "pos"])
report(accuracy=model.score(vectorizer.transform(texts[3000:]), y[3000:]))
