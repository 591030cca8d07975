"""SDCA on a part of the rows of a problem whose other rows lie elsewhere: CoCoA+'s local problem."""

import math
import sys
from typing import NamedTuple

import numpy as np

from . import _sdca  # type: ignore[attr-defined]  # compiled
from ._rows import dual_sum, sums_by_sign
from ._sdca_solver import SDCASolver


class Move(NamedTuple):
    """What a part's epochs have done, besides the change of its w(b).

    Attributes
    ----------
    sums : (float, float), sum_i b_i over the rows of sign +1 and of sign -1
    passes : float, over the part's rows
    gap, loss, dual_margins : float
        Sums of the last epoch that was completed, each row's as it was met; infinite gap before there is one.
    """

    sums: tuple
    passes: float
    gap: float
    loss: float
    dual_margins: float


class Measured(NamedTuple):
    """A part's summands of the certificate at (w, intercept), the dual variables balanced.

    Attributes
    ----------
    loss : float, sum_i c_i phi(m_i)
    terms : float, sum_i c_i psi(b_i / c_i)
    inner : float, w times what the part's w(b) is more than the driver's share of it
    rest : float, the length of that
    """

    loss: float
    terms: float
    inner: float
    rest: float


class PartSolver(SDCASolver):
    """The epochs of one part.

    From w = w(b) of all parts, a change d of the part's b is worth, at least::

        1/n sum_i c_i psi((b_i + d_i) / c_i) - alpha w.u - alpha damping/2 ||u||^2,    u = w(d)

    so that the changes of K parts can be added for damping = K (sigma' in the paper), whatever the rows. With
    v = w + damping u its coordinate steps are those of SDCA at v, for a problem in which damping / (alpha n)
    is 1 / (alpha n): the kernel is the same.

    Parameters
    ----------
    problem : Problem, the part's rows
    n : int, rows of all parts
    loss, alpha, random : as in `SDCASolver`
    damping : float >= 1
    column : float, the `bias_rate` of the whole problem; 0 for no intercept
    dual : array, default=None, where to start from

    Attributes
    ----------
    share : ndarray, the part's w(b)
    sent : ndarray, the driver's version of it
    completed : int, epochs

    References
    ----------
    Ma, Smith, Jaggi, Jordan, Richtarik & Takac, Adding vs. averaging in distributed primal-dual
    optimization, ICML 2015, eq. 9.
    """

    def __init__(self, problem, *, n, loss, alpha, damping, column, random, dual=None):
        self.column, self.damping = column * damping, damping
        self.share_alpha = alpha * n / problem.n  # at which the problem's own 1 / (alpha n) is that of all
        super().__init__(
            problem,
            loss=loss,
            alpha=self.share_alpha / damping,
            fit_intercept=column > 0,
            max_iter=sys.maxsize,
            order="permutation",
            averaging="last",
            sgd_init=False,
            random=random,
            start=None if dual is None else (dual, 0.0, np.zeros(problem.rows.n_columns)),
        )
        self.share = problem.primal_from_dual(self.dual, self.share_alpha)
        self.sent = np.zeros_like(self.share)
        self.queue, self.completed = self.order[:0], 0
        self.last = math.inf, 0.0, 0.0

    def _bias_rate(self, mean_square):
        return self.column

    def advance(self, w, bias, passes):
        """Make a part of a pass, not beyond its end; the Move.

        Parameters
        ----------
        w : array, bias : float, the point that all parts start this round from
        passes : float, at most 1
        """
        self.w[:], self.state.bias = w, bias
        if not len(self.queue):
            self._begin_pass()
        count = min(len(self.queue), math.ceil(passes * len(self.order)))
        self._visit(count)
        made = count / max(len(self.order), 1)
        self.share += (self.w - w) / self.damping
        return Move(sums_by_sign(self.problem.signs, self.dual), made, *self.last)

    def _visit(self, count):
        """Visit the next rows of a pass."""
        for rows in self.slices(self.queue[:count]):
            _sdca.run_epoch(*self.problem.data, rows, self.state)
        self.queue = self.queue[count:]
        if not len(self.queue):
            self.completed += 1
            self.done = self.completed
            self.last = self.state.gap, self.state.loss_sum, self.state.dual_margins

    def _begin_pass(self):
        if self.shrinking and self.completed:
            self._shrink()
        self.state.begin()
        self.queue = self.next_order()

    def measure_share(self, w, bias, factors):
        """The part's summands of the certificate, and which of its rows need no visits for now."""
        p = self.problem
        self.state.bias = self.anchor = bias
        self.looking = True
        loss = self._mean_loss(w, bias) * p.n
        if self.shrinking:
            self._take_all()
            self._leave_out()
        self.queue = self.order[:0]
        exact = p.primal_from_dual(self.dual, self.share_alpha, factors)
        exact -= self.sent
        terms = dual_sum(p.signs, self.dual, p.weights, self.loss.struct, *factors)
        return Measured(loss, terms, float(w @ exact), float(np.linalg.norm(exact)))
