"""The steps from texts to a classifier: count, select, weigh, fit."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from fastsvm import fitting, text
from fastsvm._utils.warnings import warn_user

from ...common.classifiers import make_classifier
from ...common.errors import AppError
from ..data.text_source import CorpusError
from ..settings import Settings
from ..text_recipes import GAMMA, OWN_RATIOS
from .alpha_choice import AlphaSearch

TOKENS = {"words": {"token_pattern": r"(?u)\b\w+\b"}, "split": {"analyzer": "split"}}


def vectorizer(settings: Settings, dtype: type = np.int64) -> text.Bag | text.Union:
    """Return the vectorizer of words (or of parts between white space), of characters, or of both."""
    clean = text.lower_without_markup if settings.markup else None
    usual = {"preprocessor": clean, "min_df": settings.min_df, "dtype": dtype, "n_jobs": -1, "marks": True}
    bags = []
    if settings.ngrams is not None:
        bags.append(("words", text.Bag(ngram_range=settings.ngrams, **usual, **TOKENS[settings.tokens])))
    if settings.chars is not None:
        bags.append(("chars", text.Bag(analyzer="char_wb", ngram_range=settings.chars, **usual)))
    return bags[0][1] if len(bags) == 1 else text.Union(bags)


def count_terms(texts: Sequence[str], vectorizer: text.Bag | text.Union) -> csr_matrix:
    """Fit a vectorizer to texts, and return the counts.

    Raises
    ------
    CorpusError
        If there are no terms.
    """
    try:
        return vectorizer.fit_transform(texts)
    except ValueError as error:  # no term is left
        if "min_df" in str(error):
            raise too_rare_error(vectorizer.min_df) from error
        raise CorpusError(f"no words in its texts; try --tokens split ({error})") from error


def too_rare_error(min_df: int) -> CorpusError:
    """Return the error for texts in which no term occurs often enough."""
    return CorpusError(f"no term occurs in {min_df} texts or more; try --min-df 1")


def selection(settings: Settings) -> text.Selection | None:
    """Return the selection of the `k` best features, or None to keep all."""
    return None if settings.k is None else text.Selection(settings.k, score=settings.score)


def weighting(settings: Settings) -> text.Weighting | text.OwnRatios | None:
    """Return the weighting of counts: presence, or tf-idf or naive Bayes ratios with texts of norm 1.

    A term that occurs twice tells less than twice as much, so tf-idf takes 1 plus the log of the count.
    """
    name, is_few = settings.weighting, settings.several or 1 < settings.n_problems <= OWN_RATIOS
    if name == "nb" and is_few and settings.penalty != "l1" and settings.method.model == "SDCA":
        return text.OwnRatios()
    if name == "counts":
        return None
    norm = "l2" if name == "nb" else "auto"
    norm = None if settings.penalty == "l1" else norm
    return text.Weighting(name, norm=norm, sublinear_tf=name == "tfidf")


def alpha_search(settings: Settings, **other: Any) -> AlphaSearch:
    """Return the search for alpha of a recipe, with other values for some of its fields."""
    fields = {"weighting": weighting(settings), "selection": selection(settings), "seed": settings.seed}
    fields |= {"metric": settings.metric, "class_weight": settings.label_weights}
    if settings.method.is_kernel:
        fields["machine"] = classifier(replace(settings, alpha=None, class_weight=None))
    else:
        fields |= settings.method.parameters
    return AlphaSearch(**fields | other)


def classifier(settings: Settings, n_texts: int | None = None):
    """Return the classifier for `n_texts` texts; alpha and epochs have its defaults unless given."""
    given = {"alpha": settings.alpha, "max_iter": settings.epochs, "random_state": settings.seed}
    given["gamma"] = GAMMA if settings.has_norm else "scale"
    weights = settings.label_weights
    return make_classifier(settings.classifier, settings.method, n_texts, class_weight=weights, **given)


def fit_classifier(
    estimator, X: csr_matrix, y, checkpoint: Path | None = None, ratios: text.OwnRatios | None = None
) -> None:
    """Train an estimator; warn if the fit ended above its tolerance.

    SDCA resumes from a checkpoint, and updates it; others begin again. SDCA's dual variables are not kept.
    """
    checkpoint = checkpoint if getattr(estimator, "penalty", "l2") == "l2" else None
    of_sdca = {"checkpoint": checkpoint, "keep_dual": False} if isinstance(estimator, fitting.SDCA) else {}
    with warnings.catch_warnings(action="ignore", category=fitting.ConvergenceWarning):
        try:
            (estimator.fit if ratios is None else partial(ratios.fit_classifier, estimator))(X, y, **of_sdca)
        except ValueError as error:  # another processor may weigh texts a little differently
            if checkpoint is None or not str(error).startswith(str(checkpoint)):
                raise
            raise AppError(str(error)) from None
    if getattr(estimator, "tol", None) is not None and hasattr(estimator, "dual_gap_"):
        gap = np.max(estimator.dual_gap_ / estimator.objective_)
        if gap > estimator.tol:
            told = f"training stopped at epoch {np.max(estimator.n_iter_)} with a relative gap of {gap:.1e}"
            above = f"above the tolerance of {estimator.tol:g}; allow more epochs, or a larger alpha"
            warn_user(f"{told}, {above}", fitting.ConvergenceWarning)
