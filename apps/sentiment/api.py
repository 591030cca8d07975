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
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import click
import numpy as np

from fastsvm.model_files import save_plain

from ..common.errors import Skipped
from ..common.files import check_model_path
from ..common.options import CountOrAll
from .commands._options import corpus_options
from .commands.train import _check_continued, _with_recipe
from .commands.train import train as command
from .data.corpus import Given, Source
from .jobs import training
from .jobs.explanation import Explainer, Explanation
from .jobs.trained import Training
from .measures import prediction
from .settings import Settings, spelled

if TYPE_CHECKING:
    from fastsvm.fitting import Pipeline

    from .measures.scores import Scores

__all__ = ["TextModel", "load", "train"]


def train(
    source: str | os.PathLike[str] | Sequence[str],
    labels: Iterable[str] | None = None,
    /,
    **options,
) -> TextModel:
    """Train a classifier of texts: the recipe of ``fastsvm-sentiment train``, and the same bits.

    Parameters
    ----------
    source : str or path-like, or sequence of str
        A file or folder of labelled texts in any format that the command reads; or, with `labels`, the texts.
    labels : iterable of str, optional
        The label of each text.
    **options
        Those of the command, by its names with ``_`` for ``-`` and with its defaults: `text_col`,
        `label_col` and `format` of a file; `recipe`, `classifier`, `weighting`, `ngrams`, `alpha`, `holdout`,
        `seed` and so on of the recipe. Values are as on a command line (``ngrams="1-2"``), or Python's own:
        ``(1, 2)``, ``refit=False``, ``class_weight={"spam": 5}``. `start` is ``--continue``: the file of a
        model that goes on learning.

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

    Warns
    -----
    UserWarning
        If texts were skipped, or the model is no better than a guess, or never predicts a label.

    See Also
    --------
    load : a model that was saved.
    """
    with _plain_errors():
        if labels is None:
            if not isinstance(source, str | os.PathLike):
                raise TypeError("train() takes the path of a corpus, or texts and their labels")
            corpus, settings, more = _asked(os.fspath(source), options)
        else:
            _, settings, more = _asked("-", options)
            if of_file := sorted(_OF_SOURCE & options.keys()):
                raise TypeError(f"{', '.join(of_file)}: of a file, and there is none")
            corpus = Given(texts=_strings(source, "texts"), labels=_strings(labels, "labels"))
            if len(corpus.texts) != len(corpus.labels):
                raise ValueError(f"{len(corpus.texts):,} texts and {len(corpus.labels):,} labels")
        result = training.train(corpus, None, settings, **more)
    for message in ["\n".join(result.skipped.report())] * bool(result.skipped.count) + result.warnings:
        warnings.warn(message, stacklevel=2)
    given = [repr(os.fspath(source)) if labels is None else "texts, labels"]
    given += [f"{name}={value!r}" for name, value in options.items()]
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
        training: Training | None = None,
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


@corpus_options
def _chosen(
    source, recipe, start, cv, output, stream, checkpoint, scheduler, report, json, quiet, verbose, **options
):
    if start:
        _check_continued()
    start = prediction.load_text_model(start) if start else None
    return source, _with_recipe(recipe, options), {"start": start, "cv": cv or 0}


# The command in all but what it does.
_ASKED = click.Command("train", params=command.params, callback=_chosen)
_OF_SOURCE = {option.name for option in _chosen.__click_params__}
_NOT_HERE = {
    "corpus",
    "config",
    "output",
    "report",
    "stream",
    "checkpoint",
    "scheduler",
    "json",
    "quiet",
    "verbose",
}
_OPTIONS = {option.name: option for option in command.params if option.name not in _NOT_HERE}


def _asked(path: str, options: dict) -> tuple[Source, Settings, dict]:
    """Return what the command would read and do; values go through its options, as if typed."""
    if unknown := options.keys() - _OPTIONS.keys():
        names = ", ".join(sorted(_OPTIONS))
        raise TypeError(f"train() has no option {', '.join(sorted(unknown))}; it has {names}")
    words = [word for name, value in options.items() for word in _typed(_OPTIONS[name], value)]
    with _ASKED.make_context("train", [*words, "--", path]) as context:
        return _ASKED.invoke(context)


def _typed(option: click.Option, value: object) -> list[str]:
    """Return an option as on a command line."""
    name = max(option.opts, key=len)
    if option.is_flag:
        return [name] if value else option.secondary_opts[:1]
    if option.multiple:
        several = [value] if isinstance(value, str) else value or ()
        if isinstance(several, dict):
            several = [f"{label}={weight}" for label, weight in several.items()]
        return [f"{name}={each}" for each in several]
    if value is None and not isinstance(option.type, CountOrAll):
        return []
    return [f"{name}={spelled(value)}"]


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
