"""Several linear classifiers on the same documents."""

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, Perceptron, SGDClassifier
from sklearn.svm import LinearSVC

from reporting import question_titles, report

texts, y = question_titles("train", 4000)
new_texts, new_y = question_titles("test", 2000)
vectorizer = TfidfVectorizer(sublinear_tf=True, max_df=0.5, min_df=2, stop_words="english")
X, new_X = vectorizer.fit_transform(texts), vectorizer.transform(new_texts)
classifiers = {
    "logistic": LogisticRegression(C=5, max_iter=1000),
    "svm": LinearSVC(C=0.1, dual=False, max_iter=1000),
    "sgd": SGDClassifier(loss="log_loss", alpha=1e-4, n_iter_no_change=3, early_stopping=False),
    "perceptron": Perceptron(max_iter=50, n_iter_no_change=3),
}
report(**{name: each.fit(X, y).score(new_X, new_y) for name, each in classifiers.items()})
