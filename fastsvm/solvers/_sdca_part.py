"""SDCA on one part of the rows of a problem; the other rows are elsewhere."""

import math
from dataclasses import replace

import numpy as np

from . import _sdca  # type: ignore[attr-defined]  # compiled
from ._rows import dual_sum, sums_by_sign
from .sdca_solver import SDCASolver


class SDCAPart(SDCASolver):
    """SDCA on one part of the rows: CoCoA+'s local problem.

    At w = w(b) of all parts, a change d of the part's b raises the dual by at least the increase of::

        1/n sum_i c_i psi((b_i + d_i) / c_i) - alpha w.u - alpha damping/2 ||u||^2,    u = w(d)

    With damping = K (sigma' in the paper), the changes of K parts can therefore be added, for any rows. With
    v = w + damping u, the coordinate steps are SDCA steps at v, with damping / (alpha n) in place of
    1 / (alpha n), so the kernel is the same.

    Parameters
    ----------
    problem : Problem, the part's rows
    params : SDCAParams, of the whole problem
    n : int, the number of rows of all parts
    damping : float >= 1
    intercept_step : float, the `intercept_step` of the whole problem; 0 for no intercept
    random : as in `SDCASolver`
    dual : array, default=None, the dual variables to start from

    Attributes
    ----------
    share : ndarray, the part's w(b)
    sent : ndarray, the driver's copy of `share`
    completed : int, the number of complete epochs

    References
    ----------
    Ma, Smith, Jaggi, Jordan, Richtarik & Takac, Adding vs. averaging in distributed primal-dual
    optimization, ICML 2015, eq. 9.
    """

    has_default_start = keeps_w_by_sign = False  # the driver's w belongs to all parts

    def __init__(self, problem, params, n, damping, intercept_step, random, dual=None):
        self.damped_step, self.damping = intercept_step * damping, damping
        self.share_alpha = params.alpha * n / problem.n  # so that both have the same 1 / (alpha n)
        params = replace(params, alpha=self.share_alpha / damping)
        start = None if dual is None else (dual, 0.0, np.zeros(problem.rows.n_columns))
        super().__init__(problem, params, random, start)
        self.share = problem.primal_from_dual(self.dual, self.share_alpha)
        self.sent = np.zeros_like(self.share)
        self.queue = np.empty(0, np.int32)  # the rows left in this pass
        self.completed = 0
        self.last_pass = math.inf, 0.0, 0.0

    def _intercept_step(self, mean_square):
        return self.damped_step

    def advance(self, w, intercept, passes):
        """Visit a fraction of the rows, at most to the end of the pass.

        Parameters
        ----------
        w : array, intercept : float, the starting point of all parts in this round
        passes : float, the fraction, at most 1

        Returns
        -------
        (gap, loss, dual_margins)
            Sums over the last complete epoch, each row as visited. Before the first, the gap is infinite.
        """
        self.w[:], self.state.intercept = w, intercept
        if not len(self.queue):
            self._begin_pass()
        count = math.ceil(passes * len(self.order.rows))
        visits, self.queue = self.queue[:count], self.queue[count:]
        for rows in self.slices(visits):
            _sdca.run_epoch(*self.problem.data, rows, self.state)
        if not len(self.queue):
            self.completed += 1
            self.done = self.completed
            self.last_pass = self.state.gap, self.state.loss_sum, self.state.dual_margins
        self.share += (self.w - w) / self.damping
        return self.last_pass

    def _begin_pass(self):
        if self.shrinking and self.completed:
            self._shrink()
        self.state.begin()
        self.queue = self.next_order()

    def sums(self):
        """Return sum_i b_i over the rows of sign +1, and of sign -1."""
        return sums_by_sign(self.problem.signs, self.dual)

    def certificate_terms(self, w, intercept, factors, exact):
        """Return the part's terms of the certificate, and choose the rows that need no visits for now.

        Parameters
        ----------
        w, intercept : as in `advance`
        factors : (float, float), which balance the dual variables
        exact : bool
            Compute w(b) anew in an extra pass, without the rounding errors in `share`.

        Returns
        -------
        (float, float, float, float)
            sum_i c_i phi(m_i); sum_i c_i psi(b_i / c_i); w.(w(b) of the part - the driver's copy of it); and
            the norm of that difference.
        """
        p = self.problem
        self.state.intercept = self.state.screening_intercept = intercept
        self.likely_last = True
        loss = self._mean_loss(w, intercept) * p.n
        if self.shrinking:
            self._visit_all()
            self.order.leave_out(self.dropped)
        self.queue = np.empty(0, np.int32)
        if exact:
            share = p.primal_from_dual(self.dual, self.share_alpha, factors)
            terms = dual_sum(p.signs, self.dual, p.weights, self.loss.struct, *factors)
        else:
            taken = p.taken_from_few_rows(self.dual, factors)
            share = self.share - p.primal_from_dual(taken, self.share_alpha)
            terms = dual_sum(p.signs, self.dual - taken, p.weights, self.loss.struct)
        unsent = share - self.sent
        return loss, terms, float(w @ unsent), float(np.linalg.norm(unsent))
