"""Labels of texts from a model file, without scikit-learn."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..fitting import Pipeline
from ..fitting.one_vs_rest import probabilities, require_probabilities
from ..text.bag import Bag
from ..text.reading import compiled_reading
from ..text.union import Union
from ..text.weighting import Weighting
from .container import ModelFileError, UnknownStep
from .plain import LINEAR, load_plain

if TYPE_CHECKING:
    import os
    from contextlib import AbstractContextManager

    from ..solvers.annotations import Iterable

__all__ = ["TextScorer", "TextScores"]

# Models that come with the apps, which lie beside this package: by name, so that nothing here needs them.
SHIPPED = {"english": ("fastsvm_apps.sentiment", "shipped/english.safetensors")}


class TextScores(NamedTuple):
    """What a model says of some texts.

    Attributes
    ----------
    decision : ndarray
        As `decision_function` returns it.
    probabilities : ndarray or None
        As `predict_proba` returns it, where it was asked for.
    n_terms : ndarray of shape (n_texts,)
        How many different terms of the model each text has; where it is 0, only the intercept decides.
    """

    decision: np.ndarray
    probabilities: np.ndarray | None
    n_terms: np.ndarray


class TextScorer(Pipeline):
    """A saved text classifier that only predicts, and does not wait for scikit-learn to be imported.

    The results are those of the pipeline that :func:`fastsvm.load_model` reads from the same file, to the
    last bit. Made by :meth:`load`; `decision_function`, `predict` and, of models of the log loss or
    with a calibration, `predict_proba` take an iterable of str.

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

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> TextScorer | None:
        """Read a model from a file that :func:`fastsvm.save_model` wrote.

        Parameters
        ----------
        path : str or path-like
            Or "english", the model of reviews that comes with the apps; a file of that name is "./english".

        Returns
        -------
        TextScorer or None
            None where the file is for :func:`fastsvm.load_model` alone to read, or to refuse: the model is
            not a pipeline of `BagOfWords` (or several side by side), perhaps `TermWeighting`, and a linear
            classifier, or has stop words, strips accents, counts n-grams of more than 8 words or names its
            features.

        Raises
        ------
        ModelFileError
            If the file is damaged; or by name, if it was not installed.
        OSError
            If the file cannot be read.
        """
        try:
            with _file_of(path) as file:
                model = load_plain(file)
        except UnknownStep:
            return None
        if not isinstance(model, Pipeline):
            return None
        steps = [step for _, step in model.steps]
        bags = steps[0].bags if isinstance(steps[0], Union) else steps[:1]
        usual = (
            all(isinstance(bag, Bag) and _is_compiled(bag) for bag in bags)
            and type(steps[-1]) in LINEAR
            and [type(step) for step in steps[1:-1]] in ([], [Weighting])
            and not any(hasattr(step, "feature_names_in_") for step in steps)
        )
        return cls(model.steps) if usual else None

    def scores(self, texts: Iterable[str], proba: bool = False) -> TextScores:
        """Return all that the model says of texts, which it reads once.

        Parameters
        ----------
        texts : iterable of str
        proba : bool, default=False
            Whether to compute probabilities; models of the log loss have them, and calibrated ones.

        Returns
        -------
        TextScores
        """
        if proba:
            require_probabilities(self[-1])
        X = self._transformed(texts)
        found = self[-1].decision_function(X)
        likely = probabilities(self[-1], found) if proba else None
        return TextScores(found, likely, np.diff(X.indptr))


def _file_of(path: str | os.PathLike[str]) -> AbstractContextManager[str | os.PathLike[str]]:
    """Return what gives the file that a path or the name of a shipped model stands for."""
    if path not in SHIPPED:
        return nullcontext(path)
    from importlib import resources  # not before it is needed

    package, name = SHIPPED[str(path)]
    try:
        file = resources.files(package).joinpath(name)
    except ModuleNotFoundError:
        file = None
    if file is None or not file.is_file():
        raise ModelFileError(f"{path}: this installation comes without it; install fastsvm with its apps")
    return resources.as_file(file)


def _is_compiled(bag):
    """Tell whether the compiled code counts the terms of a plain bag."""
    return compiled_reading(bag.analyzer, bag.token_pattern, bag.ngram_range) is not None
