"""What becomes of counts, given the settings of a `TermWeighting` and the weights that it learned."""

from typing import NamedTuple

import numpy as np

from ._scores import weigh

__all__ = ["Weighing", "float_type"]

WEIGHTINGS = ("counts", "binary", "tfidf", "nb")
LEARNED = ("tfidf", "nb")  # those that have weights
NORMS = ("auto", "l2", None)


class Weighing(NamedTuple):
    """The settings of a `TermWeighting`."""

    weighting: str
    norm: str | None
    sublinear_tf: bool
    smoothing: float

    def check(self):
        """Raise a ValueError that names the first bad setting."""
        for name, known in ("weighting", WEIGHTINGS), ("norm", NORMS):
            value = getattr(self, name)
            if (value is not None and not isinstance(value, str)) or value not in known:
                raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}; got {value!r}.")
        if not isinstance(self.sublinear_tf, bool | np.bool_):
            raise ValueError(f"sublinear_tf must be True or False; got {self.sublinear_tf!r}.")
        number = isinstance(self.smoothing, float | int | np.floating | np.integer)
        if not number or isinstance(self.smoothing, bool) or not 0 < self.smoothing < np.inf:
            raise ValueError(f"smoothing must be a number above 0; got {self.smoothing!r}.")

    def weighed(self, rows, weights):
        """Return the weights that counts become.

        Parameters
        ----------
        rows : (values, columns, offsets)
            As `rows_of` gives them, of checked rows; they stay as they are.
        weights : array of shape (n_columns,), or None
            What was learned.

        Returns
        -------
        ndarray, float32 if the values are, else float64
        """
        counts, columns, offsets = rows
        values = counts.astype(float_type(counts))
        binary = self.weighting in ("binary", "nb")
        if self.sublinear_tf and not binary:
            np.log(values, out=values)
            values += 1
        unit = self.norm == "l2" or (self.norm == "auto" and self.weighting == "tfidf")
        weigh(values, columns, offsets, np.empty(0) if weights is None else weights, binary, unit)
        return values


def float_type(X):
    """Tell in which precision counts are weighed."""
    return np.float32 if X.dtype == np.float32 else np.float64
