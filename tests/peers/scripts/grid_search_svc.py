"""C and gamma of a support vector machine by a grid."""

from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.svm import SVC

from reporting import report

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
grid = GridSearchCV(SVC(kernel="rbf"), {"C": [1, 10, 100], "gamma": [1e-3, 1e-4]}, cv=3)
grid.fit(X_train, y_train)
report(best=grid.best_score_, accuracy=grid.score(X_test, y_test))
