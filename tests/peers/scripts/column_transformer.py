"""A text, a category and a number for each row."""

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from reporting import film_reviews, report

texts, y = film_reviews(3000)
X = np.array([[text, len(text.split()) % 3, len(text)] for text in texts], dtype=object)
columns = ColumnTransformer(
    [
        ("text", TfidfVectorizer(min_df=3, stop_words="english"), 0),
        ("category", OneHotEncoder(), [1]),
        ("length", StandardScaler(), [2]),
    ]
)
model = Pipeline([("columns", columns), ("classifier", LogisticRegression(max_iter=500))])
model.fit(X[:2000], y[:2000])
report(accuracy=model.score(X[2000:], y[2000:]))
