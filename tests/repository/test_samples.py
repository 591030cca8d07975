"""The tables beside the sample smears say what these show."""

from collections import Counter, defaultdict
from pathlib import Path

import cv2
import numpy as np
import pytest

from csv_rows import rows_of

SMEARS = Path(__file__).parents[2] / "data" / "cells"


@pytest.fixture(scope="module")
def boxes():
    """The boxes of each picture: kind, x, y, w and h."""
    boxes = defaultdict(list)
    for row in rows_of(SMEARS / "boxes.csv"):
        boxes[row["file"]].append((row["kind"], *(int(row[side]) for side in "xywh")))
    return boxes


def test_every_box_holds_something_that_takes_light(boxes):
    assert len(boxes) == 42
    for file, things in boxes.items():
        image = cv2.imread(str(SMEARS / file))
        green = cv2.GaussianBlur(image, (3, 3), 0)[..., 1]
        glass = np.quantile(green, 0.9)
        for kind, x, y, w, h in things:
            assert x >= 0 <= y, file
            assert x + w <= 320, file
            assert y + h <= 240, file
            inside = green[y : y + h, x : x + w]
            assert np.quantile(inside, 0.2) < 0.9 * glass, (file, kind, x, y)


def test_copies_show_the_cells_of_their_original(boxes):
    groups = defaultdict(list)
    for row in rows_of(SMEARS / "groups.csv"):
        assert row["file"].split("/")[0] == row["label"]
        assert (SMEARS / "images" / row["file"]).is_file()
        groups[row["original"]].append(row)
    assert Counter(len(rows) for rows in groups.values()) == {1: 24, 2: 8}
    for rows in groups.values():
        assert len({row["label"] for row in rows}) == 1
        whites = [[box for box in boxes[f"images/{row['file']}"] if box[0] == "WBC"] for row in rows]
        assert len({len(white) for white in whites}) == 1
        for (_, _, _, w, h), *_ in whites[1:]:
            assert w * h == pytest.approx(whites[0][0][3] * whites[0][0][4], rel=0.25)
