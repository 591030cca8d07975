"""How accurate models with few words are, along a path of alphas with an l1 penalty."""

import warnings

import numpy as np

from fastsvm.fitting import ConvergenceWarning, sdca_path

from ..measures.metrics import score_decision
from ..settings import Settings
from . import pipeline_steps
from .alpha_choice import FoldPart
from .learned_model import L1_EPS, Counted

WORDS = (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)  # the maximum in each row of the table
N_ALPHAS = 40


def scores_by_words(everything: Counted, n_train: int, settings: Settings) -> list[dict]:
    """Return the scores of models with few words on the held-out texts, the fewest words first.

    Parameters
    ----------
    everything : CountedTexts
        All texts: the training texts, and then the held-out texts.
    n_train : int
        Number of training texts.
    settings : Settings
        Settings with an l1 penalty.

    Returns
    -------
    list of dict
        For each number of `WORDS` that is reached, the model with this number of words or slightly fewer:
        its words, alpha, accuracy, and value by the metric. A word counts once, even for several labels.
    """
    n = len(everything.y)
    steps = pipeline_steps.selection(settings), pipeline_steps.weighting(settings)
    fold = np.arange(n_train), np.arange(n_train, n)
    part = FoldPart(everything.X, everything.y, fold, *steps, settings.label_weights)
    search = pipeline_steps.alpha_search(settings)
    alphas = search.largest_alpha(part) * np.geomspace(1, L1_EPS, N_ALPHAS)
    n_labels, labels = len(part.y.names), part.y.problems
    decision = np.full((N_ALPHAS, n - n_train, n_labels), -np.inf)
    used = np.zeros((N_ALPHAS, part.X.shape[1]), bool)
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        for k, label in enumerate(labels):
            X, X_test = part.weighed(k)
            weights = part.weights(k)
            path = sdca_path(X, part.y.has(label), alphas, sample_weight=weights, **search.path_options)
            used |= path.coefs != 0
            decision[:, :, label] = (X_test @ path.coefs.T + path.intercepts).T
    if n_labels == 2:
        decision = decision[:, :, 1]
    words, points = used.sum(axis=1), []
    for most in WORDS:
        place = np.flatnonzero(words <= most)[-1]
        if words[place] > 0 and (not points or words[place] > points[-1]["words"]):
            scores = [score_decision(m, part.y_test, decision[place]) for m in ("accuracy", settings.metric)]
            names = "words", "alpha", "accuracy", "value"
            points.append(dict(zip(names, (int(words[place]), float(alphas[place]), *scores), strict=True)))
    return points
