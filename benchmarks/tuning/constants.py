"""The constants, by solver: where each stands, and what to try instead."""

import importlib
from typing import NamedTuple
from unittest.mock import patch


class Constant(NamedTuple):
    """A number at the top of a module of `fastsvm.solvers`."""

    module: str
    name: str
    others: tuple = ()
    """Values to try; a quarter and four times its own by default."""

    @property
    def value(self):
        """What it is."""
        return getattr(self._module, self.name)

    def alternatives(self):
        """The values to try."""
        return self.others or tuple(type(self.value)(self.value * factor) for factor in (0.25, 4))

    def set_to(self, value):
        """A context in which it has this value."""
        return patch.object(self._module, self.name, value)

    @property
    def _module(self):
        return importlib.import_module(f"fastsvm.solvers.{self.module}")


def of(module, *names, **others):
    """Constants of a module, some with values of their own."""
    return [
        *(Constant(module, name) for name in names),
        *(Constant(module, *item) for item in others.items()),
    ]


CONSTANTS = {
    "newton": of(
        "newton_solver",
        *("SAMPLE_ROWS", "SAMPLE_GAP", "SAMPLE_RIDGE"),
        *("ACTIVE_WIDTH", "ACTIVE_BENDS", "LARGEST_PENALTY"),
        *("MULTIPLIER_SHARE", "MOST_STEPS", "GRAM_ROWS", "SHORT_ROW", "SMOOTH_RATIO"),
        SAMPLE_RATIO=(2, 16),
        STALE=(0.0, 0.3),
        ACTIVE_GAP=(0.125, 0.9),
        LINE_SLOPE=(0.075, 0.9),
        PENALTY_GROWTH=(2, 16),
    ),
    "certify": of("newton_solver", NEXT_GAP=(1e-4, 1e-2, 0.1, 0.0)),
    "auto": of(
        "make_solver",
        *("FEW_COLUMNS", "VERY_FEW_COLUMNS", "STEEP", "TIGHT_TOL"),
        *("STEEP_IF_MANY", "STEEP_IF_TIGHT", "MANY_SHORT_ROWS", "MANY_LONG_ROWS"),
    ),
    "sdca": [
        *of(
            "sdca_solver",
            *("REVISIT_EPOCHS", "PACE_EPOCHS", "CG_PAYS_EPOCHS"),
            *("INTERCEPT_SQUARE", "INTERCEPT_BENDS", "LOST_DIGITS"),
            *("START_STEEPNESS", "START_AHEAD", "START_AGAIN"),
            *("SPARE_GAP", "SAMPLE_STEP", "LEAST_SAMPLE", "FIRST_PROGRESS", "FLAT_PROGRESS"),
            FREE_SHARE=(0.225, 1.0),
        ),
        *of("_sdca", "SHRINK_SLOPE", "NEAR_GAP", "MOMENTUM", "MOST_MOMENTUM"),
        *of("_dual_moves", "MOST_STEPS", "LEAST_RESIDUAL"),
    ],
    "rare": of("_sdca", SLOW_BALANCE=(0.25, 0.8), LONGER_STEPS=(1, 2, 16)),
    "kernel": [
        *of(
            "kernel.sdca_solver",
            FIRST_SHARE=(0.15, 0.5, 1.0),
            LEAST_ROWS=(1, 1024),
            FIRST_ROWS=(1024, 4096),
            MOST_ROWS=(1024, 2048),
            SMALL_TERM=(0.0, 0.3),
            MOST_EPOCHS=(10, 40),
            ROUND_GAP=(0.0, 0.12),
            WHOLE_ROWS=(1, 8),
        ),
        *of("kernel._free_set", "CUBED"),
        *of("kernel._gram", COMPLETE_SHARE=(0.3, 1.0)),
    ],
}
