"""A pipeline of plain models."""

from .prediction import require_predict_proba


class Pipeline:
    """Transformers and a classifier; each step's output is the next step's input.

    Parameters
    ----------
    steps : list of (name, step)
        In the order in which they are applied; the classifier is the last.
    """

    def __init__(self, steps):
        if isinstance(steps, str) or not steps:
            raise ValueError(f"steps must be a list of at least one pair (name, step); got {steps!r}.")
        self.steps = steps

    def __getitem__(self, key):
        """Return a step, by its name or its place."""
        return self.named_steps[key] if isinstance(key, str) else self.steps[key][1]

    @property
    def named_steps(self):
        """The steps by name."""
        return dict(self.steps)

    def fit(self, X, y):
        """Fit every step to the output of the steps before, and return the pipeline.

        Parameters
        ----------
        X : as the first step takes it
            The rows.
        y : array of shape (n_samples,)
            The label of each row.

        Returns
        -------
        self
            The fitted pipeline.
        """
        for _, step in self.steps[:-1]:
            X = step.fit(X, y).transform(X)
        self[-1].fit(X, y)
        return self

    def _transformed(self, X):
        for _, step in self.steps[:-1]:
            X = step.transform(X)
        return X

    @property
    def classes_(self):
        """The labels, sorted."""
        return self[-1].classes_

    def decision_function(self, X):
        """Return the scores of X.

        Parameters
        ----------
        X : as the first step takes it
            The rows.

        Returns
        -------
        ndarray
            The classifier's scores.
        """
        return self[-1].decision_function(self._transformed(X))

    def predict(self, X):
        """Return the class with the highest score for each row.

        Parameters
        ----------
        X : as the first step takes it
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            The predicted label of each row.
        """
        return self[-1].predict(self._transformed(X))

    @property
    def predict_proba(self):
        """A function that returns the probabilities of the classes of X, if the classifier has any."""
        require_predict_proba(self[-1])
        return lambda X: self[-1].predict_proba(self._transformed(X))
