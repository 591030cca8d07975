"""Several labels per text; and pairs of classes."""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.svm import LinearSVC

from reporting import film_reviews, report

texts, y = film_reviews(2000)
labels = np.array(
    [[label == "pos", "music" in text, len(text) > 1000] for text, label in zip(texts, y, strict=True)]
)
X = TfidfVectorizer(min_df=2).fit_transform(texts)
model = OneVsRestClassifier(LogisticRegression(C=10)).fit(X[:1500], labels[:1500])
f1 = f1_score(labels[1500:], model.predict(X[1500:]), average="macro")
X, y = load_digits(return_X_y=True)
pairs = OneVsOneClassifier(LinearSVC(C=0.01, random_state=0)).fit(X[:1000] / 16, y[:1000])
report(f1=f1, digits=pairs.score(X[1000:] / 16, y[1000:]))
