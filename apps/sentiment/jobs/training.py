"""Train a classifier of texts: functions that return what the commands print."""

import warnings
from dataclasses import replace

from fastsvm.fitting import ConvergenceWarning, Pipeline
from fastsvm.model_files import save_plain

from ...common.errors import AppError
from ...common.files import check_model_path
from ...common.progress import UNWATCHED, Stages
from ..data.corpus import Corpus, Source
from ..learning import steps
from ..learning.alpha_choice import Labelled, split_texts
from ..learning.continuing import Continued, settings_of
from ..learning.counted import Counted, is_automatic
from ..learning.kept import NOTHING, Kept
from ..learning.recipe_choice import choose_recipe
from ..learning.validation import cross_validate, learning_curve
from ..measures.scores import HeldOut, Scores, scores_of
from ..settings import AUTO, DEFAULT, RECIPES, Settings
from .trained import Training, of_model, of_trial

ACCURATE = replace(RECIPES[DEFAULT], recipe=AUTO)


def train(
    source: Source,
    model_path: str | None,
    settings: Settings = ACCURATE,
    *,
    start: Pipeline | None = None,
    cv: int = 0,
    with_curve: bool = False,
    kept: Kept = NOTHING,
    stage: Stages = UNWATCHED,
) -> Training:
    """Train a classifier on a corpus, try it on the texts held out, and save it.

    Parameters
    ----------
    source : Source
        The labelled texts.
    model_path : str or None
        Where the model goes; a file there is replaced only if it is a model. None saves none.
    settings : Settings
    start : Pipeline, optional
        A model that goes on learning, in the place of a new one; see `continuing`.
    cv : int
        Also cross-validate the recipe on so many parts of all texts; 0 does not.
    with_curve : bool
        Also train on growing shares of the training texts.
    kept : Kept, optional
        Where what is chosen, and the fits, are kept; they go on from there.
    stage : Stages, optional
        Times the stages.

    Returns
    -------
    Training
    """
    if model_path is not None:
        check_model_path(model_path)
    if start is not None:
        settings = settings_of(start, settings)
    steps.classifier(replace(settings, alpha=None) if is_automatic(settings) else settings)  # may complain

    with stage("read"):
        corpus, settings = steps.read_labelled(source, settings)
        (texts, y_train), (test_texts, y_test) = _split(corpus, settings)
        label_counts, skipped = corpus.label_counts, corpus.skipped
        del corpus
    screening = None
    if settings.recipe == AUTO:
        settings, screening = choose_recipe(texts, y_train, settings, stage)
    with stage("vectorize"):
        y, n_train = y_train + y_test, len(y_train)
        if start is None:
            everything = Counted.of(source, texts + test_texts, y, settings)
        else:
            everything = Continued.of(start, source, texts + test_texts, y)
        part, X_test = everything.parted(source, slice(n_train), slice(n_train, None))
        del texts  # the counts say it all

    refit = settings.refit and bool(test_texts)
    with warnings.catch_warnings():
        if refit:  # of the model that is saved there will be a warning
            warnings.simplefilter("ignore", ConvergenceWarning)
        tried = learned = part.learn(settings, stage, kept)
    held_out, curve, validated = None, [], None
    with stage("evaluate"):
        if test_texts:
            held_out = tried.try_on(X_test, test_texts, y_test)
    if test_texts and with_curve:
        with stage("learning curve"):
            curve = learning_curve(everything, n_train, tried, source)
    if cv:
        with stage("cross-validate", total=cv) as advance:
            validated = cross_validate(everything, source, settings, cv, advance)
    if refit:
        with stage("refit"):
            refitted = kept.fit("refit")
            learned = everything.fit(tried.settings, left_out=tried.left_out, checkpoint=refitted)
    if model_path is not None:
        with stage("save"):
            save_plain(learned.model, model_path)

    return Training(
        model=model_path,
        settings=replace(settings, alpha=getattr(learned.model["classifier"], "alpha", None)),
        screening=screening,
        choice=tried.choice,
        shift=tried.left_out.shift if tried.left_out else 0.0,
        label_counts=label_counts,
        n_train=n_train,
        n_test=len(test_texts),
        n_fitted=len(everything.y) if refit else n_train,
        n_features_seen=learned.n_seen,
        **of_trial(tried.settings, tried.model.classes_, held_out, y_train),
        learning_curve=curve,
        cross_validation=validated,
        **of_model(learned.model),
        skipped=skipped,
        held_out=held_out,
        tried=tried.model if test_texts else None,
        before=None if start is None or not test_texts else _scores_before(start, test_texts, y_test),
    )


def _scores_before(model: Pipeline, texts: list[str], y: list[str]) -> Scores:
    return scores_of(model.classes_, HeldOut(texts, y, model.decision_function(texts)))


def _split(corpus: Corpus, settings: Settings) -> tuple[Labelled, Labelled]:
    """Return the texts to train on, of two labels or more, and those held out."""
    train, test = split_texts(corpus.texts, corpus.labels, settings.holdout, settings.seed)
    if len(set(train[1])) < 2:
        raise AppError(
            f"{corpus.skipped.source}: only the label {train[1][0]!r} is left to train on; give more texts, "
            "or --holdout 0"
        )
    return train, test
