"""`explain`: why a cell got its label, as sections, JSON and a picture."""

import cv2
import numpy as np

from ...common.matplotlib_figures import figure
from ...common.printing import fields
from ...common.sections import Section, Table
from ..jobs.cell_explanation import CellExplanation
from .cell_drawing import color_of

ROW_INCHES = 0.32


def explanation_record(found: CellExplanation) -> dict:
    """Return what `explain --json` prints."""
    names = "label", "likeliest", "next", "probabilities", "min_score", "reasons", "rest"
    return {"box": list(found.cell.box), **fields(found, *names)}


def explanation_sections(found: CellExplanation) -> list[Section]:
    """Return why a cell got its label."""
    columns = ["measurement", "log-odds", "here", *found.reasons[0]["means"]]
    rows = []
    for each in found.reasons:
        values = (f"{number:+.1f}" for number in (each["value"], *each["means"].values()))
        rows.append((each["name"], f"{each['contribution']:+.2f}", *values))
    rows.append(("all others", f"{found.rest:+.2f}", *[""] * (len(columns) - 2)))
    about = "Values of this cell and means of the classes, in standard deviations from the mean of all cells."
    label = Section(lines=[f"{found.label}: {_shares(found, ', ')}"])
    title = f"For {found.likeliest} (+) and for {found.next} (-)"
    return [label, Section(title=title, lines=[about], tables=[Table(columns, rows)])]


def plot_cell_explanation(found: CellExplanation, path: str) -> None:
    """Draw the cell, what each measurement adds, and where it lies among the classes."""
    names, values, contributions = (
        [each[what] for each in found.reasons] for what in ("name", "value", "contribution")
    )
    names, contributions = [*names, "all others"], [*contributions, found.rest]
    places = np.arange(len(names))[::-1]  # the largest effect on top
    with figure(path, (11, 1.3 + ROW_INCHES * (len(places) + 1))) as sheet:
        left, middle, right = sheet.subplots(1, 3, width_ratios=(1.1, 1.5, 2))
        picture = cv2.imdecode(np.frombuffer(found.cell.thumbnail, np.uint8), cv2.IMREAD_COLOR)
        left.imshow(picture[..., ::-1], interpolation="bicubic")
        left.set_axis_off()
        left.set_title(f"{found.label}\n{_shares(found, chr(10))}", fontsize=9)
        colors = [color_of(found.likeliest if each > 0 else found.next) for each in contributions]
        middle.barh(places, contributions, color=colors)
        middle.axvline(0, color="black", linewidth=0.8)
        middle.set_yticks(places, names, fontsize=8)
        middle.set_xlabel(f"adds to the log-odds of {found.likeliest}\nagainst {found.next}", fontsize=8)
        for label in found.reasons[0]["means"]:
            means = [each["means"][label] for each in found.reasons]
            right.plot(means, places[:-1], "o", color=color_of(label), label=label, markersize=6)
        right.plot(values, places[:-1], "D", color="black", label="this cell")
        right.set_yticks(places, [])
        right.set_ylim(middle.get_ylim())
        right.grid(axis="y", linewidth=0.4)
        right.set_xlabel("standard deviations from the mean of all cells", fontsize=8)
        right.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, 1.14), ncols=3, frameon=False)
        for ax in (middle, right):
            ax.tick_params(axis="x", labelsize=8)


def _shares(found: CellExplanation, between: str) -> str:
    return between.join(f"{label} {share:.3f}" for label, share in found.probabilities.items())
