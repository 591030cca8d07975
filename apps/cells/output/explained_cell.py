"""`explain`: why a cell got its label, as a table, JSON and a picture."""

from collections.abc import Sequence

import cv2
import numpy as np

from ...common.matplotlib_figures import figure
from ...common.printing import print_heading, print_line, print_table
from ..finding.findings import UNCLASSIFIED
from ..jobs.cell_explanation import CellExplanation
from .cell_drawing import color_of

ROW = 0.32  # inches


def cell_explanation_record(found: CellExplanation) -> dict:
    """Return what `explain --json` prints."""
    return {
        "box": list(found.cell.box),
        "label": _label(found),
        "likeliest": found.label,
        "next": found.other,
        "probabilities": found.probabilities,
        "min_score": found.min_score,
        "reasons": [reason._asdict() for reason in found.reasons],
        "rest": found.rest,
    }


def print_cell_explanation(found: CellExplanation) -> None:
    """Print why a cell got its label."""
    print_line(f"{_label(found)}: {_shares(found)}")
    print_heading(f"For {found.label} (+) and for {found.other} (-)")
    classes = list(found.reasons[0].means)
    rows = [
        (reason.name, f"{reason.contribution:+.2f}", *_values([reason.value, *reason.means.values()]))
        for reason in found.reasons
    ]
    print_table(
        ("measurement", "log-odds", "here", *classes), [*rows, ("all others", f"{found.rest:+.2f}", "")]
    )
    print_line("")
    print_line(
        "Values of this cell and means of the classes, in standard deviations from the mean of all cells."
    )


def plot_cell_explanation(found: CellExplanation, path: str) -> None:
    """Draw the cell, what each measurement adds, and where it lies among the classes."""
    reasons = found.reasons[::-1]
    places = np.arange(len(reasons))
    with figure(path, (11, 1.3 + ROW * (len(reasons) + 1))) as sheet:
        left, middle, right = sheet.subplots(1, 3, width_ratios=(1.1, 1.5, 2))
        picture = cv2.imdecode(np.frombuffer(found.cell.thumbnail, np.uint8), cv2.IMREAD_COLOR)
        left.imshow(picture[..., ::-1], interpolation="bicubic")
        left.set_axis_off()
        left.set_title(f"{_label(found)}\n{_shares(found, between=chr(10))}", fontsize=9)
        colors = [color_of(found.label if each.contribution > 0 else found.other) for each in reasons]
        middle.barh(places, [each.contribution for each in reasons], color=colors)
        middle.axvline(0, color="black", linewidth=0.8)
        middle.set_yticks(places, [each.name for each in reasons], fontsize=8)
        middle.set_xlabel(f"adds to the log-odds of {found.label}\nagainst {found.other}", fontsize=8)
        for label in reasons[0].means:
            means = [each.means[label] for each in reasons]
            right.plot(means, places, "o", color=color_of(label), label=label, markersize=6)
        right.plot([each.value for each in reasons], places, "D", color="black", label="this cell")
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


def _values(values: Sequence[float]) -> list[str]:
    return [f"{value:+.1f}" for value in values]
