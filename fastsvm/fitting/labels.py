"""Labels to signs, and solutions to coefficients.

A row has one label (`Targets`) or any number of labels (`LabelSets`); a fit sees both as binary problems. An
indicator matrix, dense or sparse, stands for several labels per row. To name the labels::

    model = SDCA("squared_hinge").fit(X, LabelSets(indicator, ["cheap", "fast", "good"]))
"""

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np

from .._utils import sparse
from .._utils.warnings import warn_user
from ..solvers._input import as_csr, as_weights


def signs_of(y: np.ndarray, label: object) -> np.ndarray:
    """+1 where y is the label, -1 elsewhere, as int8."""
    return 2 * (y == label).astype(np.int8) - 1


class Targets:
    """Labels as binary problems: one for each class against the rest, or one for two classes.

    A fit uses only `classes`, `labels` and the methods here, which `LabelSets` has too.

    Parameters
    ----------
    y : ndarray of shape (n,), or None if the rows are elsewhere
    classes : ndarray of shape (n_classes,), sorted, default=None
        All labels, if y may lack some.

    Attributes
    ----------
    y, classes : ndarray
    labels : ndarray, the label that is +1 in each problem
    """

    is_several = False
    """Whether a row may have several labels."""

    def __init__(self, y: Any, classes: np.ndarray | None = None):
        self.y = y
        self.classes = found = classes_of(y) if classes is None else classes
        if len(found) < 2:
            raise ValueError(
                f"y has one class only ({found.tolist()[0]!r}); at least two classes are needed."
            )
        self.labels = found[1:] if len(found) == 2 else found

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.y)

    def attributes(self) -> dict[str, Any]:
        """Return the attributes of a fitted model, by name."""
        return {"classes_": self.classes}

    def signs(self, k: int) -> np.ndarray:
        """The sign of each row in the k-th problem."""
        return signs_of(self.y, self.labels[k])

    def all_signs(self) -> np.ndarray:
        """The signs of each problem, int8 of shape (n_problems, n)."""
        return np.array([self.signs(k) for k in range(len(self.labels))])

    def codes(self) -> np.ndarray:
        """Return y as numbers, without the names of labels."""
        return np.unique(self.y, return_inverse=True)[1]

    def taken(self, rows: Any) -> "Targets":
        """Return the targets of some rows; all classes stay."""
        return Targets(self.y[rows], self.classes)

    def held_out(self, fraction: float, random: Any) -> np.ndarray:
        """Mark a random share of the rows of each label; with several labels per row, of all rows."""
        return held_out(self.y, fraction, random)

    def warn_of_constants(self) -> None:
        """Warn of labels that all rows or no row have: the solutions of their problems are constants."""

    def weights(self, class_weight: Any, sample_weight: Any) -> Any:
        """The weight of each row: sample_weight times class weight; None when all are 1."""
        weights = None if sample_weight is None else as_weights(sample_weight, len(self.y))
        if class_weight is None:
            return weights
        by_class = class_weights(class_weight, self.classes, self.y)
        total = np.ones(len(self.y)) if weights is None else weights.copy()
        for label, weight in zip(self.classes, by_class, strict=True):
            total[self.y == label] *= weight
        return total

    def weights_of(self, class_weight: Any, sample_weight: Any) -> Callable[[int], Any]:
        """Return a function from a problem's number to its `weights`: the same for all, except in LabelSets.

        There, "balanced" gives rows with the label and rows without the same total weight in each problem; a
        dict gives the weight of rows with a label in the problem of this label.
        """
        weights = self.weights(class_weight, sample_weight)
        return lambda k: weights


class LabelSets(Targets):
    """Several labels per row: one binary problem per label, of rows with the label against rows without.

    A fit takes `LabelSets` instead of y. The fit needs memory for the ones, and for one column of signs.

    Parameters
    ----------
    indicator : array or sparse matrix of shape (n, n_labels), of 0 and 1
        1 if the row has the label of the column, otherwise 0. Rows without labels count as all others.
    classes : sequence of length n_labels, in ascending order, default=None
        The labels' names; numbers of columns by default.

    Attributes
    ----------
    classes, labels : ndarray of shape (n_labels,)
    sparse_output : bool
        Whether `indicator` is sparse; predictions are then sparse, too.

    Raises
    ------
    ValueError
        If a value is not 0 or 1, if there are fewer than two labels, or if the names are too few, too many or
        not sorted.
    """

    is_several = True

    def __init__(self, indicator: Any, classes: Any = None):
        self.sparse_output = sparse.issparse(indicator)
        Y = as_csr(indicator) if self.sparse_output else np.asarray(indicator)
        if Y.ndim != 2 or Y.shape[1] < 2 or Y.dtype.kind not in "biuf":
            raise ValueError(f"y must be a table of 0 and 1, of two columns or more; its shape is {Y.shape}.")
        Y = self._table = sparse.coo_array(Y).tocsc()  # a copy without repeated places
        Y.eliminate_zeros()
        for k in np.flatnonzero(Y.data != 1):
            place = f"y[{Y.indices[k]}, {np.searchsorted(Y.indptr, k, 'right') - 1}]"
            raise ValueError(f"y must have a column of 0 and 1 for each label; {place} is {Y.data[k]}.")
        Y.data = Y.data.astype(np.int8)
        self.classes = self.labels = np.arange(Y.shape[1]) if classes is None else np.asarray(classes)
        if self.classes.shape != Y.shape[1:] or not (self.classes[:-1] < self.classes[1:]).all():
            raise ValueError(f"classes must be {Y.shape[1]} labels in ascending order, one per column of y.")

    @property
    def n_rows(self) -> int:  # noqa: D102 (inherited)
        return int(self._table.shape[0])

    def attributes(self) -> dict[str, Any]:  # noqa: D102 (inherited)
        thresholds = np.zeros(len(self.labels))
        return {"classes_": self.classes, "thresholds_": thresholds, "sparse_output_": self.sparse_output}

    def signs(self, k: int) -> np.ndarray:  # noqa: D102 (inherited)
        signs, ends = np.full(self.n_rows, -1, np.int8), self._table.indptr
        signs[self._table.indices[ends[k] : ends[k + 1]]] = 1
        return signs

    def codes(self) -> np.ndarray:  # noqa: D102 (inherited)
        return np.concatenate([self._table.indptr, self._table.indices])

    def taken(self, rows: Any) -> "LabelSets":  # noqa: D102 (inherited)
        part = LabelSets(self._table.tocsr()[rows], self.classes)
        part.sparse_output = self.sparse_output
        return part

    def held_out(self, fraction: float, random: Any) -> np.ndarray:  # noqa: D102 (inherited)
        return held_out(np.zeros(self.n_rows), fraction, random)

    def weights_of(self, class_weight: Any, sample_weight: Any) -> Callable[[int], Any]:  # noqa: D102 (inherited)
        given = None if sample_weight is None else as_weights(sample_weight, self.n_rows)
        if class_weight is None:
            return lambda k: given
        counts = np.diff(self._table.indptr)
        if isinstance(class_weight, str) and class_weight == "balanced":
            having, lacking = self.n_rows / 2 / np.maximum([counts, self.n_rows - counts], 1)
        else:
            having, lacking = weights_of_counts(class_weight, self.classes, counts), np.ones(len(counts))

        def weights(k: int) -> Any:
            own = np.where(self.signs(k) > 0, having[k], lacking[k])
            return own if given is None else own * given

        return weights

    def warn_of_constants(self) -> None:  # noqa: D102 (inherited)
        names = self.labels[np.isin(np.diff(self._table.indptr), [0, self.n_rows])].tolist()
        if names:
            more = f" and {len(names) - 1} more" if names[1:] else ""
            warn_user(f"No row or every row has the label {names[0]!r}{more}: there is nothing to learn.")


def is_indicator(y: Any) -> bool:
    """Whether y has a column for each label, at least two."""
    if sparse.issparse(y) or isinstance(y, LabelSets):
        return True
    shape = np.asarray(y, object if isinstance(y, (list, tuple)) else None).shape
    return len(shape) == 2 and shape[1] > 1


def targets_of(y: Any, classes: Any = None) -> Targets:
    """Return the checked y as Targets, or a table as LabelSets; Targets and LabelSets as they are."""
    if isinstance(y, Targets):
        return y
    return (LabelSets if y.ndim == 2 else Targets)(y, classes)


def as_targets(y: Any, n_rows: int, classes: Any = None) -> Targets:
    """Check the labels of `n_rows` rows; return Targets, or LabelSets for an indicator matrix."""
    if not is_indicator(y):
        return Targets(as_labels(y, n_rows), classes)
    targets = y if isinstance(y, LabelSets) else LabelSets(y, classes)
    if targets.n_rows != n_rows:
        raise ValueError(f"y has labels for {targets.n_rows} rows; X has {n_rows} rows.")
    return targets


def batch_classes(model: Any, y: np.ndarray, classes: Any, class_weight: Any) -> np.ndarray:
    """The classes of a model that learns batch by batch, or those given with its first batch."""
    if isinstance(class_weight, str) and class_weight == "balanced":
        raise ValueError("class_weight='balanced' needs all of y: use fit, or pass sample_weight.")
    named = None if classes is None else known_labels(classes, "classes")
    given: Any = None if named is None else np.unique(named)
    known: Any = getattr(model, "classes_", given)
    if known is None:
        raise ValueError("The first call of partial_fit needs classes: all labels of all batches.")
    if named is not None and not np.array_equal(given, known):
        raise ValueError(f"classes is {list(named)}, but earlier calls had {known.tolist()}.")
    new = np.setdiff1d(y, known)
    if len(new):
        raise ValueError(f"y has the label {new.tolist()[0]!r}, which is not among classes.")
    return np.asarray(known)


def batch_targets(model: Any, y: Any, n_rows: int, classes: Any, class_weight: Any) -> Targets:
    """The labels of a batch, for a model that learns by batches. Several labels per row need no `classes`."""
    several = is_indicator(y)
    if several != hasattr(model, "thresholds_") and hasattr(model, "classes_"):
        many = "one label", "several labels"
        raise ValueError(f"y has {many[several]} per row, but earlier calls had {many[not several]}.")
    if not several:
        y = as_labels(y, n_rows)
        return Targets(y, batch_classes(model, y, classes, class_weight))
    targets = as_targets(y, n_rows, classes)
    batch_classes(model, targets.classes, targets.classes, class_weight)
    return targets


def classes_of(y: np.ndarray) -> np.ndarray:
    """Return `np.unique(y)`, without a hash table or a sort for up to two whole numbers."""
    if y.dtype.kind in "biuf" and y.size:
        ends = np.array([y.min(), y.max()])
        if ((y == ends[0]) | (y == ends[1])).all():
            return ends if ends[0] < ends[1] else ends[:1]
    return np.unique(y)


def known_labels(y: Any, name: str = "y") -> Any:
    """Return labels that NumPy can sort: y itself, unless it has numbers as objects or NumPy's own strings.

    Raises
    ------
    ValueError
        If a label is missing, if text and numbers are mixed, or if labels have another type.
    """
    labels = np.asarray(y, object if isinstance(y, (list, tuple)) else None)
    odd = np.isnat(labels).any() if labels.dtype.kind in "mM" else labels.dtype.kind in "TO"
    if not odd or labels.ndim != 1 or not labels.size:
        return y
    found, words = [*labels], isinstance(labels[0], str)
    for k, label in enumerate(found):
        if label is None or type(label).__name__ == "NAType" or label != label:
            raise ValueError(f"{name}[{k}] is {label}: leave out rows without a label.")
        if isinstance(label, str) != words:
            raise ValueError(f"{name} mixes text and numbers ({found[0]!r} and {label!r}): use one kind.")
    if words:
        return labels.astype(object) if labels.dtype.kind == "T" else y
    numbers = np.array(found)
    if numbers.dtype.kind == "O":
        kind = type(found[0]).__name__
        raise ValueError(f"{name} has labels of type {kind}: use {name}.astype(int) or {name}.astype(str).")
    return numbers


def as_labels(y: Any, n_rows: int) -> np.ndarray:
    """Return labels as an array, checked to be one per row, and not measurements."""
    y = np.asarray(known_labels(y))
    if y.ndim == 2 and y.shape[1] == 1:
        y = y.ravel()
    if y.shape != (n_rows,):
        raise ValueError(f"y has shape {y.shape}; X has {n_rows} rows, so y must be ({n_rows},).")
    if y.dtype.kind == "f":
        bad = np.flatnonzero(y != np.floor(y))  # NaN too
        if bad.size:
            raise ValueError(f"y must contain class labels; y[{bad[0]}] = {y[bad[0]]} is not a whole number.")
    return y


def as_coefficients(values: Any, dtype: Any) -> np.ndarray:
    """Return float64 coefficients in the dtype of X; raise a ValueError if they do not fit."""
    with np.errstate(over="ignore"):
        array = np.asarray(values, dtype=dtype)
    if not np.isfinite(array).all():
        raise ValueError(f"The coefficients overflow {np.dtype(dtype)}: scale X, or pass X as float64.")
    return array


def class_weights(class_weight: Any, classes: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the weight of each class.

    Parameters
    ----------
    class_weight : "balanced" or dict of label to weight
        "balanced": n / (n_classes * count of the label). A dict gives 1 to labels that it lacks.
    classes : ndarray of shape (n_classes,), sorted
        All labels, in ascending order.
    y : array of shape (n,)
        The label of each row.

    Returns
    -------
    ndarray of shape (n_classes,)
        The weight of each class.

    Raises
    ------
    ValueError
        If `class_weight` is neither, or a dict has unknown labels instead of some class.
    """
    return weights_of_counts(class_weight, classes, [np.count_nonzero(y == label) for label in classes])


def weights_of_counts(class_weight: Any, classes: np.ndarray, counts: Any) -> np.ndarray:
    """Return the weight of each class, from the number of its rows, as `class_weights` does."""
    counts = np.array(counts)
    if isinstance(class_weight, str) and class_weight == "balanced":
        if not counts.all():
            raise ValueError("class_weight='balanced' needs rows of every class.")
        return counts.sum() / (len(classes) * counts.astype(float))
    if not isinstance(class_weight, dict):
        raise ValueError(f"class_weight must be a dict, 'balanced' or None; got {class_weight!r}.")
    require_class_weight(class_weight)
    labels = classes.tolist()
    unknown = [label for label in class_weight if label not in labels]
    if unknown and not class_weight.keys() >= set(labels):
        raise ValueError(f"class_weight has the label {unknown[0]!r}, which is not among the classes.")
    return np.array([class_weight.get(label, 1.0) for label in labels], dtype=float)


def require_class_weight(class_weight: Any) -> None:
    """Raise a ValueError that names the first bad weight of a dict."""
    for label, weight in class_weight.items() if isinstance(class_weight, dict) else ():
        if not (isinstance(weight, Real) and 0 <= float(weight) < np.inf):
            raise ValueError(f"class_weight[{label!r}] is {weight}; weights must be finite and >= 0.")


def held_out(y: np.ndarray, fraction: float, random: Any) -> np.ndarray:
    """Mark a random share of the rows of each label; at least one row of each is left."""
    chosen = np.zeros(len(y), bool)
    for label in np.unique(y):
        rows = random.permutation(np.flatnonzero(y == label))
        chosen[rows[: min(round(fraction * len(rows)), len(rows) - 1)]] = True
    if not chosen.any():
        raise ValueError(f"validation_fraction={fraction} of {len(y)} rows holds out no row: raise it.")
    return chosen


def as_start(name: str, values: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Return the values to start from as float64 of this shape, zeros for None; or a ValueError."""
    if values is None:
        return np.zeros(shape)
    found = np.asarray(values, dtype=np.float64)
    if found.size != np.prod(shape):
        raise ValueError(f"{name} must have the shape {shape}; got {found.shape}.")
    if not np.isfinite(found).all():
        raise ValueError(f"{name} must be finite.")
    return found.reshape(shape)
