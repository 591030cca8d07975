"""Prediction of texts from a model file, without scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..fitting import Pipeline
from ..fitting.prediction import probabilities, require_predict_proba
from ..text.bag import Bag
from ..text.reading import compiled_reading
from ..text.union import Union, first_terms
from ..text.weighting import Weighting
from .container import UnknownStep
from .registry import load_plain

if TYPE_CHECKING:
    import os

    from ..solvers.annotations import Iterable


class TextScores(NamedTuple):
    """The scores of some texts.

    Attributes
    ----------
    decision : ndarray
        As `decision_function` returns it.
    probabilities : ndarray or None
        As `predict_proba` returns it, if requested.
    n_terms : ndarray of shape (n_texts,)
        The number of different terms of the model in each text; at 0, only the intercept decides.
    n_first_terms : ndarray of shape (n_texts,)
        How many of the terms are of the model's first bag, for example words if there are also characters.
    """

    decision: np.ndarray
    probabilities: np.ndarray | None
    n_terms: np.ndarray
    n_first_terms: np.ndarray


class TextScorer(Pipeline):
    """A saved text classifier that only predicts, without importing scikit-learn.

    The results equal those of the pipeline that :func:`fastsvm.load_model` reads from the same file, to the
    last bit. Use :meth:`load` to make one. `decision_function`, `predict` and, for models with the log loss
    or a calibration, `predict_proba` take an iterable of str.

    Parameters
    ----------
    steps : list of (name, step)
        As in `fastsvm.fitting.Pipeline`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)

    See Also
    --------
    fastsvm.load_model : the whole model, for inspection and further training.

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

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> TextScorer | None:
        """Read a model from a file that :func:`fastsvm.save_model` wrote.

        Parameters
        ----------
        path : str or path-like
            The file.

        Returns
        -------
        TextScorer or None
            None if only :func:`fastsvm.load_model` may read the file. TextScorer reads pipelines of one or
            several `BagOfWords`, an optional `TermWeighting` and a classifier, without stop words,
            stripped accents, n-grams of more than 8 words or feature names.

        Raises
        ------
        ModelFileError
            If the file is damaged.
        OSError
            If the file cannot be read.
        """
        try:
            model = load_plain(path)
        except UnknownStep:
            return None
        if not isinstance(model, Pipeline):
            return None
        steps = [step for _, step in model.steps]
        bags = steps[0].bags if isinstance(steps[0], Union) else steps[:1]
        usual = (
            all(isinstance(bag, Bag) and _is_compiled(bag) for bag in bags)
            and hasattr(steps[-1], "classes_")
            and [type(step) for step in steps[1:-1]] in ([], [Weighting])
            and not any(hasattr(step, "feature_names_in_") for step in steps)
        )
        return cls(model.steps) if usual else None

    def scores(self, texts: Iterable[str], proba: bool = False) -> TextScores:
        """Return scores, probabilities and numbers of terms, in one pass over the texts.

        Parameters
        ----------
        texts : iterable of str
            The texts to score.
        proba : bool, default=False
            Compute probabilities, for models with the log loss or a calibration.

        Returns
        -------
        TextScores
            Scores, probabilities and numbers of terms, one row per text.
        """
        if proba:
            require_predict_proba(self[-1])
        X = self._transformed(texts)
        found = self[-1].decision_function(X)
        likely = probabilities(self[-1], found) if proba else None
        return TextScores(found, likely, np.diff(X.indptr), first_terms(self[0], X))


def _is_compiled(bag):
    """Return whether the compiled code counts the terms of a plain bag."""
    return compiled_reading(bag.analyzer, bag.token_pattern, bag.ngram_range) is not None
