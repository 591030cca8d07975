"""Solvers on a part of the rows of a problem whose other rows lie elsewhere."""

import math
import sys
from typing import NamedTuple

import numpy as np

from . import _pegasos, _sdca  # type: ignore[attr-defined]  # compiled
from ._rows import dual_sum, sums_by_sign
from .pegasos_solver import PegasosSolver
from .sdca_solver import SDCASolver


class Move(NamedTuple):
    """What a part's steps have done, besides the change of its w.

    Attributes
    ----------
    passes : float, over the part's rows
    sums : (float, float), sum_i b_i over the rows of sign +1 and of sign -1
    gap, loss, dual_margins : float
        Sums of the last epoch that was completed, each row's as it was met; infinite gap before there is one.
    """

    passes: float
    sums: tuple
    gap: float
    loss: float
    dual_margins: float


class Step(NamedTuple):
    """What Pegasos on a part has done in a round, besides the change of its w.

    Attributes
    ----------
    passes : float, over the part's rows
    bias : float, the change of the intercept
    """

    passes: float
    bias: float


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


class Turns:
    """A pass over a part's rows, made in several turns: what the parts' solvers share.

    Attributes
    ----------
    share : ndarray, what the part has made of w; the driver is sent its changes
    sent : ndarray, the driver's version of it
    """

    queue = np.empty(0, np.int32)
    """The rows that are left of the pass."""

    def next_rows(self, passes):
        """Take the rows of a turn: so much of a pass, in whole batches, not beyond its end."""
        if not len(self.queue):
            self._begin_pass()
        count = math.ceil(passes * len(self.order) / self.batch_size) * self.batch_size
        rows, self.queue = self.queue[:count], self.queue[count:]
        return rows

    def _begin_pass(self):
        self.queue = self.next_order()


class SDCAPart(Turns, SDCASolver):
    """SDCA on one part: CoCoA+'s local problem.

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
    completed : int, epochs

    References
    ----------
    Ma, Smith, Jaggi, Jordan, Richtarik & Takac, Adding vs. averaging in distributed primal-dual
    optimization, ICML 2015, eq. 9.
    """

    knows_sides = False  # the driver's w is that of all parts

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
        self.completed = 0
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
        turn = self.next_rows(passes)
        for rows in self.slices(turn):
            _sdca.run_epoch(*self.problem.data, rows, self.state)
        if not len(self.queue):
            self.completed += 1
            self.done = self.completed
            self.last = self.state.gap, self.state.loss_sum, self.state.dual_margins
        self.share += (self.w - w) / self.damping
        made = len(turn) / max(len(self.order), 1)
        return Move(made, self.sums(), *self.last)

    def sums(self):
        """sum_i b_i over the rows of sign +1, and of sign -1."""
        return sums_by_sign(self.problem.signs, self.dual)

    def _begin_pass(self):
        if self.shrinking and self.completed:
            self._shrink()
        self.state.begin()
        super()._begin_pass()

    def measure_share(self, w, bias, factors, exact):
        """The part's summands of the certificate, and which of its rows need no visits for now.

        `exact`: w(b) is summed anew, without what rounding has left in `share`. That takes a pass.
        """
        p = self.problem
        self.state.bias = self.anchor = bias
        self.looking = True
        loss = self._mean_loss(w, bias) * p.n
        if self.shrinking:
            self._take_all()
            self._leave_out()
        self.queue = Turns.queue
        if exact:
            share = p.primal_from_dual(self.dual, self.share_alpha, factors)
            terms = dual_sum(p.signs, self.dual, p.weights, self.loss.struct, *factors)
        else:
            taken = p.excess(self.dual, factors)
            share = self.share - p.primal_from_dual(taken, self.share_alpha)
            terms = dual_sum(p.signs, self.dual - taken, p.weights, self.loss.struct)
        news = share - self.sent
        return Measured(loss, terms, float(w @ news), float(np.linalg.norm(news)))


class PegasosPart(Turns, PegasosSolver):
    """Pegasos on one part: steps on its own rows, from a w that is that of all parts.

    A row's dual variable is the mean of its slopes since this part began, which is feasible whatever the
    other parts do; w(b) of all parts is the average of their iterates, if none had to begin again.

    Parameters
    ----------
    problem : Problem, the part's rows
    loss, alpha, fit_intercept, batch_size, random : as in `PegasosSolver`
    passes : float, default=0
        That the other parts have made: steps are as short as theirs.

    Attributes
    ----------
    share : ndarray, the sum of the changes of w

    References
    ----------
    Shalev-Shwartz, Singer, Srebro & Cotter, Math. Program. 127 (2011). Stich, Local SGD converges fast and
    communicates little, ICLR 2019.
    """

    dual = None
    """There is none to start another problem from."""

    def __init__(self, problem, *, loss, alpha, fit_intercept, batch_size, random, passes=0.0):
        super().__init__(
            problem,
            loss=loss,
            alpha=alpha,
            fit_intercept=fit_intercept,
            max_iter=1,
            batch_size=batch_size,
            order="permutation",
            project=False,
            averaging="last",
            random=random,
        )
        self.began = self.state.t = round(passes * -(-problem.n // self.batch_size))
        self.share, self.sent = np.zeros((2, problem.rows.n_columns))

    def advance(self, w, bias, passes):
        """Make a part of a pass, not beyond its end; the Step.

        Parameters
        ----------
        w : array, bias : float, the point that all parts start this round from
        passes : float, at most 1
        """
        state = self.state
        self.scaled_dual *= state.scale
        self.v[:], state.scale, state.bias = w, 1.0, bias
        turn = self.next_rows(passes)
        for rows in self.slices(turn, multiple=self.batch_size):
            _pegasos.run_epoch(*self.problem.data, rows, state)
        self.share += state.scale * self.v - w
        return Step(len(turn) / self.problem.n, state.bias - bias)

    def feasible_dual(self):
        """The dual variables b, feasible but for the intercept."""
        steps = self.state.t - self.began
        dual = self.scaled_dual * (self.alpha * self.problem.n * self.state.scale)
        if steps:
            dual *= self.state.t / steps
        self.problem.clip_dual(dual, self.loss)
        return dual

    def sums(self):
        """sum_i b_i over the rows of sign +1, and of sign -1."""
        return sums_by_sign(self.problem.signs, self.feasible_dual())

    def measure_share(self, w, bias, factors):
        """The part's sum of losses at (w, bias), that of its dual terms, and sum_i b_i y_i x_i."""
        p, dual = self.problem, self.feasible_dual()
        loss = p.mean_loss(w, bias, self.loss) * p.n
        terms = dual_sum(p.signs, dual, p.weights, self.loss.struct, *factors)
        return loss, terms, p.primal_from_dual(dual, 1 / p.n, factors)
