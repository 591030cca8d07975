"""Training and using a classifier of texts from Python: what the commands do, as objects.

Examples
--------
>>> from fastsvm_apps import sentiment
>>> model = sentiment.train("reviews.csv", text_col="review", label_col="stars")  # doctest: +SKIP
>>> print(model.summary)  # doctest: +SKIP
>>> model.predict(["not a dull minute in it"])  # doctest: +SKIP
>>> model.save("reviews.safetensors")  # doctest: +SKIP
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import TYPE_CHECKING

import click
import numpy as np

from fastsvm.model_files import save_plain

from ..common.errors import Skipped
from ..common.files import check_model_path
from .commands.train import train as command
from .data.corpus import Given, Source
from .model import prediction, training
from .model.explanation import Explainer, Explanation
from .model.settings import AUTO, FEATURES, Settings, settings_of, spelled

if TYPE_CHECKING:
    from fastsvm.fitting import Pipeline

    from .model.scores import Scores

__all__ = ["TextModel", "load", "train"]

_OF_SOURCE = {"format": "format", "text_col": "text_column", "label_col": "label_column"}


def train(
    source: str | os.PathLike[str] | Sequence[str],
    labels: Iterable[str] | None = None,
    /,
    *,
    recipe: str = AUTO,
    **options,
) -> TextModel:
    """Train a classifier of texts: the recipe of ``fastsvm-sentiment train``, and the same bits.

    Parameters
    ----------
    source : str or path-like, or sequence of str
        A file or folder of labelled texts in any format that the command reads; or, with `labels`, the texts.
    labels : iterable of str, optional
        The label of each text.
    recipe : str
        As ``--recipe``.
    **options
        Those of the command, by its names with ``_`` for ``-`` and with its defaults: `text_col`,
        `label_col` and `format` of a file; `classifier`, `weighting`, `ngrams`, `alpha`, `holdout`, `seed`
        and so on of the recipe. Values are as on a command line (``ngrams="1-2"``), or Python's own.

    Returns
    -------
    TextModel

    Raises
    ------
    TypeError
        If there is no such option, or texts and labels are not strings.
    ValueError
        If an option has no such value, or no model can be made of these texts; with the message that the
        command prints.
    OSError
        If the file cannot be read.

    See Also
    --------
    load : a model that was saved.
    """
    with _plain_errors():
        of_source, settings = _chosen(recipe, options)
        if labels is None:
            if not isinstance(source, str | os.PathLike):
                raise TypeError("train() takes the path of a corpus, or texts and their labels")
            corpus = Source(os.fspath(source), **of_source)
        elif of_source:
            raise TypeError(f"{', '.join(_OF_SOURCE.keys() & options)}: of a file, and there is none")
        else:
            corpus = Given(texts=_strings(source, "texts"), labels=_strings(labels, "labels"))
            if len(corpus.texts) != len(corpus.labels):
                raise ValueError(f"{len(corpus.texts):,} texts and {len(corpus.labels):,} labels")
        result = training.train(corpus, None, settings)
    given = [repr(os.fspath(source)) if labels is None else "texts, labels"]
    given += [f"{name}={value!r}" for name, value in {"recipe": recipe, **options}.items()]
    return TextModel(result.fitted, result, f"fastsvm_apps.sentiment.train({', '.join(given)})", corpus.name)


def load(path: str | os.PathLike[str] = prediction.SHIPPED_NAME) -> TextModel:
    """Load a model that was saved, or by default ``"english"``, a model of reviews that comes along.

    Parameters
    ----------
    path : str or path-like
        A file that `TextModel.save` or the command wrote.

    Returns
    -------
    TextModel
        Without `scores` and `report`, which are of a training.

    Raises
    ------
    ValueError
        If it is no model of texts.
    OSError
        If the file cannot be read.
    """
    with _plain_errors():
        return TextModel(prediction.load_text_model(os.fspath(path)))


class TextModel:
    """A trained classifier of texts; `train` and `load` make it.

    Attributes
    ----------
    pipeline : fastsvm.fitting.Pipeline
        Vectorizer, weighting and classifier. ``fastsvm.load_model(path)`` reads the saved file as a
        scikit-learn ``Pipeline``, which can be cloned, searched and cross-validated.
    classes_ : ndarray of str, shape (n_labels,)
        The labels, sorted.
    training : Training or None
        All that is known of the training; None of a model that was loaded.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        training: training.Training | None = None,
        call: str = "",
        name: str = "",
    ) -> None:
        self.pipeline = pipeline
        self.training = training
        self.classes_ = pipeline.classes_
        self._call, self._name, self._saved = call, name, "not saved yet"
        self._explainer: Explainer | None = None

    def predict(self, texts: Iterable[str]) -> np.ndarray:
        """Return the label of each text.

        Parameters
        ----------
        texts : iterable of str

        Returns
        -------
        ndarray of str, shape (n_texts,)
        """
        with _plain_errors():
            found = prediction.classify(self.pipeline, _strings(texts, "texts"))
        return self.classes_[found.winners]

    def predict_proba(self, texts: Iterable[str]) -> np.ndarray:
        """Return the probability of each label for each text.

        Parameters
        ----------
        texts : iterable of str

        Returns
        -------
        ndarray of shape (n_texts, n_labels)
            Columns in the order of `classes_`; rows sum to 1.

        Raises
        ------
        ValueError
            If the model has no probabilities.
        """
        with _plain_errors():
            prediction.check_choices(self.pipeline, True, None)
            return prediction.classify(self.pipeline, _strings(texts, "texts"), proba=True).probabilities

    def decision_function(self, texts: Iterable[str]) -> np.ndarray:
        """Return the scores: of two labels, of the second, shape (n_texts,); of more, (n_texts, n_labels)."""
        return self.pipeline.decision_function(_strings(texts, "texts"))

    def explain(self, text: str, label: str | None = None) -> Explanation:
        """Return what each word of a text contributes to its score.

        Parameters
        ----------
        text : str
        label : str, optional
            Whose score; by default the second of two labels, or the one predicted.

        Returns
        -------
        Explanation
            With `label`, `score`, `words` (each a term, its count and its contribution) and `spans`.
        """
        if not isinstance(text, str):
            raise TypeError(f"the text is a {type(text).__name__}, not a string")
        with _plain_errors():
            self._explainer = self._explainer or Explainer(self.pipeline)
            return self._explainer.explain(text, label)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, as ``fastsvm-sentiment train -o`` does.

        Parameters
        ----------
        path : str or path-like
            A file there is replaced only if it is a model.

        Raises
        ------
        ValueError
            If there is a file that is no model.
        OSError
            If the file cannot be written.
        """
        with _plain_errors():
            check_model_path(os.fspath(path))
        save_plain(self.pipeline, path)
        self._saved = os.fspath(path)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write a page on the model and its mistakes, as ``--report`` does; needs matplotlib.

        Parameters
        ----------
        path : str or path-like
            The HTML file.

        Raises
        ------
        ValueError
            If the model was loaded: the page is of a training.
        """
        from .output.page import write_report

        if self.training is None:
            raise ValueError("this model was loaded, and a report is of a training; train() again")
        training = replace(self.training, model=self._saved)
        with _plain_errors():
            write_report(path, training, self._name, self._call)

    @property
    def scores(self) -> Scores | None:
        """How the model did on the texts held out: `accuracy`, `interval`, `confusion`; None without any."""
        return None if self.training is None else self.training.scores

    @property
    def skipped(self) -> Skipped | None:
        """Texts of the corpus that could not be used: `count`, and `report()` with a line for each."""
        return None if self.training is None else self.training.skipped

    @property
    def summary(self) -> str:
        """The model in a few lines."""
        lines = [f"{len(self.pipeline['vectorizer'].get_feature_names_out()):,} terms"]
        lines[0] += f", labels {', '.join(map(str, self.classes_))}"
        if self.training is not None:
            lines.append(f"{self.training.n_train:,} texts to train on, {self.training.n_test:,} held out")
        if self.scores is not None:
            low, high = self.scores.interval
            lines.append(f"accuracy {self.scores.accuracy:.4f} (95 % interval {low:.4f} to {high:.4f})")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<TextModel: {self.summary.replace(chr(10), '; ')}>"


def _chosen(recipe: str, options: dict) -> tuple[dict, Settings]:
    """Return how to read and what to do; values go through the options of the command, as if typed."""
    known = {option.name: option for option in command.params if isinstance(option, click.Option)}
    names = {*_OF_SOURCE, *(field.name for field in fields(Settings))} & known.keys()
    if unknown := options.keys() - names:
        raise TypeError(f"train() has no option {', '.join(unknown)}; it has {', '.join(sorted(names))}")
    context = click.Context(command, info_name="train")
    spellings = {
        name: spelled(value, "none" if name in FEATURES else "all") for name, value in options.items()
    }
    typed = {name: known[name].type_cast_value(context, value) for name, value in spellings.items()}
    recipe = known["recipe"].type_cast_value(context, recipe)
    of_source = {_OF_SOURCE[name]: typed.pop(name) for name in _OF_SOURCE if name in typed}
    return of_source, settings_of(recipe, typed)


def _strings(values: Iterable[str], what: str) -> list[str]:
    if isinstance(values, str | bytes):
        raise TypeError(f"{what} are a sequence of strings, not a single one")
    strings = list(values)
    for i, value in enumerate(strings):
        if not isinstance(value, str):
            raise TypeError(f"{what} are strings; number {i} is a {type(value).__name__}: {value!r:.40}")
    return strings


@contextmanager
def _plain_errors() -> Iterator[None]:
    """Raise as ValueError what the commands tell in one line."""
    try:
        yield
    except click.ClickException as error:
        raise ValueError(error.format_message()) from error
