"""Boxes with labels from VOC, CSV and COCO, and what cannot be used of them."""

import json
import re

import cv2
import numpy as np
import pytest

from fastsvm_apps.cells.data.boxes import has_boxes, read_boxes
from fastsvm_apps.cells.data.image_files import find_images
from fastsvm_apps.common.errors import AppError

VOC = """<annotation><filename>{file}</filename>{size}<object><name>{label}</name><bndbox><xmin>{x}</xmin>
<ymin>5</ymin><xmax>40</xmax><ymax>30</ymax></bndbox></object></annotation>"""
SIZE = "<size><width>{}</width><height>48</height></size>"


@pytest.fixture
def files(tmp_path):
    """Return two images of 64 x 48 pixels."""
    for name in ("a.png", "b/c.png"):
        path = tmp_path / "images" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(path), np.random.default_rng(0).integers(0, 255, (48, 64, 3), np.uint8))
    return find_images([str(tmp_path / "images")])


@pytest.fixture
def written(tmp_path):
    """Write boxes in a form."""

    def write(content, name="boxes.csv"):
        path = tmp_path / "said" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return str(path)

    return write


def coco(**changes):
    return {
        "images": [{"id": 7, "file_name": "a.png", "width": 64, "height": 48}],
        "categories": [{"id": 1, "name": "A"}],
        "annotations": [{"image_id": 7, "category_id": 1, "bbox": [10, 5, 30, 25]}],
        **changes,
    }


LARGER = {"id": 7, "file_name": "a.png", "width": 640, "height": 480}


def plain(found):
    return {file.name: [(each.box, each.label) for each in boxes] for file, boxes in found}


def test_the_three_forms_say_the_same(files, written, tmp_path):
    expected = {"a.png": [((10, 5, 30, 25), "A")]}
    table = written("file,x,y,w,h,label\na.png,10,5,30,25,A\nb/c.png,,,,,\n")
    annotation = written(VOC.format(file="a.png", size=SIZE.format(64), label="A", x=10), "xml.xml")
    for source in (table, written(coco(), "coco.json"), str(tmp_path / "said")):
        assert has_boxes(source)
        assert plain(read_boxes(source, files)) == expected
    assert annotation.endswith(".xml")
    assert not has_boxes(written("file,label\na.png,A\n", "labels.csv"))


def test_several_boxes_and_names(files, written):
    table = written("file,x,y,w,h,label\nc.png,0,0,5,5,A\na.png,1.4,2,3.2,4,B\nb/c.png,-1,0,66,48,B\n")
    found = plain(read_boxes(table, files))
    assert found["a.png"] == [((1, 2, 4, 4), "B")]
    assert found["b/c.png"] == [((0, 0, 5, 5), "A"), ((-1, 0, 66, 48), "B")]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("a.png,10,5,60,25,A", "line 2: the box 10, 5, 60 x 25 is not inside a.png, which has 64 x 48 "),
        ("a.png,-9,5,6,25,A", "line 2: the box -9, 5, 6 x 25 is not inside a.png"),
        ("a.png,1,5,6,x,A", "line 2: '1, 5, 6, x' is not a box; give x, y, width and height in pixels"),
        ("a.png,1,nan,6,2,A", "line 2: '1, nan, 6, 2' is not a box"),
        ("a.png,1,5,6,1e300,A", "line 2: '1, 5, 6, 1e300' is not a box"),
        ("a.png,1,5,0,5,A", "contains no box with a label"),
        ("x.png,1,5,6,5,A", "line 2: 'x.png' is not among the images, nor is any other"),
        ("a.png,1,5,6,5", "line 2: 5 fields, where the header has 6"),
    ],
)
def test_rows_that_cannot_be_used(files, written, row, problem):
    with pytest.raises(AppError, match=re.escape(problem)):
        read_boxes(written(f"file,x,y,w,h,label\n{row}\n"), files)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("{", "not JSON"),
        ("[1]", "no COCO annotations"),
        (coco(images=None), "not a COCO file: its lists are damaged"),
        ({"images": [], "annotations": []}, "not a COCO file: 'categories' is missing"),
        (coco(annotations=[{"image_id": 8}]), "annotation 1: 8 is unknown or missing"),
        (coco(annotations=[{"image_id": 7, "category_id": 1, "bbox": 3}]), "annotation 1: '3' is not a box"),
        (coco(images=[LARGER]), "annotation 1: the annotation is for 640 x 480 pixels, but a.png has 64"),
    ],
)
def test_coco_that_cannot_be_used(files, written, content, problem):
    with pytest.raises(AppError, match=re.escape(problem)):
        read_boxes(written(content, "coco.json"), files)


def test_annotations_that_cannot_be_used(files, written, tmp_path):
    written(VOC.format(file="a.png", size=SIZE.format(65), label="A", x=10), "1.xml")
    with pytest.raises(AppError, match=r"1\.xml: the annotation is for 65 x 48 pixels, but a\.png has"):
        read_boxes(str(tmp_path / "said"), files)
    written(VOC.format(file="a.png", size="", label="A", x="left"), "1.xml")
    with pytest.raises(AppError, match=r"1\.xml: an object has no xmin"):
        read_boxes(str(tmp_path / "said"), files)


def test_what_nobody_drew_is_left_out_with_a_note(files, written, capsys):
    table = written("file,x,y,w,h,label\na.png,1,5,0,0,A\na.png,1,5,6,5,A\nb/c.png,1,5,6,0,A\n")
    assert len(read_boxes(table, files)) == 1
    assert capsys.readouterr().err == f"note: {table}, line 2: left out an empty box, and 1 more\n"
