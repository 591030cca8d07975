"""X times the iterates of many runs at once, which costs a fraction of a pass for each.

Matrices are cut into parts that do not depend on the number of threads, and sums are added in order: no bit
of a result depends on it.
"""

import numpy as np

from fastsvm._utils.threads import in_threads

PART = 1 << 21  # float64 numbers that a thread has in hand: 16 MB of X, or as much of the scores


class Products:
    """Products with one matrix.

    Parameters
    ----------
    X : CSR matrix or array, or C-ordered ndarray, of shape (n_samples, n_features)
    rows : Rows, of the same matrix
    threads : int
    """

    def __init__(self, X, rows, threads):
        self.X, self.rows, self.threads = X, rows, threads

    def sum_scores(self, function, W, intercept):
        """Sum what a function makes of the scores of some rows, over all rows.

        Parameters
        ----------
        function : callable
            ``function(part, scores)``: a slice of rows, and their w.x + b0 of shape (rows, *intercept.shape).
        W : ndarray of shape (n_features, n_vectors), float64
        intercept : ndarray of n_vectors numbers, float64

        Returns
        -------
        Whatever function returns, added up.
        """
        n = self.rows.n_rows
        step = max(1, min(self.rows.chunk_rows(PART), PART // W.shape[1]))

        def of_part(first):
            part = slice(first, min(first + step, n))
            with np.errstate(over="ignore", invalid="ignore"):  # of steps that diverge
                return function(part, (self.X[part] @ W).reshape(-1, *intercept.shape) + intercept)

        return sum(in_threads(of_part, range(0, n, step), self.threads))
