"""Pictures: what a logarithmic axis says."""

import pytest

from fastsvm_apps.common.figures import content_of, figure


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
        content_of(sheet, "png")
        labels = [label.get_text() for label in ax.get_xticklabels()]
        assert set(expected.split()) <= set(labels)
        assert not any(
            "$" in label for label in labels + [label.get_text() for label in ax.get_xticklabels(minor=True)]
        )


def test_own_labels_stay():
    with figure(None, (3, 3)) as sheet:
        ax = sheet.subplots()
        ax.set_yscale("log")
        ax.set_yticks([1, 30], ["one", "thirty"])
        content_of(sheet, "png")
        assert [label.get_text() for label in ax.get_yticklabels()] == ["one", "thirty"]
