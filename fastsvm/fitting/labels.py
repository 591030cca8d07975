"""Labels to signs, and solutions to coefficients."""

from numbers import Real
from typing import Any

import numpy as np

from ..solvers._input import as_weights


def signs_of(y: np.ndarray, label: object) -> np.ndarray:
    """+1 where y is the label, -1 elsewhere, as int8."""
    return 2 * (y == label).astype(np.int8) - 1


class Targets:
    """Labels as binary problems: one for each class against the rest, or one where there are two.

    A fit asks for no more of labels than the attributes and methods here: others may stand in their place,
    for example several labels a row.

    Parameters
    ----------
    y : ndarray of shape (n,), or None of rows elsewhere
    classes : ndarray of shape (n_classes,), sorted, default=None
        All labels, if y may lack some.

    Attributes
    ----------
    y, classes : ndarray
    labels : ndarray, the label that is +1 in each problem
    """

    def __init__(self, y: Any, classes: np.ndarray | None = None):
        self.y = y
        self.classes = found = classes_of(y) if classes is None else classes
        if len(found) < 2:
            raise ValueError(
                f"y has one class only ({found.tolist()[0]!r}); at least two classes are needed."
            )
        self.labels = found[1:] if len(found) == 2 else found

    def signs(self, k: int) -> np.ndarray:
        """The sign of each row in the k-th problem."""
        return signs_of(self.y, self.labels[k])

    def all_signs(self) -> np.ndarray:
        """The signs of each problem, int8 of shape (n_problems, n)."""
        return np.array([self.signs(k) for k in range(len(self.labels))])

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


def batch_classes(model: Any, y: np.ndarray, classes: Any, class_weight: Any) -> np.ndarray:
    """The classes of a model that learns batch by batch, or those given with its first batch."""
    if isinstance(class_weight, str) and class_weight == "balanced":
        raise ValueError("class_weight='balanced' needs all of y: use fit, or pass sample_weight.")
    named = None if classes is None else known_labels(classes, "classes")
    given: Any = None if named is None else np.unique(named)
    known: Any = getattr(model, "classes_", given)
    if known is None:
        raise ValueError("The first call of partial_fit needs classes, all labels that will come.")
    if named is not None and not np.array_equal(given, known):
        raise ValueError(f"classes is {list(named)}, but earlier calls had {known.tolist()}.")
    new = np.setdiff1d(y, known)
    if len(new):
        raise ValueError(f"y has the label {new.tolist()[0]!r}, which is not among classes.")
    return np.asarray(known)


def classes_of(y: np.ndarray) -> np.ndarray:
    """`np.unique`, without a hash table or a sort where there are up to two whole numbers."""
    if y.dtype.kind in "biuf" and y.size:
        ends = np.array([y.min(), y.max()])
        if ((y == ends[0]) | (y == ends[1])).all():
            return ends if ends[0] < ends[1] else ends[:1]
    return np.unique(y)


def known_labels(y: Any, name: str = "y") -> Any:
    """Labels that NumPy can sort: y itself, but for objects that are numbers, or strings of NumPy's own kind.

    Raises
    ------
    ValueError
        If one is missing, if there are words and numbers, or other things.
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
            raise ValueError(f"{name}[0] is {found[0]!r} and {name}[{k}] {label!r}: use words or numbers.")
    if words:
        return labels.astype(object) if labels.dtype.kind == "T" else y
    numbers = np.array(found)
    if numbers.dtype.kind == "O":
        kind = type(found[0]).__name__
        raise ValueError(f"{name} has labels of type {kind}: use {name}.astype(int) or {name}.astype(str).")
    return numbers


def as_labels(y: Any, n_rows: int) -> np.ndarray:
    """Labels as an array, checked to be one for each row, and no measurements."""
    y = np.asarray(known_labels(y))
    if y.ndim == 2 and y.shape[1] == 1:
        y = y.ravel()
    if y.shape != (n_rows,):
        raise ValueError(f"y has shape {y.shape}; X has {n_rows} rows, so it must be ({n_rows},).")
    if y.dtype.kind == "f":
        bad = np.flatnonzero(y != np.floor(y))  # NaN too
        if bad.size:
            raise ValueError(f"y must have labels; y[{bad[0]}] is the number {y[bad[0]]}.")
    return y


def as_coefficients(values: Any, dtype: Any) -> np.ndarray:
    """Float64 coefficients in the dtype of X, or a ValueError if they do not fit."""
    with np.errstate(over="ignore"):
        array = np.array(values, dtype=dtype)
    if not np.isfinite(array).all():
        raise ValueError(f"The coefficients are beyond {np.dtype(dtype)}: scale X, or pass it as float64.")
    return array


def class_weights(class_weight: Any, classes: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The weight of each class.

    Parameters
    ----------
    class_weight : "balanced" or dict of label to weight
        n / (n_classes * count of the label); 1 for labels that the dict has not.
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
        If it is neither, or has other labels in place of some class.
    """
    return weights_of_counts(class_weight, classes, [np.count_nonzero(y == label) for label in classes])


def weights_of_counts(class_weight: Any, classes: np.ndarray, counts: Any) -> np.ndarray:
    """The weight of each class, from the numbers of their rows; as `class_weights`."""
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
    """Mark this share of the rows of each label, drawn at random; one row of each is left at least."""
    chosen = np.zeros(len(y), bool)
    for label in np.unique(y):
        rows = random.permutation(np.flatnonzero(y == label))
        chosen[rows[: min(round(fraction * len(rows)), len(rows) - 1)]] = True
    if not chosen.any():
        raise ValueError(f"validation_fraction={fraction} of {len(y)} rows is none of any label: raise it.")
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
