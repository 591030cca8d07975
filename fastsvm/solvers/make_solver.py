"""The solver of a binary problem that parameters ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .params import ASDCAParams, PegasosParams, PerceptronParams, SDCAParams

if TYPE_CHECKING:
    from ._problem import Problem
    from ._solver import Solver

LinearParams = SDCAParams | PegasosParams | PerceptronParams | ASDCAParams


def make_solver(params: LinearParams, problem: Problem, random: Any, start: Any = None) -> Solver:
    """Return a new solver; only what it needs is imported.

    Parameters
    ----------
    params : SDCAParams, PegasosParams, PerceptronParams or ASDCAParams
    problem : Problem
    random : random generator's state, or a function that makes it
    start : default=None
        For SDCA a tuple, as in `sdca`; perhaps with w(b), or for Newton's method with a better w, and how far
        its margins are off. For Pegasos and the perceptron a `Start`.
    """
    if isinstance(params, SDCAParams):
        from .sdca_or_newton import make_sdca_solver

        return make_sdca_solver(problem, params, random, start)
    if isinstance(params, PegasosParams):
        from .pegasos_solver import PegasosSolver

        return PegasosSolver(problem, params, random, start)
    if isinstance(params, PerceptronParams):
        from .perceptron_solver import PerceptronSolver

        return PerceptronSolver(problem, params, random, start)
    from .asdca_solver import ASDCASolver

    return ASDCASolver(problem, params, random)
