"""Figures in the docs that the code knows."""

import math
import re
from pathlib import Path

import pytest

from fastsvm.solvers import _choose, _polish
from fastsvm.solvers import newton_solver as newton
from fastsvm.solvers import sdca_solver as sdca
from fastsvm.solvers.kernel import _gram
from fastsvm.solvers.kernel import sdca_solver as kernel_sdca

DOCS = Path(__file__).parents[2] / "docs"
WORDS = {
    0.05: "a twentieth",
    0.1: "a tenth",
    0.125: "an eighth",
    0.25: "a quarter",
    0.5: "half",
    0.9: "nine tenths",
}
SENTENCES = {
    "kernel.md": [
        f"computed once {WORDS[_gram.COMPLETE_SHARE]} of its rows have been wanted",
        f"those with b_i > 0, up to {kernel_sdca.MOST_ROWS:,} of them",
        f"until the gap within it is {100 * kernel_sdca.ROUND_GAP:.0f} % of the whole",
        f"or {WORDS[kernel_sdca.LAST_GAP]} of what `tol` allows, at most {kernel_sdca.MOST_EPOCHS}.",
        f"The first set is {kernel_sdca.FIRST_ROWS:,} rows at random",
        f"Every {kernel_sdca.CG_EPOCHS} epochs over one set",
        f"by up to {_polish.MOST_STEPS} steps of conjugate gradients",
    ],
    "solvers.md": [
        f"is {WORDS[sdca.INTERCEPT_SQUARE]} of the mean ||x_i||^2",
        f"but no less than {sdca.INTERCEPT_BENDS} alpha",
        f"by more than {WORDS[sdca.SHRINK_SLOPE]} of the largest slope that moved any row",
        "after {} epochs, {}, {} and so on".format(*(sdca.REVISIT_EPOCHS * k for k in (1, 2, 4))),
        f"Every {sdca.PACE_EPOCHS} epochs the pace of the gap tells how many are left",
        f"if more than {sdca.CG_PAYS_EPOCHS} and {WORDS[sdca.FREE_SHARE]} of the rows visited are inside",
        f"inside their box, {_polish.MOST_STEPS} steps of conjugate gradients",
        f"after {sdca.EXACT_EPOCHS:,} epochs",
        f"{newton.SAMPLE_ROWS} rows for each column, then {newton.SAMPLE_RATIO} times as many and so on",
        f"for d <= {_choose.FEW_COLUMNS} and d <= n where d <= {_choose.VERY_FEW_COLUMNS}",
        f"> {_choose.STEEP}, or tol < 1e-{-math.log10(_choose.TIGHT_TOL):.0f};",
    ],
}


@pytest.mark.parametrize(("name", "sentence"), [(k, s) for k, found in SENTENCES.items() for s in found])
def test_figures_are_those_of_the_code(name, sentence):
    text = re.sub(r"\s+", " ", (DOCS / name).read_text(encoding="utf-8"))
    assert sentence in text


def test_the_docstrings_too():
    doc = re.sub(r"\s+", " ", _choose.sdca.__doc__)
    assert f"for up to {_choose.FEW_COLUMNS} columns" in doc
    assert f"more than {_choose.MOST_COLUMNS:,} columns" in re.sub(r"\s+", " ", _choose.make_solver.__doc__)
