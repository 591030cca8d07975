"""What `adapt` prints."""

from ...common.printing import certificate_line, fields, print_heading, print_line, print_table, print_times
from ..finding.image_scale import scale_record
from ..jobs.cell_adaptation import CellAdaptation
from .cell_training_tables import print_cell_calibration

# Labelled cells a class from which on `train` on these alone does as well: with 10 its error was 0.100 on the
# rest of a laboratory, that of `adapt` 0.092; with 20 it was 0.073 and 0.082.
ENOUGH = 20


def cell_adaptation_record(result: CellAdaptation, seconds: dict[str, float]) -> dict:
    """Return what `adapt --json` prints."""
    return {
        **fields(
            result, "model", "adapted", "label_counts", "unseen", "error_before", "error", "relative_gap"
        ),
        "learned": result.learned,
        "calibration": result.calibration.record,
        "cell_width": scale_record(result.scale),
        "skipped": result.skipped.count,
        "seconds": seconds,
    }


def print_cell_adaptation(result: CellAdaptation, seconds: dict[str, float]) -> None:
    """Print what `adapt` did."""
    counts = result.label_counts
    print_line(f"{result.adapted}, adapted by {sum(counts.values()):,} labelled cells")
    print_heading("Labels")
    print_table(("label", "cells"), [(label, f"{n:,}") for label, n in counts.items()])
    if result.unseen:
        print_line(f"no cells of {', '.join(result.unseen)}: most of these will be missed")
    if sum(counts.values()) >= ENOUGH * len(counts):
        print_line("enough for `train`: a model of these cells alone does as well")
    print_heading("Error on these cells", f"{100 * result.error_before:.1f} % by the model as it was")
    print_line(f"{100 * result.error:.1f} % after adaptation, each by a model that has not seen it")
    print_cell_calibration(result.calibration)
    print_heading("Certificate", certificate_line(result.relative_gap))
    print_times(seconds)
    print_heading("Model", result.model)
