"""Words and characters side by side."""

from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.svm import LinearSVC

from reporting import question_titles, report

texts, y = question_titles("train", 4000)
new_texts, new_y = question_titles("test", 2000)
words = Pipeline([("counts", CountVectorizer(ngram_range=(1, 2))), ("weights", TfidfTransformer())])
characters = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), min_df=2)
both = FeatureUnion([("words", words), ("characters", characters)])
model = Pipeline([("features", both), ("classifier", LinearSVC(C=0.5))]).fit(texts, y)
report(accuracy=model.score(new_texts, new_y))
