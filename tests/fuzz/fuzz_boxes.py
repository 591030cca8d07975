"""Fuzz what reads boxes and corrections: an AppError of one line, or boxes that lie in the image."""

import json
import os

import cv2
import numpy as np

from fastsvm_apps.cells.data.boxes import SLACK_PIXELS, match_boxes, read_boxes
from fastsvm_apps.cells.data.image_reader import ImageFile
from fastsvm_apps.cells.data.label_tables import read_json
from fastsvm_apps.cells.learning.corrections import checked_corrections, read_corrections
from fastsvm_apps.common.errors import AppError
from fuzzing import Choices, main, scratch

WIDTH, HEIGHT = 64, 48

BOX = {"file": "a.png", "box": [1, 2, 30, 20], "old": "A", "new": "B"}
CORRECTIONS = {"version": 1, "model": "m", "classes": ["A", "B"], "corrections": [BOX]}
COCO = {
    "images": [{"id": 7, "file_name": "a.png", "width": WIDTH, "height": HEIGHT}],
    "categories": [{"id": 1, "name": "A"}],
    "annotations": [{"image_id": 7, "category_id": 1, "bbox": [1, 2.5, 30, 20]}],
}
VOC = (
    "<annotation><filename>a.png</filename><size><width>64</width><height>48</height></size><object><name>A"
    "</name><bndbox><xmin>1</xmin><ymin>2</ymin><xmax>31</xmax><ymax>22</ymax></bndbox></object></annotation>"
)
CSV = "file,x,y,w,h,label\na.png,1,2,30,20,A\nb.png,,,,,\na.png,0,0,4,4,'=B\n"
KINDS = ("corrections.json", "coco.json", "boxes.csv", "1.xml")
CONTENTS = json.dumps(CORRECTIONS), json.dumps(COCO), CSV, VOC
SEEDS = [bytes([k]) + content.encode() for k, content in enumerate(CONTENTS)]


IMAGE = cv2.imencode(".png", np.full((HEIGHT, WIDTH, 3), (1, 2, 3), np.uint8))[1].tobytes()


def target(data):
    choices = Choices(data)
    kind = choices.pick(KINDS)
    path = scratch(kind, choices.rest())
    try:
        if kind == "corrections.json":
            check_corrections(path)
        else:
            image = scratch("a.png", IMAGE)
            source = os.path.dirname(path) if kind.endswith("xml") else path
            check_boxes(read_boxes(source, [ImageFile(image, "a.png")]))
    except AppError as error:
        assert str(error)


def check_boxes(found):
    for _, boxes in found:
        for _, _, (x, y, w, h), label, _ in boxes:
            assert w > 0 and h > 0 and label
            assert min(x, y) >= -SLACK_PIXELS and max(x + w, y + h) <= max(WIDTH, HEIGHT) + SLACK_PIXELS
        boxes = [boxed.box for boxed in boxes]
        assert all(boxes[k] == boxes[other] for k, other in match_boxes(boxes, boxes))


def check_corrections(path):
    read = read_corrections(path)
    for _, _, (_, _, w, h), label, size in read[0]:
        assert w > 0 and h > 0 and size is None and (label is None or label in read[1])
    assert checked_corrections(read_json(path, "corrections"), path) == read


if __name__ == "__main__":
    main(target, SEEDS)
