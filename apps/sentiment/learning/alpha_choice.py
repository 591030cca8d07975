"""The choice of alpha: fit a whole path of alphas on each fold, and score them on its left-out texts."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from fastsvm.fitting import ConvergenceWarning, as_rows, class_weights, sdca_path
from fastsvm.text import OwnRatios

from ..data.label_fields import LabelField
from ..data.text_labels import TextLabels
from ..measures.metrics import score_decision, score_sets, squared_errors
from .text_splits import Fold

ClassWeight = str | dict[str, float] | None

# Accuracy settles long before the optimum is reached; the worst alphas of a path need not be solved at all.
LOOSE = 0.01
MAX_EPOCHS = 200
SQUARED_ERROR = "squared error"  # the mean of `squared_errors`

EXTENSION = 2  # alphas that are added to a grid at a time
MAX_KEPT = 1 << 25  # decision values of a fold at all alphas, 4 bytes each


@dataclass(frozen=True)
class AlphaChoice:
    """The scores of a recipe at each alpha; rows of `scores` and `gaps` are alphas, columns are folds.

    Attributes
    ----------
    alpha : float
        The alpha with the best mean score; of equal ones the largest.
    alphas : ndarray of shape (n_alphas,), decreasing
    scores : ndarray of shape (n_alphas, n_folds)
        By `metric`, on the left-out texts of each fold.
    gaps : ndarray of shape (n_alphas, n_folds)
        Relative duality gap of each fit; with several labels, the largest.
    n_tried : int
        Number of texts scored, over all folds.
    metric : str
        One of `METRICS`.
    rows : ndarray of shape (n_kept,), int
        The scored texts whose decision values at `alpha` are kept.
    decision : ndarray of shape (n_kept,) or (n_kept, n_labels), float32
        These values, from models trained without the text; -inf for a label that the model did not know.
    """

    alpha: float
    alphas: np.ndarray
    scores: np.ndarray
    gaps: np.ndarray
    n_tried: int
    metric: str
    rows: np.ndarray
    decision: np.ndarray

    @property
    def means(self) -> np.ndarray:
        """The mean score at each alpha, over the folds."""
        return self.scores.mean(axis=1)

    @property
    def is_at_end(self) -> bool:
        """Tell whether a smaller or larger alpha than those tried might be better."""
        means = self.means
        return len(means) > 1 and self.alpha in (self.alphas[-1], *self.alphas[: int(means[0] > means[1])])

    def record(self) -> dict:
        """Return the choice for JSON."""
        return {
            "alphas": self.alphas.tolist(),
            "metric": self.metric,
            "scores": self.means.tolist(),
            "at_end": self.is_at_end,
            "relative_gaps": self.gaps.max(axis=1).tolist(),
            "n_folds": self.scores.shape[1],
            "n_tried": self.n_tried,
        }


class FoldPart:
    """The features of a fold, ready for the solver; every step was fitted to its training rows only.

    Attributes
    ----------
    X, y : of the training rows
    X_test, y_test : of the test rows
    share : float
        Share of the training rows in all rows.
    weights : callable
        Takes the number of a problem, and returns the weights of its rows, or None.
    label_ratios : OwnRatios or None
        Weighs the features for the problem of each label.
    """

    def __init__(
        self, X, y: TextLabels, fold: Fold, selection=None, weighting=None, class_weight: ClassWeight = None
    ) -> None:
        train, test = fold
        X_train, X_test, self.y, self.y_test = X[train], X[test], y[train], y[test]
        target = self.y.target
        if selection is not None:
            chosen = deepcopy(selection).fit(X_train, target)
            X_train, X_test = chosen.transform(X_train), chosen.transform(X_test)
        X_train, X_test = (part.astype(np.float32, copy=False) for part in (X_train, X_test))
        if weighting is not None:
            weighting = deepcopy(weighting).fit(X_train, target)
            X_train, X_test = weighting.transform(X_train), weighting.transform(X_test)
        self.weights = _weights_of(self.y.present(), class_weight)
        self.X, self.X_test = X_train, X_test
        self.share = len(train) / len(y)
        self.label_ratios = weighting if isinstance(weighting, OwnRatios) else None

    @cached_property
    def rows(self) -> Any:
        """The training rows, checked once for the problems of all labels."""
        return as_rows(self.X, norms=True)

    def weighed(self, k: int) -> tuple[Any, csr_matrix]:
        """Return the features of both parts as the problem of the k-th label sees them."""
        if self.label_ratios is None:
            return self.rows, self.X_test
        train, test = (self.label_ratios.weighed(X, k) for X in (self.X, self.X_test))
        return train, test


def _weights_of(y: TextLabels, class_weight: ClassWeight) -> Callable[[int], np.ndarray | None]:
    """Return the weights of the rows in each problem, as a function of its number."""
    if isinstance(class_weight, dict):  # a fold may lack a label
        class_weight = {label: class_weight.get(label, 1.0) for label in y.names.tolist()}
    if not y.exclusive:
        return y.target.weights_of(class_weight, None)
    weights = None if class_weight is None else class_weights(class_weight, y.names, y.target)[y.codes]
    return lambda k: weights


# For each alpha that a fold tried: score, gap, some rows of the test texts, and their decision values.
FoldScores = dict[float, tuple[float, float, np.ndarray, np.ndarray]]
Decisions = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class AlphaSearch:
    """A recipe to try at many alphas; steps that learn from labels see only the training rows of a fold.

    Alphas are meant for all rows; a fold that trains on a share of the rows gets alpha divided by this share.
    So the weight of a text against the regularisation, 1 / (alpha n), LIBLINEAR's C, is the same. The best C
    depends less on the number of texts than the best alpha.

    Attributes
    ----------
    weighting, selection : transformers that are not fitted, optional
        Columns are selected first, by their counts, and then weighted, as in a saved model. Both
        transformers are copied for each fold.
    machine : KernelSDCA or KernelPegasos, optional
        The classifier, if it is a kernel machine, which is fitted anew at each alpha.
    loss, penalty, fit_intercept, tol : as in `fastsvm.sdca_path`
    class_weight : "balanced" or dict of label to weight, optional
        As for `fastsvm.SDCAClassifier`.
    metric : str
        One of `METRICS`, or `SQUARED_ERROR`, whose scores are the negative errors.
    alphas : sequence of float, optional
        By default `n_alphas` from the largest that matters to the first fold down to `eps` times that one,
        rounded to three digits.
    extensions : int
        How many times `EXTENSION` more alphas are tried while the best alpha is at an end.
    seed : int
        Seed of the solver.
    """

    weighting: Any = None
    selection: Any = None
    machine: Any = None
    loss: str = "hinge"
    penalty: str = "l2"
    fit_intercept: bool = False
    class_weight: ClassWeight = None
    metric: str = "accuracy"
    alphas: Sequence[float] | None = None
    n_alphas: int = 16
    eps: float = 1e-5
    extensions: int = 0
    tol: float = LOOSE
    seed: int = 0

    def choose(
        self,
        X: csr_matrix,
        y: TextLabels | Sequence[LabelField],
        folds: Iterable[Fold],
        advance: Callable[[], object] = lambda: None,
    ) -> AlphaChoice:
        """Try the recipe on counts, and return its scores at each alpha.

        Parameters
        ----------
        X : CSR matrix
            Counts. A column's rows need not be in order.
        y : TextLabels or sequence of str
            Labels, two or more.
        folds : iterable of (training rows, test rows)
            As from `text_splits`.
        advance : callable
            Called after each fold.
        """
        y = TextLabels.of(y).present()
        folds, alphas, tried = list(folds), self.alphas, []

        def prepared(fold: Fold) -> FoldPart:
            return FoldPart(X, y, fold, self.selection, self.weighting, self.class_weight)

        for fold in folds:
            part = prepared(fold)
            if alphas is None:
                grid = part.share * self.largest_alpha(part) * np.geomspace(1, self.eps, self.n_alphas)
                alphas = [float(f"{alpha:.3g}") for alpha in grid]  # what is shown is what was used
            tried.append(self._score_fold(part, alphas))
            advance()
        choice = _combined_choice(tried, folds, self.metric)
        for _ in range(self.extensions):
            beyond = _alphas_beyond(choice)
            if not beyond:
                break
            for fold, scores in zip(folds, tried, strict=True):
                scores |= self._score_fold(prepared(fold), beyond)
            choice = _combined_choice(tried, folds, self.metric)
        return choice

    @property
    def path_options(self) -> dict[str, Any]:
        """The options of all paths."""
        options = {"loss": self.loss, "penalty": self.penalty, "fit_intercept": self.fit_intercept}
        return options | {"tol": self.tol, "random_state": self.seed}

    def largest_alpha(self, part: FoldPart) -> float:
        """Return the largest alpha that matters to any label."""
        once = {**self.path_options, "n_alphas": 1, "max_iter": 1}
        with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
            paths = (
                sdca_path(part.rows, part.y.has(label), sample_weight=part.weights(k), **once)
                for k, label in enumerate(part.y.problems)
            )
            return max(float(path.alphas[0]) for path in paths)

    def _score_fold(self, part: FoldPart, alphas: Sequence[float]) -> FoldScores:
        """Train on a fold at each alpha, and score the models.

        The weights of one label are dropped before the next label: thousands of labels need no more memory.
        """
        alphas, n_test = np.sort(np.asarray(alphas, float))[::-1], len(part.y_test)
        n_labels, labels = len(part.y.names), np.flatnonzero(part.y.counts)
        n_columns = 1 if part.y.exclusive and n_labels == 2 else n_labels
        rows = np.arange(0, n_test, -(-len(alphas) * n_test * n_columns // MAX_KEPT))
        kept = np.full((len(alphas), len(rows), n_columns), -np.inf, np.float32)
        gaps = np.zeros(len(alphas))
        found = self._path_decisions if self.machine is None else self._kernel_decisions
        for label, (decision, gap) in zip(part.y.problems, found(part, alphas), strict=True):
            np.maximum(gaps, gap, out=gaps)
            kept[:, :, label if n_columns > 1 else 0] = decision[:, rows]
            if part.y.exclusive and len(labels) == 2 < n_labels:
                kept[:, :, labels[0]] = -decision[:, rows]
        if n_columns == 1:
            kept = kept[:, :, 0]
        scores = [self._score(part.y_test[rows], decision) for decision in kept]
        tried = zip(alphas.tolist(), scores, gaps.tolist(), kept, strict=True)
        return {alpha: (score, gap, rows, decision) for alpha, score, gap, decision in tried}

    def _score(self, y: TextLabels, decision: np.ndarray) -> float:
        if self.metric == SQUARED_ERROR:
            return -squared_errors(y.codes, decision).mean()
        if y.exclusive or self.metric == "average-precision":
            unknown = np.finfo(decision.dtype).min  # of a label that the fold's model does not know
            return score_decision(self.metric, y, np.nan_to_num(decision, neginf=unknown))
        return score_sets(self.metric, y, decision)

    def _path_decisions(self, part: FoldPart, alphas: np.ndarray) -> Iterator[Decisions]:
        """Yield for each problem the decision values of the test texts, and the gaps, at each alpha."""
        options = {**self.path_options, "max_iter": MAX_EPOCHS}
        for k, label in enumerate(part.y.problems):
            X, X_test = part.weighed(k)
            with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):  # the gaps say it
                path = sdca_path(
                    X, part.y.has(label), alphas / part.share, sample_weight=part.weights(k), **options
                )
            decision = np.array([X_test @ coef for coef in path.coefs]) + path.intercepts[:, np.newaxis]
            yield decision, path.dual_gaps / path.objectives

    def _kernel_decisions(self, part: FoldPart, alphas: np.ndarray) -> Iterator[Decisions]:
        """Return the same for a kernel machine."""
        decisions, gaps = [], []
        with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
            for alpha in alphas / part.share:
                machine = self.machine.set_params(alpha=alpha).fit(part.X, part.y.target, part.weights(0))
                decisions.append(machine.decision_function(part.X_test).reshape(len(part.y_test), -1).T)
                gaps.append(np.ravel(machine.dual_gap_ / np.asarray(machine.objective_)))
        return zip(np.swapaxes(decisions, 0, 1), np.transpose(gaps), strict=True)


def _combined_choice(tried: list[FoldScores], folds: list[Fold], metric: str) -> AlphaChoice:
    """Combine the scores of the folds."""
    alphas = sorted(tried[0], reverse=True)
    scores, gaps = (np.array([[fold[alpha][k] for fold in tried] for alpha in alphas]) for k in (0, 1))
    best = alphas[int(scores.mean(axis=1).argmax())]
    rows = np.concatenate([test[fold[best][2]] for (_, test), fold in zip(folds, tried, strict=True)])
    decision = np.concatenate([fold[best][3] for fold in tried])
    n_tried = sum(len(test) for _, test in folds)
    return AlphaChoice(best, np.array(alphas), scores, gaps, n_tried, metric, rows, decision)


def _alphas_beyond(choice: AlphaChoice) -> list[float]:
    """Return alphas beyond the end of the grid that has the best alpha; none if the best is inside."""
    if not choice.is_at_end:
        return []
    is_last = choice.alpha == choice.alphas[-1]
    neighbour = choice.alphas[-2 if is_last else 1]
    factor = choice.alpha / neighbour
    return [float(f"{choice.alpha * factor**k:.2g}") for k in range(1, EXTENSION + 1)]
