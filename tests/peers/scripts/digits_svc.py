"""Handwritten digits by a support vector machine, as in scikit-learn's first example."""

from sklearn import metrics, svm
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from reporting import report

digits = load_digits()
X = digits.images.reshape((len(digits.images), -1))
X_train, X_test, y_train, y_test = train_test_split(X, digits.target, test_size=0.5, shuffle=False)
model = svm.SVC(gamma=0.001)
model.fit(X_train, y_train)
predicted = model.predict(X_test)
report(
    accuracy=metrics.accuracy_score(y_test, predicted),
    f1=metrics.f1_score(y_test, predicted, average="macro"),
)
