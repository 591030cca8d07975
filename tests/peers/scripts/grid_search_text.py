"""C and the length of terms by a grid."""

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

from reporting import film_reviews, report

texts, y = film_reviews(1000)
model = Pipeline([("terms", TfidfVectorizer()), ("classifier", LogisticRegression(max_iter=1000))])
grid = GridSearchCV(model, {"terms__ngram_range": [(1, 1), (1, 2)], "classifier__C": [1, 10, 100]}, cv=3)
report(best=grid.fit(texts, y).best_score_)
