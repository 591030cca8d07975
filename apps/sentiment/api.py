"""Train and use a text classifier from Python.

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
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from fastsvm._utils.warnings import warn_user
from fastsvm.model_files import save_plain

from ..common.cache import NO_CACHE, Cache
from ..common.errors import OPTION, AppError
from ..common.paths import KINDS, check_there
from ..common.printing import GIVE_ENCODING, decoded
from ..common.progress import UNWATCHED, Stages
from .data.label_fields import LabelField
from .data.text_source import COLUMNS, TextSource
from .measures import prediction
from .settings import HOW_TO_RUN, OPTIONS, checked_settings, parameter_of_option, settings_of

if TYPE_CHECKING:
    from fastsvm.fitting import Pipeline

    from .jobs.text_explanation import TextExplainer, TextExplanation
    from .jobs.text_training import TextTraining
    from .measures.answer_scores import AnswerScores

__all__ = ["TextModel", "TrainingWarning", "load", "train"]


class TrainingWarning(UserWarning):
    """Something about a trained model, or about its corpus, that the user should know."""


class ParameterError(AppError, ValueError):
    """An error in one line. ``str()`` names parameters; the command line names options."""

    def __str__(self) -> str:
        return OPTION.sub(_as_parameter, self.message)


def train(
    source: str | os.PathLike[str] | Sequence[str] | Any,
    labels: Iterable[str] | None = None,
    /,
    *,
    format: str | None = None,
    text_col: str = "text",
    label_col: str = "label",
    label_sep: str | None = None,
    encoding: str = "utf-8",
    recipe: str = "auto",
    classifier: str | None = None,
    weighting: str | None = None,
    ngrams: tuple[int, int] | int | str | None = None,
    chars: tuple[int, int] | int | str | None = None,
    min_df: int | None = None,
    k: int | str | None = "recipe",
    score: str | None = None,
    tokens: str | None = None,
    keep_markup: bool = False,
    alpha: float | str | None = None,
    penalty: str | None = None,
    epochs: int | None = None,
    metric: str | None = None,
    class_weight: str | Mapping[str, float] | Sequence | None = None,
    start: str | os.PathLike[str] | None = None,
    seed: int = 0,
    holdout: float = 0.2,
    cv: int | None = None,
    learning_curve: bool = False,
    refit: bool = True,
    stream: bool = False,
    scheduler: str | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    save_to: str | os.PathLike[str] | None = None,
    stage: Stages = UNWATCHED,
) -> TextModel:
    """Train a text classifier, test it on held-out texts, and train it again on all texts.

    ``fastsvm-sentiment train`` calls this function, so both give the same model.

    Parameters
    ----------
    source : str or path-like, DataFrame, or sequence of str
        A file or folder of labelled texts in any format that the command reads; a DataFrame with the columns
        `text_col` and `label_col`; or, with `labels`, the texts.
    labels : iterable of str, or of lists or tuples of str, optional
        The label or labels of each text.
    format : {"corpus", "tsv", "csv", "jsonl", "fasttext", "folder"}, optional
        Format of the file; by default detected from its first lines.
    text_col, label_col : str
        Columns of the texts and the labels.
    label_sep : str, optional
        Separator of several labels of a text; "" takes each field as one label. By default it is detected.
    encoding : str
        Encoding of the file.
    recipe : str
        The features of a text and their weights: "nb-words", "nb-both", "tfidf-both" and so on. "auto"
        tries several recipes on training texts, unless you give `weighting`, `ngrams` or `chars`.
    classifier : str, optional
        Learning algorithm: "sdca-svm", "sdca-logistic", "pegasos-svm", "pegasos-logistic", "perceptron",
        "kernel-sdca" or "kernel-pegasos". By default the recipe sets this and the next five parameters.
    weighting : {"counts", "binary", "tfidf", "nb"}, optional
        Weight of a feature in a text: its count, 1, tf-idf, or its naive Bayes log-count ratio.
    ngrams, chars : (int, int), int or "none", optional
        Lengths of the word n-grams, and of the character n-grams inside words.
    min_df : int, optional
        Minimum number of training texts in which a feature must occur.
    k : int, "all" or None
        Number of features to keep; "all" or None keeps every feature.
    score : {"f_classif", "chi2"}, optional
        Score that ranks the features for `k`.
    tokens : {"words", "split"}, optional
        Cut texts into words, or at white space. The default is "split" for the format "corpus", else "words".
    keep_markup : bool
        Leave HTML tags and entities in the texts.
    alpha : float or "auto", optional
        Strength of the regularisation. "auto" tries several; it is the default for SDCA and kernel machines.
    penalty : {"l2", "l1"}, optional
        "l1" gives most words no weight, and the model keeps only the others. An SVM then has the squared
        hinge loss, and texts are not scaled to norm 1.
    epochs : int, optional
        Maximum number of passes over the training texts.
    metric : {"accuracy", "balanced-accuracy", "macro-f1", "average-precision"}, optional
        Measure by which `recipe` and `alpha` are chosen. The default is accuracy; balanced accuracy if one
        label has over 80 % of the texts; micro-F1 if texts have several labels.
    class_weight : "balanced" or dict of str to float, optional
        Weight of the texts of each label. With two labels, a rare label gets more weight by default.
    start : str or path-like, optional
        File of a model to train further on these texts, with the recipe of the model.
    seed : int
        Seed of every random choice.
    holdout : float
        Share of the texts to test on; 0 skips the test.
    cv : int, optional
        Also cross-validate, with this number of folds.
    learning_curve : bool
        Also train on growing shares of the training texts, and test each model.
    refit : bool
        Train on all texts after the test; otherwise keep the model that was tested.
    stream : bool
        Read the corpus twice, and train from a matrix on disk: for a corpus larger than memory.
    scheduler : str, optional
        Address of a Dask scheduler. Like `stream`, but the workers hold the matrix.
    checkpoint : str or path-like, optional
        Folder in which progress is saved. The same call resumes from it; success removes it.
    save_to : str or path-like, optional
        Also write the model to this file.
    stage : Stages, optional
        Timer of the stages.

    Returns
    -------
    TextModel

    Raises
    ------
    TypeError
        If texts or labels are not strings.
    ValueError
        If a parameter has a wrong value, or no model can be trained on these texts.
    OSError
        If the file cannot be read.

    Warns
    -----
    TrainingWarning
        If texts were skipped, if the model is no better than a guess, or if it never predicts a label.

    See Also
    --------
    load : Load a saved model.
    """
    parameters = locals()  # the table of settings has all but the corpus and `stage`
    with _value_errors():
        checked = checked_settings(parameters)
        corpus = _corpus_source(source, labels, checked)
        settings = settings_of(checked)
        if (path := checked.get("save_to")) is not None:
            check_there(path, [KINDS["safetensors"]])
        kept: AbstractContextManager[Cache] = nullcontext(NO_CACHE)
        if checkpoint is not None:
            from .learning.training_checkpoint import open_checkpoint

            kept = open_checkpoint(checkpoint, corpus, settings, stream=stream)
        with kept as cache:
            if stream or scheduler:
                from ..common.dask_cluster import connected
                from .jobs.streamed_training import train_streamed

                cluster = connected(scheduler) if scheduler else None
                result = train_streamed(corpus, settings, path, cluster=cluster, cache=cache, stage=stage)
            else:
                from .jobs.text_training import train_text_model

                result = train_text_model(corpus, settings, path, cache=cache, stage=stage)
    for message in ["\n".join(result.skipped.report())] * bool(result.skipped.count) + result.warnings:
        warn_user(message, TrainingWarning)
    is_file = isinstance(source, str | os.PathLike)
    words = [repr(os.fspath(source)) if is_file else "table" if labels is None else "texts, labels"]
    words += [f"{name}={value!r}" for name, value in checked.items() if name not in HOW_TO_RUN]
    return TextModel(result.model, result, f"fastsvm_apps.sentiment.train({', '.join(words)})", corpus.name)


def _corpus_source(source: Any, labels: Iterable[str] | None, checked: dict[str, Any]) -> TextSource:
    """Return the source of the labelled texts."""
    reading = {name: value for name, value in checked.items() if name in OPTIONS["Input"]}
    fields = {"text_col": "text_column", "label_col": "label_column", "label_sep": "label_separator"}
    names = {}
    if labels is None and hasattr(source, "columns"):
        names = {option: reading.pop(option, usual) for option, usual in COLUMNS.items()}
        source, labels = (_column(source, option, name) for option, name in names.items())
    if labels is None:
        if not isinstance(source, str | os.PathLike):
            raise TypeError("give the path of a corpus, a DataFrame, or texts and their labels")
        return TextSource(os.fspath(source), **{fields.get(name, name): reading[name] for name in reading})
    if reading:
        raise TypeError(f"{', '.join(sorted(reading))}: only for files, not for texts and labels")
    texts, labels = _checked_strings(source, "texts"), _checked_labels(labels)
    if len(texts) != len(labels):
        raise ValueError(f"{len(texts):,} texts, but {len(labels):,} labels; give a label for each text")
    columns = {fields[option]: name for option, name in names.items()}
    separator = "" if all(isinstance(each, str) for each in labels) else None
    given = [*zip(texts, labels, strict=True)]
    return TextSource("the texts given", label_separator=separator, given=given, **columns)


def _column(table: Any, option: str, name: str) -> list:
    """Return a column of a DataFrame; whole numbers become words."""
    if name not in table.columns:
        raise ValueError(f"no column {name!r} among {', '.join(map(str, table.columns))}; give {option}")
    return [str(each) if isinstance(each, int) else each for each in table[name].to_list()]


def load(path: str | os.PathLike[str] = prediction.SHIPPED_NAME) -> TextModel:
    """Load a saved model; the default is ``"english"``, the model of reviews that comes with fastsvm.

    Parameters
    ----------
    path : str or path-like
        A file that `TextModel.save` or the command wrote.

    Returns
    -------
    TextModel
        Its `scores` are None and `report` raises ValueError, since both need the training.

    Raises
    ------
    ValueError
        If the file is not a text model.
    OSError
        If the file cannot be read.
    """
    with _value_errors():
        model = TextModel(prediction.load_text_model(os.fspath(path)))
        model._about = prediction.about_model(os.fspath(path))
        return model


class TextModel:
    """A trained text classifier, which `train` and `load` return.

    Attributes
    ----------
    pipeline : fastsvm.fitting.Pipeline
        Vectorizer, weighting and classifier. ``fastsvm.load_model(path)`` reads the saved file as a
        scikit-learn ``Pipeline``, which can be cloned, searched and cross-validated.
    classes_ : ndarray of str, shape (n_labels,)
        The labels, sorted.
    training : TextTraining or None
        The result of the training; None for a loaded model.
    scores : AnswerScores or None
        The evaluation on the held-out texts: `accuracy`, `interval`, `confusion`; None without such texts.
    skipped : Skipped or None
        The texts that training could not use: `count`, and `report()` with a line for each.
    """

    def __init__(
        self, pipeline: Pipeline, training: TextTraining | None = None, call: str = "", name: str = ""
    ) -> None:
        self.pipeline = pipeline
        self.training, self.scores = training, training and training.evaluation
        self.skipped = training and training.skipped
        self.classes_ = pipeline.classes_
        self._call, self._name = call, name
        self._saved = (training and training.path) or "not saved yet"
        self._about = training and training.about
        self._explainer: TextExplainer | None = None

    def predict(self, texts: Iterable[str]) -> np.ndarray | list[tuple[str, ...]]:
        """Return the label or labels of each text.

        Parameters
        ----------
        texts : iterable of str

        Returns
        -------
        ndarray of str, shape (n_texts,); or list of tuple of str
            Tuples, the best label first, if the model was trained on several labels per text.
        """
        with _value_errors():
            given = prediction.classify(self.pipeline, _checked_strings(texts, "texts")).given
        return given.target if given.exclusive else [*map(tuple, given.called(self.classes_.tolist()))]

    def predict_proba(self, texts: Iterable[str]) -> np.ndarray:
        """Return the probability of each label for each text.

        Parameters
        ----------
        texts : iterable of str

        Returns
        -------
        ndarray of shape (n_texts, n_labels)
            Columns in the order of `classes_`; rows sum to 1, unless a text may have several labels.

        Raises
        ------
        ValueError
            If the model has no probabilities.
        """
        with _value_errors():
            prediction.check_choices(self.pipeline, True, None)
            found = prediction.classify(self.pipeline, _checked_strings(texts, "texts"), proba=True)
            return found.probabilities

    def decision_function(self, texts: Iterable[str]) -> np.ndarray:
        """Return the scores of all labels, (n_texts, n_labels); of two labels, the second's, (n_texts,)."""
        return self.pipeline.decision_function(_checked_strings(texts, "texts"))

    def evaluate(self, source: Any, labels: Iterable[str] | None = None, /, **reading: Any) -> AnswerScores:
        """Test the model on labelled texts that it has not seen.

        Parameters
        ----------
        source, labels : as in `train`
            A file or folder of labelled texts, a DataFrame, or texts and their labels.
        **reading : str
            How to read a file: `format`, `text_col`, `label_col`, `label_sep` and `encoding`, as in `train`.

        Returns
        -------
        AnswerScores
            With `accuracy`, its 95 % `interval`, `confusion`, `recalls` and `mistakes`.

        Warns
        -----
        TrainingWarning
            If texts were skipped, differ from the training texts, or occur among them.
        """
        with _value_errors():
            from .jobs.corpus_evaluation import CorpusEvaluation

            model = "this model", self.pipeline, self._about or {}
            found = CorpusEvaluation([model], _corpus_source(source, labels, reading))
        for message in filter(None, [*found.warnings, *found.evaluation.warnings, *found.skipped.report()]):
            warn_user(message, TrainingWarning)
        return found.evaluation

    def explain(self, text: str, label: str | None = None) -> TextExplanation:
        """Return what each word of a text contributes to its score.

        Parameters
        ----------
        text : str
        label : str, optional
            Label whose score is explained; by default the second of two labels, otherwise the predicted one.

        Returns
        -------
        TextExplanation
            With `label`, `score`, `words` (each a term, its count and its contribution) and `spans`.
        """
        if not isinstance(text, str):
            raise TypeError(f"the text is a {type(text).__name__}, not a string")
        with _value_errors():
            from .jobs.text_explanation import TextExplainer

            self._explainer = self._explainer or TextExplainer(self.pipeline)
            return self._explainer.explain(text, label)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, as ``fastsvm-sentiment train -o`` does.

        Parameters
        ----------
        path : str or path-like
            An existing file is replaced only if it is a model.

        Raises
        ------
        ValueError
            If a file at this path is not a model.
        OSError
            If the file cannot be written.
        """
        with _value_errors():
            check_there(os.fspath(path), [KINDS["safetensors"]])
        save_plain(self.pipeline, path, self._about)
        self._saved = os.fspath(path)

    def report(self, path: str | os.PathLike[str], call: str | None = None) -> None:
        """Write a page about the model and its mistakes, as ``--report`` does.

        Parameters
        ----------
        path : str or path-like
            The HTML file.
        call : str, optional
            The command that trains the model again; by default the call of `train`.

        Raises
        ------
        ValueError
            If the model was loaded, since the page needs the training.
        """
        from .output.training_output import write_training_report

        if self.training is None:
            raise ValueError("a report needs the training, but this model was loaded; call train()")
        with _value_errors():
            write_training_report(path, self.training, self._saved, self._name, call or self._call)

    @property
    def summary(self) -> str:
        """The model in a few lines."""
        n_terms = len(self.pipeline["vectorizer"].get_feature_names_out())
        lines = [f"{n_terms:,} terms, labels {', '.join(map(str, self.classes_))}"]
        if self.training is not None:
            lines.append(f"texts: {self.training.uses}")
        if self.scores is not None:
            from .output.answer_sections import main_facts

            lines.append("{} {}{}".format(*main_facts(self.scores)[0]))
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<TextModel: {self.summary.replace(chr(10), '; ')}>"


def _checked_strings(values: Iterable[str], what: str) -> list[str]:
    """Return texts or labels as a list; each must be a string."""
    if isinstance(values, str | bytes):
        raise TypeError(f"{what} must be a sequence of strings, not one string")
    strings = list(values)
    for i, value in enumerate(strings):
        if not isinstance(value, str):
            raise TypeError(f"{what} must be strings; number {i} is a {type(value).__name__}: {value!r:.40}")
    return strings


def _checked_labels(values: Iterable) -> list[LabelField]:
    """Return the label, or the tuple of labels, of each text."""
    fields = [tuple(each) if isinstance(each, list | tuple) else each for each in values]
    if not any(isinstance(field, tuple) for field in fields) or isinstance(values, str | bytes):
        return _checked_strings(values if isinstance(values, str | bytes) else fields, "labels")
    for field in fields:
        _checked_strings(field if isinstance(field, tuple) else (field,), "labels")
    return [tuple(filter(None, map(str.strip, f))) if isinstance(f, tuple) else f for f in fields]


@contextmanager
def _value_errors() -> Iterator[None]:
    """Raise as ValueError what the commands print in one line."""
    try:
        yield
    except click.ClickException as error:
        raise ParameterError(decoded(error.message, GIVE_ENCODING), error.exit_code) from error


def _as_parameter(option: re.Match) -> str:
    """Return an option as a parameter: ``--text-col`` is text_col, ``--holdout 0`` is holdout=0."""
    name, value = option.groups()
    name = parameter_of_option(name)
    return name if value is None else f"{name}={value if value[0].isdigit() else repr(value)}"
