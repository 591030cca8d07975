"""The table of copies beside the sample smears says what these show."""

from collections import Counter, defaultdict
from pathlib import Path

import pytest

from csv_rows import rows_of
from drawing import marked_boxes

SMEARS = Path(__file__).parents[2] / "data" / "cells"


def test_copies_show_the_cells_of_their_original():
    boxes = marked_boxes(SMEARS)
    groups = defaultdict(list)
    for row in rows_of(SMEARS / "groups.csv"):
        assert row["file"].split("/")[0] == row["label"]
        assert (SMEARS / "images" / row["file"]).is_file()
        groups[row["original"]].append(row)
    assert Counter(len(rows) for rows in groups.values()) == {1: 24, 2: 8}
    for rows in groups.values():
        assert len({row["label"] for row in rows}) == 1
        whites = [boxes[f"images/{row['file']}"] for row in rows]
        assert len({len(white) for white in whites}) == 1
        for (_, _, w, h), *_ in whites[1:]:
            assert w * h == pytest.approx(whites[0][0][2] * whites[0][0][3], rel=0.25)
