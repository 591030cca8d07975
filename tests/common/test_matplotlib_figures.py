"""Pictures: what a logarithmic axis says."""

from itertools import pairwise

import pytest

from fastsvm_apps.common.matplotlib_figures import figure, figure_bytes


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        ((520, 1800), "700 1,000 1,500"),
        ((0.5, 20), "1 2 5 10"),
        ((1e-3, 10), "0.001 0.01 0.1 1 10"),
        ((10, 2e6), "100 10,000 1,000,000"),
        ((1e-6, 1), "1e-6 1e-4 1e0"),
        ((1e3, 1e8), "1e4 1e6 1e8"),
    ],
)
def test_a_logarithmic_axis_is_labelled_by_numbers(ends, expected):
    with figure(None, (3, 3)) as sheet:
        ax = sheet.subplots()
        ax.set_xscale("log")
        ax.set_xlim(ends)
        figure_bytes(sheet, "png")
        labels = [label.get_text() for label in ax.get_xticklabels()]
        assert set(expected.split()) <= set(labels)
        assert not any(
            "$" in label for label in labels + [label.get_text() for label in ax.get_xticklabels(minor=True)]
        )


@pytest.mark.parametrize("ends", [(60, 3300), (8e4, 3.3e6), (3e4, 3e6), (8e3, 9e4), (2e-4, 0.02)])
def test_labels_of_narrow_panels_do_not_touch(ends):
    with figure(None, (10.5, 3.3)) as sheet:
        ax = sheet.subplots(1, 3)[0]
        ax.set_xscale("log")
        ax.set_xlim(ends)
        ax.tick_params(labelsize=8)
        figure_bytes(sheet, "png")
        boxes = [label.get_window_extent() for label in ax.get_xticklabels()]
        boxes = sorted((box.x0, box.x1) for box in boxes if ax.bbox.x0 <= (box.x0 + box.x1) / 2 <= ax.bbox.x1)
        assert len(boxes) >= 2
        assert all(one[1] < other[0] for one, other in pairwise(boxes))
