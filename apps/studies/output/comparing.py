"""A comparison of solvers, printed and drawn."""

import math
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict

from ...common.figures import figure
from ...common.files import replace_file
from ...common.output import print_heading, print_line, print_table
from ..frame.comparing import NEAR, Summary
from .folder import table_bytes

PICTURES = {"excess": "seconds", "gap": "visits", "error": "seconds"}
SIZE = (7.0, 4.5)  # inches


def write_comparison(folder: str, comparison, found: Sequence[Summary]) -> list[str]:
    """Write runs.csv, solvers.csv and pictures into a folder; return the files' names."""
    comparison.to_csv(os.path.join(folder, "runs.csv"))
    columns = ("solver", "visits", "steps", "seconds", "near", "gap")
    ends = ("mean", "low", "high")
    header = [*columns, *(f"{name}_{end}" for name in ("objective", "error") for end in ends)]
    rows = [
        [*(getattr(one, name) for name in columns), *one.objective, *(one.error or ("", "", ""))]
        for one in found
    ]
    replace_file(os.path.join(folder, "solvers.csv"), table_bytes(header, rows))
    written = ["runs.csv", "solvers.csv"]
    for y, x in PICTURES.items():
        path = os.path.join(folder, f"{y}.png")
        if all(getattr(one, y, "") is None for one in found):
            with suppress(FileNotFoundError):
                os.unlink(path)
            continue
        with figure(path, SIZE) as sheet:
            comparison.plot(x, y, sheet.subplots())
        written.append(f"{y}.png")
    return written


def record_of(comparison, found: Sequence[Summary]) -> dict:
    """Return what is found as one JSON object; what there is none of is null."""
    optimum = {label: value for label, value in comparison.optimum.items() if math.isfinite(value)}
    return {"optimum": optimum, "near": NEAR, "solvers": [asdict(one) for one in found]}


def print_comparison(title: str, lines: Sequence[str], found: Sequence[Summary]) -> None:
    """Print a line for each solver, intervals in brackets."""
    print_heading(title, *lines)
    header = (
        "solver",
        "rows visited",
        "steps",
        "CPU s",
        f"s to {NEAR:.0%}",
        "objective",
        "gap",
        "test error",
    )
    rows = [
        (
            one.solver,
            f"{one.visits:,}",
            f"{one.steps:,}",
            f"{one.seconds:.3g}",
            "never" if one.near is None else f"{one.near:.3g}",
            _with_interval(one.objective),
            "-" if one.gap is None else f"{one.gap:.2e}",
            "-" if one.error is None else _with_interval(one.error),
        )
        for one in found
    ]
    print_table(header, rows)
    print_line("")
    print_line("[ ]: 95 % interval of the mean over the runs. CPU s: updates alone.")


def _with_interval(numbers: tuple[float, float, float]) -> str:
    mean, low, high = numbers
    half = (high - low) / 2
    varies = math.isfinite(half) and half > 1e-9 * abs(mean)
    digits = min(9, max(1, 1 - math.floor(math.log10(half)))) if varies else 4
    return f"{mean:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"
