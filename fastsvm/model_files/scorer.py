"""Labels of texts from a model file, without scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse

from ..fitting import scores
from ..text._apply import Lookup
from ..text._parts import csr_arrays
from ..text._words import batches
from ..text.bag import as_text
from ..text.reading import BATCH, compiled_reading, refuse_string
from .container import check_node, check_width, decode_steps, is_pipeline, named_errors, open_model
from .fields import linear
from .text import bag, weighting

if TYPE_CHECKING:
    import os

    from ..solvers.annotations import Iterable

__all__ = ["TextScorer", "TextScores"]

WITH_LOSS = ("SDCAClassifier", "ASDCAClassifier", "PegasosClassifier")
LINEAR = (*WITH_LOSS, "PerceptronClassifier")
SHAPES = [
    *(("BagOfWords", name) for name in LINEAR),
    *(("BagOfWords", "TermWeighting", name) for name in LINEAR),
]


class TextScores(NamedTuple):
    """What a model says of some texts.

    Attributes
    ----------
    decision : ndarray
        As `TextScorer.decision_function` returns it.
    probabilities : ndarray or None
        As `TextScorer.predict_proba` returns it, where it was asked for.
    n_terms : ndarray of shape (n_texts,)
        How many different terms of the model each text has; where it is 0, only the intercept decides.
    """

    decision: np.ndarray
    probabilities: np.ndarray | None
    n_terms: np.ndarray


class TextScorer:
    """A saved text classifier that only predicts, and does not wait for scikit-learn to be imported.

    The results are those of the pipeline that :func:`fastsvm.load_model` reads from the same file, to the
    last bit. Made by :meth:`load`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)

    See Also
    --------
    fastsvm.load_model : the whole model, which can be looked into and trained further.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.pipeline import make_pipeline
    >>> from fastsvm import SDCAClassifier, save_model
    >>> from fastsvm.text import BagOfWords, TextScorer
    >>> model = make_pipeline(BagOfWords(), SDCAClassifier()).fit(["a fine pen", "a dull pen"], ["+", "-"])
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     save_model(model, file.name)
    ...     scorer = TextScorer.load(file.name)
    >>> scorer.predict(["fine, fine", "dull"]).tolist()
    ['+', '-']
    """

    def __init__(self, settings, reading, terms, weights, classifier, has_log_loss):
        self._lookup = Lookup(terms.content, terms.ends, *reading)
        self._settings, self._weights, self._classifier = settings, weights, classifier
        self._has_log_loss = has_log_loss
        self.classes_ = classifier.classes_

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> TextScorer | None:
        """Read a model from a file that :func:`fastsvm.save_model` wrote.

        Parameters
        ----------
        path : str or path-like

        Returns
        -------
        TextScorer or None
            None where the file is for :func:`fastsvm.load_model` alone to read, or to refuse: the model is
            not a pipeline of `BagOfWords`, perhaps `TermWeighting`, and a linear classifier, or has stop
            words, strips accents, counts n-grams of more than 8 words or names its features.

        Raises
        ------
        ModelFileError
            If the file is damaged. The settings of the training, which no prediction reads, are not looked
            at, except for the loss.
        OSError
            If the file cannot be read.
        """
        with named_errors(path):
            node, tensors = open_model(path)
            classes = _classes(node)
            if classes not in SHAPES:
                return None
            log_loss = classes[-1] in WITH_LOSS and _has_log_loss(node["steps"][-1][1])
            (_, (settings, terms)), *middle, (last, classifier) = decode_steps(node, tensors, _decode)
            for name, step in middle:
                check_width(name, step.n_features_in_, len(terms))
            check_width(last, classifier.coef_.shape[1], len(terms))
        weights = middle[0][1] if middle else None
        named = classifier.names is not None or (weights is not None and weights.names is not None)
        reading = _reading(settings)
        if named or reading is None:
            return None
        return cls(settings, reading, terms, weights, classifier, log_loss)

    def scores(self, texts: Iterable[str], proba: bool = False) -> TextScores:
        """Return all that the model says of texts, which it reads once.

        Parameters
        ----------
        texts : iterable of str
        proba : bool, default=False
            Whether to compute probabilities; only models of the log loss have them.

        Returns
        -------
        TextScores
        """
        if proba:
            self._check_log_loss()
        X = self._matrix(texts)
        found = scores.decision(X, self._classifier.coef_, self._classifier.intercept_)
        return TextScores(found, scores.probabilities(found) if proba else None, np.diff(X.indptr))

    def decision_function(self, texts: Iterable[str]) -> np.ndarray:
        """Signed scores w.x + b0.

        Parameters
        ----------
        texts : iterable of str

        Returns
        -------
        ndarray of shape (n_texts,) or, for more than two classes, (n_texts, n_classes)
            Of two classes, above 0 means `classes_[1]`.
        """
        return self.scores(texts).decision

    def predict(self, texts: Iterable[str]) -> np.ndarray:
        """The class of the highest score.

        Parameters
        ----------
        texts : iterable of str

        Returns
        -------
        ndarray of shape (n_texts,), of the labels' dtype
        """
        return self.classes_[scores.winners(self.decision_function(texts))]

    @property
    def predict_proba(self):
        """Class probabilities, of texts; there only for models of the log loss.

        Parameters
        ----------
        texts : iterable of str

        Returns
        -------
        ndarray of shape (n_texts, n_classes)
        """
        self._check_log_loss()
        return lambda texts: self.scores(texts, proba=True).probabilities

    def _check_log_loss(self):
        if not self._has_log_loss:
            raise AttributeError("predict_proba needs a model that was trained with loss='log'")

    def _matrix(self, texts):
        """Return the rows of numbers, float32 or float64, that the classifier is given."""
        settings, lookup, parts = self._settings, self._lookup, []
        refuse_string(texts)
        for batch in batches(texts, as_text, None, settings["lowercase"], BATCH):
            parts.append(lookup.count(batch, *batch.parts(1)))
        values, columns, offsets = csr_arrays(parts, settings["dtype"], settings["binary"], map)
        if self._weights is not None:
            rows = values, columns, offsets.astype(np.int64, copy=False)
            values = self._weights.settings.weighed(rows, self._weights.weights_)
        X = sparse.csr_array((values, columns, offsets), shape=(len(offsets) - 1, lookup.n_columns))
        return X if values.dtype.kind == "f" else X.astype(np.float64)  # which sorts: another order of sums


def _classes(node):
    """Return the names of the classes of a pipeline's steps, as far as they look like names."""
    steps = node.get("steps") if is_pipeline(node) else None
    entries = steps if type(steps) is list else []
    return tuple(
        entry[1].get("class") if type(entry) is list and len(entry) == 2 and type(entry[1]) is dict else None
        for entry in entries
    )


def _has_log_loss(node):
    params = node.get("params")
    return type(params) is dict and params.get("loss") == "log"


def _reading(settings):
    """Tell how a `BagOfWords` finds terms; None where scikit-learn has a hand in it."""
    if settings["stop_words"] is not None or settings["strip_accents"] is not None:
        return None
    return compiled_reading(settings["analyzer"], settings["token_pattern"], settings["ngram_range"])


def _decode(node, tensors):
    check_node(node)
    params, fitted = node["params"], node["fitted"]
    if node["class"] == "BagOfWords":
        return bag(params, fitted, tensors)
    if node["class"] == "TermWeighting":
        return weighting(params, fitted, tensors)
    return linear(node["class"], fitted, tensors)
