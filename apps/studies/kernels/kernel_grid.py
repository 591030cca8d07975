"""What is tried: kernels, numbers of steps and strengths of the document; less where time is short."""

from dataclasses import dataclass

POLYNOMIALS = {
    f"degree {n}": {"kernel": "poly", "gamma": 1.0, "coef0": 1.0, "degree": n} for n in (2, 3, 4, 7)
}
GAUSSIANS = {f"gamma {g:g}": {"kernel": "rbf", "gamma": 1 / (2 * g)} for g in (0.25, 0.75, 2.0)}
KERNELS = POLYNOMIALS | GAUSSIANS
LAMBDAS = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)
GRID_STEPS = (1000, 5000, 10_000, 25_000, 50_000)
FOLDS = 5

# What the document leaves to further research: lower lambda, higher gamma.
WIDER = {f"gamma {g:g}": {"kernel": "rbf", "gamma": 1 / (2 * g)} for g in (2.0, 4.0, 8.0, 16.0)}
WIDER_LAMBDAS = (1e-8, 1e-7, 1e-6, 1e-5)

USPS_SHAPE = 9298, 256
MEMORY_ROWS = 300  # that are measured; memory grows with their square

# The comparison of implementations.
RACE_ROWS, RACE_G, RACE_ALPHA = 1000, 2.0, 1e-4

Cell = tuple[str, int, float]  # kernel, T and lambda

# The document's best.
BEST_POLYNOMIAL: Cell = ("degree 3", 50_000, 1.0)
BEST_GAUSSIAN: Cell = ("gamma 2", 25_000, 1e-5)


@dataclass(frozen=True)
class Size:
    """How much is done.

    Attributes
    ----------
    steps : tuple of int
        Values of T, increasing.
    rows : int or None
        At most so many digits; None: all.
    plane_rows, plane_steps : int
        Digits that t-SNE gets, and its iterations.
    race_steps : tuple of int
        Values of T for the comparison of implementations, increasing.
    repeats : int
        How often each implementation is timed.
    """

    steps: tuple[int, ...] = GRID_STEPS
    rows: int | None = None
    plane_rows: int = 4000
    plane_steps: int = 500
    race_steps: tuple[int, ...] = (10, 25, 50, 100, 250, 500, 1000)
    repeats: int = 3


WHOLE = Size()
QUICK = Size(steps=GRID_STEPS[:3], rows=2000, plane_rows=500, plane_steps=300, race_steps=(10, 25, 50, 100))
