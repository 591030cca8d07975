"""`explain`: why a cell got its label, as a table, JSON and a picture."""

from collections.abc import Iterator

import cv2
import numpy as np

from ...common.matplotlib_figures import figure
from ...common.printing import print_heading, print_line, print_table
from ..finding.findings import UNCLASSIFIED
from ..jobs.cell_explanation import CellExplanation
from .cell_drawing import color_of

ROW_INCHES = 0.32


def cell_explanation_record(found: CellExplanation) -> dict:
    """Return what `explain --json` prints."""
    return {
        "box": list(found.cell.box),
        "label": _label(found),
        "likeliest": found.label,
        "next": found.other,
        "probabilities": found.probabilities,
        "min_score": found.min_score,
        "reasons": [
            {"name": name, "value": value, "contribution": contribution, "means": means}
            for name, value, contribution, means in _reasons(found)
        ],
        "rest": found.rest,
    }


def print_cell_explanation(found: CellExplanation) -> None:
    """Print why a cell got its label."""
    print_line(f"{_label(found)}: {_shares(found)}")
    print_heading(f"For {found.label} (+) and for {found.other} (-)")
    rows = [
        (name, f"{contribution:+.2f}", *(f"{number:+.1f}" for number in (value, *means.values())))
        for name, value, contribution, means in _reasons(found)
    ]
    rows.append(("all others", f"{found.rest:+.2f}", ""))
    print_table(("measurement", "log-odds", "here", *found.means), rows)
    print_line("")
    print_line(
        "Values of this cell and means of the classes, in standard deviations from the mean of all cells."
    )


def plot_cell_explanation(found: CellExplanation, path: str) -> None:
    """Draw the cell, what each measurement adds, and where it lies among the classes."""
    places = np.arange(len(found.names))[::-1]  # the weightiest on top
    with figure(path, (11, 1.3 + ROW_INCHES * (len(places) + 1))) as sheet:
        left, middle, right = sheet.subplots(1, 3, width_ratios=(1.1, 1.5, 2))
        picture = cv2.imdecode(np.frombuffer(found.cell.thumbnail, np.uint8), cv2.IMREAD_COLOR)
        left.imshow(picture[..., ::-1], interpolation="bicubic")
        left.set_axis_off()
        left.set_title(f"{_label(found)}\n{_shares(found, between=chr(10))}", fontsize=9)
        colors = [color_of(found.label if each > 0 else found.other) for each in found.contributions]
        middle.barh(places, found.contributions, color=colors)
        middle.axvline(0, color="black", linewidth=0.8)
        middle.set_yticks(places, found.names, fontsize=8)
        middle.set_xlabel(f"adds to the log-odds of {found.label}\nagainst {found.other}", fontsize=8)
        for label, means in found.means.items():
            right.plot(means, places, "o", color=color_of(label), label=label, markersize=6)
        right.plot(found.values, places, "D", color="black", label="this cell")
        right.set_yticks(places, [])
        right.set_ylim(middle.get_ylim())
        right.grid(axis="y", linewidth=0.4)
        right.set_xlabel("standard deviations from the mean of all cells", fontsize=8)
        right.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, 1.14), ncols=3, frameon=False)
        for ax in (middle, right):
            ax.tick_params(axis="x", labelsize=8)


def _label(found: CellExplanation) -> str:
    return found.label if found.probabilities[found.label] >= found.min_score else UNCLASSIFIED


def _shares(found: CellExplanation, between: str = ", ") -> str:
    ranked = sorted(found.probabilities.items(), key=lambda pair: -pair[1])
    return between.join(f"{label} {share:.3f}" for label, share in ranked)


def _reasons(found: CellExplanation) -> Iterator[tuple[str, float, float, dict[str, float]]]:
    """Yield name, value, contribution and means of each measurement."""
    for k, name in enumerate(found.names):
        means = {label: row[k] for label, row in found.means.items()}
        yield name, found.values[k], found.contributions[k], means
