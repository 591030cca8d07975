"""Types of arguments, used only by type checkers, because importing them is slow."""

from collections.abc import Callable, Iterable
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

__all__ = ["ArrayLike", "ArrayOrSparse", "Callable", "ClassWeight", "EstimatorSeed", "Iterable", "Seed"]

ArrayOrSparse: TypeAlias = ArrayLike | sparse.sparray | sparse.spmatrix
Seed: TypeAlias = int | np.random.Generator | None
EstimatorSeed: TypeAlias = int | np.random.RandomState | None
ClassWeight: TypeAlias = dict | str | None
