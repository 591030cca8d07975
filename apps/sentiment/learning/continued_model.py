"""A model that learns on from new texts, with the terms that it knows.

The scores that it gives are one more column beside the terms (of several labels, one for each), and the new
classifier is trained on all of them. With old weights w0 its weights are ``t w0 + v``. Where the new texts
say what the old ones said, t does it all at hardly any cost. What is different goes into v, which the
regularisation keeps small. Where the old scores are of no use, t is near 0. The optimum is certified as any.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix, hstack

from fastsvm.fitting import Pipeline

from ...common.cache import NO_CACHE, Cache
from ...common.errors import AppError
from ...common.progress import UNWATCHED, Stages
from ..data.text_source import CorpusError
from ..measures.prediction import TRAIN_AGAIN, bags_of_model
from ..measures.term_effects import check_linear
from ..settings import Settings
from ..text_recipes import CLASSIFIERS
from .learned_model import CountedTexts, LearnedModel

OTHERWISE = "train a model of old and new texts without --continue"


class ContinuedModel(NamedTuple):
    """New texts for a model that is there, in the place of `CountedTexts`.

    Attributes
    ----------
    model : Pipeline
        As it was before.
    counts : CSR matrix
        How often each text has each term of the model.
    weighed : CountedTexts
        The weighed terms, and the scores, divided by `scale`.
    scale : float
        Mean size of the scores.
    """

    model: Pipeline
    counts: csr_matrix
    weighed: CountedTexts
    scale: float

    @classmethod
    def of(cls, texts: list[str], y: list[str], model: Pipeline) -> "ContinuedModel":
        """Count the terms of a model in texts, which must have its labels."""
        known, given = set(map(str, model.classes_.tolist())), set(y)
        for label in sorted(given - known):
            raise CorpusError(f"the model does not know the label {label!r}; {OTHERWISE}")
        counts = model["vectorizer"].transform(texts).astype(np.float32)
        X = counts
        for _, step in model.steps[1:-1]:
            X = step.transform(X)
        with np.errstate(over="ignore", invalid="ignore"):  # found below
            scores = model["classifier"].decision_function(X).reshape(len(y), -1)
        if not np.isfinite(scores).all():
            raise CorpusError(f"a score is beyond range; {TRAIN_AGAIN}")
        scale = float(np.abs(scores).mean(dtype=float)) or 1.0
        X = hstack([X, csr_matrix((scores / scale).astype(np.float32))], format="csr")
        return cls(model, counts, CountedTexts(model["vectorizer"], X, np.asarray(y)), scale)

    @property
    def y(self) -> np.ndarray:
        """The labels."""
        return self.weighed.y

    def parted(self, train, test) -> tuple["ContinuedModel", csr_matrix]:
        """Return some texts, and the counts of others; all have the terms of the model."""
        part = self.weighed._replace(X=self.weighed.X[train], y=self.y[train])
        known = self.model.classes_.tolist()
        for label in sorted(set(map(str, known)) - set(part.y.tolist())):
            raise CorpusError(f"too few texts of {label!r}, which the model knows; give more")
        return self._replace(counts=self.counts[train], weighed=part), self.counts[test]

    def learn(self, settings: Settings, stage: Stages = UNWATCHED, cache: Cache = NO_CACHE) -> LearnedModel:
        """Return the model as it is after these texts: see `CountedTexts.learn`."""
        return self._in_terms(self.weighed.learn(_settings_as_counted(settings), stage, cache), settings)

    def fit(self, settings: Settings, *args, **options) -> LearnedModel:
        """Return the model after these texts, with the alpha of the settings: see `CountedTexts.fit`."""
        return self._in_terms(self.weighed.fit(_settings_as_counted(settings), *args, **options), settings)

    def _in_terms(self, learned: LearnedModel, settings: Settings) -> LearnedModel:
        """Return a model of the terms alone: the weights of the scores are shared out among them."""
        old, estimator = self.model["classifier"], learned.model["classifier"]
        n_terms = self.counts.shape[1]
        coef, share = estimator.coef_[:, :n_terms], estimator.coef_[:, n_terms:] / self.scale
        estimator.coef_ = np.ascontiguousarray(coef + share @ old.coef_, coef.dtype)
        estimator.intercept_ = np.asarray(estimator.intercept_ + share @ old.intercept_, coef.dtype)
        estimator.n_features_in_ = n_terms
        return learned._replace(
            model=Pipeline([*self.model.steps[:-1], ("classifier", estimator)]),
            settings=replace(settings, alpha=learned.settings.alpha),
            n_seen=n_terms,
        )


def _settings_as_counted(settings: Settings) -> Settings:
    """Return settings by which nothing more is weighed or chosen."""
    return replace(settings, weighting="counts", k=None)


def continued_settings(model: Pipeline, settings: Settings) -> Settings:
    """Return settings with the recipe of a model: SDCA of its loss, or else of the hinge loss."""
    check_linear(model, "--continue")
    names = [name for name, usual in CLASSIFIERS.items() if usual.model == "SDCA"]
    if hasattr(model["classifier"], "squares_"):
        raise AppError(
            f"each label of this model scales texts to a length of its own: it cannot learn on; {OTHERWISE}"
        )
    loss = getattr(model["classifier"], "loss", None)
    same = [name for name in names if CLASSIFIERS[name].parameters["loss"] == loss]
    weighting = model.named_steps.get("weighting")
    ranges = {bag.analyzer == "char_wb": bag.ngram_range for bag in bags_of_model(model)}
    return replace(
        settings,
        recipe=None,
        classifier=(same or names)[0],
        weighting="counts" if weighting is None else weighting.weighting,
        ngrams=ranges.get(False),
        chars=ranges.get(True),
        min_df=1,
        k=None,
    )
