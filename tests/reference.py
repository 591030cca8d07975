"""Every algorithm as its source writes it: dense rows, Python loops, nothing clever.

The compiled solvers must reach the same numbers, given the same order of rows. Notation as in the
papers: lambda is `alpha`, y_i is -1 or +1, the dual variables b_i are in [0, c_i]. So must the sums over
pixels of the app for cells, at the end.
"""

from itertools import product

import numpy as np
from scipy import sparse
from scipy.ndimage import map_coordinates
from scipy.optimize import brentq, minimize, minimize_scalar
from scipy.special import entr, expit
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.svm import SVC

from fastsvm.solvers import losses

LOSSES = {  # phi(m), and psi(b) for b in its domain
    "hinge": (lambda m: max(0, 1 - m), lambda b: b),
    "squared_hinge": (lambda m: max(0, 1 - m) ** 2, lambda b: b - b**2 / 4),
    "smooth_hinge": (lambda m: 0.5 - m if m < 0 else max(0, 1 - m) ** 2 / 2, lambda b: b - b**2 / 2),
    "log": (lambda m: np.logaddexp(0, -m), lambda b: entr(b) + entr(1 - b)),
}


def weights(rng, n):
    """Random weights from 0 to 2, whose mean is exactly 1."""
    away = rng.integers(-2, 3, n // 2) / 2
    return rng.permutation(np.concatenate([1 + away, 1 - away, np.ones(n % 2)]))


def disordered(X, index=np.int64):
    """The rows as CSR, columns backwards and every value in two halves; offsets of 64 bits."""
    parts = [(np.repeat(np.flatnonzero(x)[::-1], 2), np.repeat(x[np.flatnonzero(x)][::-1] / 2, 2)) for x in X]
    indptr = np.concatenate([[0], np.cumsum([len(columns) for columns, _ in parts])])
    columns, values = (np.concatenate(part) for part in zip(*parts, strict=True))
    csr = sparse.csr_array((values, columns, indptr), shape=X.shape)
    csr.indices, csr.indptr = columns.astype(index), indptr.astype(np.int64)
    assert not csr.has_canonical_format
    return csr


def pegasos(
    X,
    y,
    order,
    *,
    loss="hinge",
    alpha,
    sample_weight=None,
    fit_intercept=False,
    batch_size=1,
    project=False,
    averaging="last",
    average_from=None,
    start=None,
):
    """Pegasos, Shalev-Shwartz et al. 2011, fig. 2; `order` holds a list of rows for each epoch.

    `start` is (w, b0, t): t steps were taken before. The squared hinge takes longer to its first step.
    """
    n, d = X.shape
    c = np.ones(n) if sample_weight is None else sample_weight
    w, b0, t = (np.zeros(d), 0.0, 0) if start is None else start
    if loss == "squared_hinge":
        t += np.ceil(2 * max(c * ((X**2).sum(axis=1) + bool(fit_intercept))) / alpha)
    iterates = []
    for rows in order:
        for first in range(0, len(rows), batch_size):
            batch = rows[first : first + batch_size]
            t += 1
            eta = 1 / (alpha * t)
            step, step0 = np.zeros(d), 0.0
            for i in batch:
                margin = y[i] * (w @ X[i] + b0)
                pull = -float(losses.slope(loss, margin))
                step += c[i] * pull * y[i] * X[i]
                step0 += c[i] * pull * y[i]
            w = (1 - eta * alpha) * w + eta / len(batch) * step
            if fit_intercept == "same_step":
                b0 += eta / len(batch) * step0
            elif fit_intercept is True:
                b0 += min(eta, 1 / np.sqrt(t)) / len(batch) * step0  # nothing shrinks b0: no long steps
            if project:
                radius = np.sqrt((1 if loss == "hinge" else 2 * losses.value(loss, 0)) * c.mean() / alpha)
                w = min(1, radius / max(np.sqrt(w @ w), 1e-300)) * w
            iterates.append((w, b0))
    if averaging == "tail":
        tail = iterates[len(iterates) // 2 if average_from is None else average_from :]
        w, b0 = np.mean([w for w, _ in tail], axis=0), np.mean([b for _, b in tail])
    if averaging == "growing":  # the t-th iterate weighs t, as in partial_fit
        ages = range(1, len(iterates) + 1)
        w, b0 = (np.average(part, axis=0, weights=ages) for part in zip(*iterates, strict=True))
    return w, b0


def best_intercept(X, y, w, loss, sample_weight=None):
    """The intercept with the least loss: for the hinge, whose loss is straight between, at a kink."""
    if loss == "hinge":
        kinks = y - X @ w
        return min(kinks, key=lambda b0: primal(loss, 0, X, y, w, b0, sample_weight))
    found = minimize_scalar(lambda b0: primal(loss, 0, X, y, w, b0, sample_weight), bounds=(-9, 9))
    return found.x


def perceptron(X, y, order, *, sample_weight=None, fit_intercept=True, averaging="last"):
    """The perceptron; stops after an epoch without a mistake. Returns (w, b0, epochs)."""
    c = np.ones(len(y)) if sample_weight is None else sample_weight
    w, b0 = np.zeros(X.shape[1]), 0.0
    total, total0, t = np.zeros(X.shape[1]), 0.0, 0
    epochs = 0
    for rows in order:
        epochs += 1
        mistakes = 0
        for i in rows:
            if c[i] > 0 and y[i] * (w @ X[i] + b0) <= 0:
                w = w + c[i] * y[i] * X[i]
                b0 += c[i] * y[i] * fit_intercept
                mistakes += 1
            total, total0, t = total + w, total0 + b0, t + 1
        if mistakes == 0:
            break
    return (total / t, total0 / t, epochs) if averaging == "all" else (w, b0, epochs)


def dual_step(loss, m, b, q, c, width=1.0):
    """The new b_i from margin m, by the closed forms; for log, the root of the derivative."""
    if loss == "hinge":
        if q == 0:
            return c if m < 1 else 0.0
        return min(max(b + (1 - m) / q, 0), c)
    if loss == "squared_hinge":
        return max(0, b + (1 - m - b / (2 * c)) / (q + 1 / (2 * c)))
    if loss == "smooth_hinge":
        return min(max(b + (1 - m - width * b / c) / (q + width / c), 0), c)

    def margin_error(s):  # b_new = c sigmoid(-s), so log((c - b_new) / b_new) = s
        return s - m - q * (c * expit(-s) - b)

    s = brentq(margin_error, m - q * b - 1, m + q * (c - b) + 1, xtol=1e-15, rtol=1e-15, maxiter=1000)
    return c * expit(-s)


def sdca(
    X,
    y,
    order,
    *,
    loss="hinge",
    alpha,
    sample_weight=None,
    sgd_init=False,
    ahead=0.0,
    averaging="last",
    average_from=None,
    intercept_column=0.0,
    hinge_width=1.0,
):
    """SDCA, Shalev-Shwartz & Zhang 2013, fig. 1. Returns (b, w(b), b0).

    `intercept_column` is the square of the constant column that stands for the intercept; after each
    epoch its multiplier takes a proximal step (0: no intercept). Modified SGD counts rows `ahead` as seen.
    """
    n, d = X.shape
    c = np.ones(n) if sample_weight is None else sample_weight
    b, w, b0 = np.zeros(n), np.zeros(d), 0.0
    iterates = []
    for epoch, rows in enumerate(order):
        for t, i in enumerate(rows, 1):
            first = sgd_init and epoch == 0 and t <= n  # modified SGD: a problem of t rows
            if c[i] > 0:
                size, total = (t + ahead, n + ahead) if first else (n, n)
                rate = total / size / (alpha * n)
                m = y[i] * (w @ X[i] + b0)
                q = rate * X[i] @ X[i] + intercept_column / (alpha * n)
                b_new = dual_step(loss, m, b[i], q, c[i], hinge_width)
                if first:
                    w = w * (size - 1) / size
                w = w + rate * (b_new - b[i]) * y[i] * X[i]
                b0 += (b_new - b[i]) / (alpha * n) * y[i] * intercept_column
                b[i] = b_new
            elif first:
                w = w * (t + ahead - 1) / (t + ahead)
            iterates.append(b.copy())
        b0 += intercept_column / (alpha * n) * (b @ y)
    if averaging == "tail":
        b = np.mean(iterates[len(iterates) // 2 if average_from is None else average_from :], axis=0)
        w = X.T @ (b * y) / (alpha * n)
    return b, w, b0


def asdca(
    X,
    y,
    order,
    *,
    loss="smooth_hinge",
    alpha,
    theta,
    batch_size,
    sample_weight=None,
    intercept_column=0.0,
    hinge_width=1.0,
    averaging="last",
    average_from=None,
):
    """ASDCA, Shalev-Shwartz & Zhang 2013b, algorithm 1 with g = alpha/2 ||w||^2. Returns (b, w, b0).

    `intercept_column` as in `sdca`; the proximal step is of a length of min(1, 4 theta).
    """
    n, d = X.shape
    c = np.ones(n) if sample_weight is None else sample_weight
    b, w, average = np.zeros(n), np.zeros(d), np.zeros(d)
    b0, centre, average0 = 0.0, 0.0, 0.0
    iterates = []
    for rows in order:
        for first in range(0, len(rows), batch_size):
            batch = rows[first : first + batch_size]
            u = (1 - theta) * w + theta / alpha * average
            u0 = (1 - theta) * b0 + theta * (centre + intercept_column / alpha * average0)
            for i in batch:
                m = y[i] * (u @ X[i] + u0)
                if loss == "log":
                    minus_slope = expit(-m)
                elif loss == "squared_hinge":
                    minus_slope = 2 * max(0, 1 - m)
                else:
                    minus_slope = min(1, max(0, 1 - m) / hinge_width)
                b_new = (1 - theta) * b[i] + theta * c[i] * minus_slope
                average = average + (b_new - b[i]) * y[i] * X[i] / n
                average0 += (b_new - b[i]) * y[i] / n
                b[i] = b_new
            w = (1 - theta) * w + theta / alpha * average
            b0 = (1 - theta) * b0 + theta * (centre + intercept_column / alpha * average0)
            iterates.append((w, b0))
        step = min(1, 4 * theta) * intercept_column / alpha * average0
        centre, b0 = centre + step, b0 + step
    if averaging == "tail":
        tail = iterates[len(iterates) // 2 if average_from is None else average_from :]
        w, b0 = np.mean([w for w, _ in tail], axis=0), np.mean([b for _, b in tail])
    return b, w, b0


def optimum_with_intercept(loss, alpha, X, y):
    """The lowest objective with a free intercept, by SciPy; for the hinge, which has kinks, by LIBSVM."""
    n, d = X.shape
    if loss == "hinge":
        model = SVC(kernel="linear", C=1 / (alpha * n), tol=1e-9).fit(X, y)
        return primal(loss, alpha, X, y, model.coef_[0], model.intercept_[0])

    def primal_and_slope(v):
        g = y * losses.slope(loss, y * (X @ v[:d] + v[d])) / n
        value = primal(loss, alpha, X, y, v[:d], v[d])
        return value, np.append(alpha * v[:d] + X.T @ g, g.sum())

    options = {"maxiter": 10**5, "maxfun": 10**6, "ftol": 1e-16, "gtol": 1e-10}
    return minimize(primal_and_slope, np.zeros(d + 1), jac=True, method="L-BFGS-B", options=options).fun


def article_pegasos(X, y, n_iter, alpha, rng):
    """The article's class SVMPegasos: one random dense row an iteration, in Python."""
    m, n_features = X.shape
    w = np.zeros(n_features)
    for i in range(n_iter):
        eta = 1.0 / (alpha * (i + 1))
        j = rng.choice(m, 1)[0]
        x, label = X[j], y[j]
        score = w.dot(x)
        if label * score < 1:  # noqa: SIM108 (as the article has it)
            w = (1 - eta * alpha) * w + eta * label * x
        else:
            w = (1 - eta * alpha) * w
    return w


KERNELS = {  # of every name, and parameters
    "linear": {},
    "poly": {"gamma": 0.5, "degree": 5, "coef0": 1.0},
    "rbf": {"gamma": 0.3},
    "sigmoid": {"gamma": 0.1, "coef0": -0.2},
    "laplacian": {"gamma": 0.2},
}


def kernel_matrix(name, X, Z, **parameters):
    """K(x, z) for each row x of X and z of Z, by scikit-learn."""
    X, Z = np.asarray(X, np.float64), np.asarray(Z, np.float64)
    return pairwise_kernels(X, Z, metric=name, filter_params=True, **parameters)


def kernel_pegasos(K, Y, order, alpha, sample_weight=None):
    """Kernel Pegasos, Shalev-Shwartz et al. 2011, fig. 3, for each row of Y on the same stream of rows.

    Returns a, of the shape of Y: how often, times its weight, a row was drawn with a margin below 1.
    """
    K = np.asarray(K, np.float64)
    a = np.zeros(Y.shape)
    c = np.ones(len(K)) if sample_weight is None else sample_weight
    for of_class, y in zip(a, Y, strict=True):
        for t, s in enumerate(order, 1):
            if y[s] / (alpha * t) * ((of_class * y) @ K[s]) < 1:
                of_class[s] += c[s]
    return a


def kernel_sdca(K, y, order, loss, alpha, sample_weight=None):
    """`sdca` where all that is known of the rows is K. Returns b."""
    K = np.asarray(K, np.float64)
    n = len(y)
    c = np.ones(n) if sample_weight is None else sample_weight
    b = np.zeros(n)
    for rows in order:
        for i in rows:
            if c[i] > 0:
                m = y[i] * (K[i] @ (b * y)) / (alpha * n)
                b[i] = dual_step(loss, m, b[i], K[i, i] / (alpha * n), c[i])
    return b


def kernel_climb(K, y, steps, loss, alpha, sample_weight=None):
    """So many exact steps of the dual, each on the b_i that raises it most. Returns b."""
    K = np.asarray(K, np.float64)
    n = len(y)
    c = np.ones(n) if sample_weight is None else sample_weight
    bend = {"hinge": 0.0, "squared_hinge": 0.5, "smooth_hinge": 1.0}[loss]
    b, shape = np.zeros(n), bend / np.where(c > 0, c, 1)
    steepness = np.maximum(K.diagonal() / (alpha * n) + shape, 1e-300)
    for _ in range(steps):
        slope = 1 - y * (K @ (b * y)) / (alpha * n) - shape * b
        top = np.inf if loss == "squared_hinge" else c
        gain = np.where((c > 0) & np.where(slope > 0, b < top, b > 0), np.abs(slope) / np.sqrt(steepness), 0)
        i = int(gain.argmax())
        b[i] = dual_step(loss, 1 - slope[i] - shape[i] * b[i], b[i], K[i, i] / (alpha * n), c[i])
    return b


def kernel_climb_in_pairs(K, y, steps, loss, alpha, sample_weight=None):
    """So many exact steps of the dual that keep sum_i b_i y_i; returns b and the intercept.

    Of those that may rise, the y_i b_i with the steepest slope, and of those that may fall the one with which
    it gains most (Fan, Chen & Lin 2005).
    """
    K = np.asarray(K, np.float64)
    n = len(y)
    c = np.ones(n) if sample_weight is None else sample_weight
    bend = {"hinge": 0.0, "squared_hinge": 0.5, "smooth_hinge": 1.0}[loss]
    b, shape = np.zeros(n), bend / np.where(c > 0, c, 1)
    top = np.full(n, np.inf) if loss == "squared_hinge" else c
    for step in range(steps + 1):
        slope = y * (1 - y * (K @ (b * y)) / (alpha * n) - shape * b)
        up = (c > 0) & np.where(y > 0, b < top, b > 0)
        down = (c > 0) & np.where(y > 0, b > 0, b < top)
        i = int(np.where(up, slope, -np.inf).argmax())
        if step == steps:
            return b, (slope[i] + slope[down].min()) / 2
        steepness = (K[i, i] + K.diagonal() - 2 * K[i]) / (alpha * n) + shape[i] + shape
        steepness = np.maximum(steepness, 1e-12)
        rise = np.maximum(slope[i] - slope, 0)
        j = int(np.where(down, rise**2 / steepness, -1).argmax())
        t = min(
            rise[j] / steepness[j], top[i] - b[i] if y[i] > 0 else b[i], b[j] if y[j] > 0 else top[j] - b[j]
        )
        b[i] = np.clip(b[i] + y[i] * t, 0, top[i])
        b[j] = np.clip(b[j] - y[j] * t, 0, top[j])
    return None


def kernel_primal_dual(K, y, b, loss, alpha, sample_weight=None, intercept=0.0):
    """P(f, b0) and D(b), where f = sum_j b_j y_j K(x_j, .) / (alpha n)."""
    phi, psi = LOSSES[loss]
    n = len(y)
    c = np.ones(n) if sample_weight is None else sample_weight
    f = np.asarray(K, np.float64) @ (b * y) / (alpha * n)
    half_norm = alpha / 2 * (b * y) @ f / (alpha * n)
    primal = half_norm + sum(c[i] * phi(y[i] * (f[i] + intercept)) for i in range(n)) / n
    dual = sum(c[i] * psi(b[i] / c[i]) for i in range(n) if c[i] > 0) / n - half_norm
    return primal, dual


def primal(loss, alpha, X, y, w, intercept=0.0, sample_weight=None):
    """P(w, b0) = alpha/2 ||w||^2 + 1/n sum_i c_i phi(y_i (w.x_i + b0)).

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,), of -1 and +1
    w : array of shape (n_features,)
    intercept : float
    sample_weight : array of shape (n_samples,), default=None

    Returns
    -------
    float
    """
    c = 1.0 if sample_weight is None else np.asarray(sample_weight)
    return float(alpha / 2 * (w @ w) + np.mean(c * losses.value(loss, y * (X @ w + intercept))))


def dual(loss, alpha, X, y, b, sample_weight=None):
    """D(b) = 1/n sum_i c_i psi(b_i / c_i) - alpha/2 ||w(b)||^2, with w(b) = X'(b y) / (alpha n).

    Parameters
    ----------
    b : array of shape (n_samples,), within c times the domain
    others : as in `primal`

    Returns
    -------
    float
        A lower bound on P(w) for every w; with an intercept only if sum_i b_i y_i = 0.
    """
    c = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    w = X.T @ (b * y) / (alpha * len(y))
    used = c > 0
    terms = c[used] * losses.dual_term(loss, b[used] / c[used])
    return float(terms.sum() / len(y) - alpha / 2 * (w @ w))


def gap(loss, alpha, X, y, b, w, intercept=0.0, sample_weight=None):
    """P(w, b0) - D(b): (w, b0) is at most this far from the optimum. Parameters as above."""
    return primal(loss, alpha, X, y, w, intercept, sample_weight) - dual(loss, alpha, X, y, b, sample_weight)


def bin_places(values, axis):
    """Return where values lie between the centres of the bins, from 0 to bins - 1; NaN lies at 0."""
    low, high, bins = axis
    places = (np.asarray(values, np.float64) - low) * bins / (high - low) - 0.5
    return np.clip(np.where(np.isnan(places), 0, places), 0, bins - 1)


def joint_histograms(planes, regions, n_regions, axes):
    """Share each pixel of a region among the bins around its values, by how near their centres are."""
    counts = np.zeros((n_regions, *(bins for _, _, bins in axes)))
    places = [bin_places(planes[..., i], axis) for i, axis in enumerate(axes)]
    for y, x in np.ndindex(regions.shape):
        if 1 <= regions[y, x] <= n_regions:
            for bins in product(*(range(axis[2]) for axis in axes)):
                nearness = [max(0, 1 - abs(place[y, x] - k)) for place, k in zip(places, bins, strict=True)]
                counts[(regions[y, x] - 1, *bins)] += np.prod(nearness)
    return counts


def add_looked_up(base, planes, table, axes):
    """Add what a table says, read by linear interpolation."""
    places = [bin_places(planes[..., i], axis) for i, axis in enumerate(axes)]
    return base + map_coordinates(table.astype(np.float64), places, order=1)


def multinomial_primal_dual(X, places, W, b, alpha, sample_weight=None):
    """P(W, b) of the multinomial log loss, and D at the probabilities of its scores, row by row."""
    n, c = len(X), np.ones(len(X)) if sample_weight is None else sample_weight
    loss, entropy, W_dual, imbalance = 0.0, 0.0, np.zeros_like(W), np.zeros(len(W))
    for x, place, weight in zip(X, places, c, strict=True):
        scores = W @ x + b
        p = np.exp(scores - np.logaddexp.reduce(scores))
        loss += weight * (np.logaddexp.reduce(scores) - scores[place])
        entropy += weight * entr(p).sum()
        residual = weight * (np.eye(len(W))[place] - p)
        W_dual += np.outer(residual, x) / (alpha * n)
        imbalance += residual
    primal = loss / n + alpha / 2 * (W**2).sum()
    return primal, entropy / n - alpha / 2 * (W_dual**2).sum(), imbalance / n
