"""classify --export and --measurements: what other programs read."""

import json
import math

import numpy as np
import pytest

from csv_rows import rows_of
from fastsvm_apps.cells.data.boxes import read_boxes
from fastsvm_apps.cells.data.image_files import find_images
from fastsvm_apps.cells.finding.findings import FoundCell, ImageFindings
from fastsvm_apps.cells.output.coco_geojson import export_writer


@pytest.fixture
def classified(record, folder, model):
    """Classify four smears, one without a cell and one with two, and return their folder and cells."""
    top = folder(0, 4, 20, 40)

    def classified(*args):
        images = record("classify", top, "-m", model, "-q", *args)["images"]
        return top, {image["file"]: image["cells"] for image in images}

    return classified


def boxes(cells):
    found = {file: [(tuple(cell["box"]), cell["label"]) for cell in cells[file]] for file in cells}
    return {file: of_file for file, of_file in found.items() if of_file}


def area(ring):
    x, y = np.array(ring).T
    return abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2


def test_coco(classified, work):
    top, cells = classified("--export", "cells.json")
    found = read_boxes("cells.json", find_images([str(top)]))
    assert {file.name: [(each.box, each.label) for each in said] for file, said in found} == boxes(cells)
    content = json.loads((work / "cells.json").read_text())
    assert [image["file_name"] for image in content["images"]] == list(cells)
    assert {(image["width"], image["height"]) for image in content["images"]} == {(320, 240)}
    assert len(content["annotations"]) == sum(map(len, cells.values())) > 3
    for annotation in content["annotations"]:
        (outline,) = annotation["segmentation"]
        assert area(np.reshape(outline, (-1, 2))) == pytest.approx(annotation["area"], rel=0.06)
        assert annotation["nucleus"]
        x, y, w, h = annotation["bbox"]
        corners = np.reshape(outline, (-1, 2))
        assert (corners >= (x, y)).all()
        assert (corners <= (x + w, y + h)).all()


def test_geojson(classified, work):
    _, cells = classified("--export", "qupath", "--pixel-size", "0.5")
    assert sorted(path.name for path in (work / "qupath").iterdir()) == [
        file.replace(".jpg", ".geojson") for file in sorted(cells)
    ]
    content = json.loads((work / "qupath/smear_04.geojson").read_text())
    assert content["type"] == "FeatureCollection"
    assert len(content["features"]) == 2
    assert len({feature["id"] for feature in content["features"]}) == 2
    for feature, cell in zip(content["features"], cells["smear_04.jpg"], strict=True):
        (ring,) = feature["geometry"]["coordinates"]
        assert ring[0] == ring[-1]
        said = feature["properties"]
        assert said["objectType"] == "cell"
        assert said["classification"]["name"] == cell["label"]
        assert len(said["classification"]["color"]) == 3
        assert said["measurements"]["cell_area_um2"] == pytest.approx(cell["area"] / 4)
        assert all(map(math.isfinite, said["measurements"].values()))
        assert feature["nucleusGeometry"]["type"] in ("Polygon", "MultiPolygon")
    assert json.loads((work / "qupath/smear_40.geojson").read_text())["features"] == []


def test_one_geojson_file_is_of_one_image(run, folder, work, model):
    top = folder(0, 20)
    result = run("classify", top, "-m", model, "--export", "cells.geojson")
    assert (result.exit_code, list(work.iterdir())) == (2, [])
    assert "a GeoJSON file holds one image, not 2; give a folder" in result.stderr
    assert run("classify", top / "smear_00.jpg", "-m", model, "--export", "cells.geojson").exit_code == 0
    assert len(json.loads((work / "cells.geojson").read_text())["features"]) == 1


def test_an_enlarged_image_has_its_own_pixels(run, enlarged, work, model):
    rows = []
    for top, name in zip(enlarged, ("large", "plain"), strict=True):
        args = ("--export", f"{name}.json", "--measurements", f"{name}.csv")
        assert run("classify", top, "-m", model, *args).exit_code == 0
        first = json.loads((work / f"{name}.json").read_text())["annotations"][0]
        rows.append((first, float(rows_of(f"{name}.csv")[0]["cell_area_px2"])))
    (large, area_of_large), (plain, area_of_plain) = rows
    np.testing.assert_allclose(large["bbox"], np.multiply(2, plain["bbox"]), atol=5)
    outlines = [np.reshape(each["segmentation"][0], (-1, 2)) for each in (large, plain)]
    assert area(outlines[0]) == pytest.approx(4 * area(outlines[1]), rel=0.05)
    assert area_of_large == pytest.approx(4 * area_of_plain, rel=0.05)


def test_measurements(classified, work):
    _, cells = classified("--measurements", "m.csv", "--pixel-size", "0.1")
    rows = rows_of("m.csv")
    assert [(row["file"], row["cell"]) for row in rows] == [
        (file, str(number)) for file, of_file in cells.items() for number in range(1, len(of_file) + 1)
    ]
    areas = [cell["area"] for of_file in cells.values() for cell in of_file]
    assert [float(row["cell_area_px2"]) for row in rows] == areas
    for row in rows:
        assert 0 < float(row["nucleus_cell_ratio"]) < 1
        assert float(row["cell_diameter_um"]) == pytest.approx(0.1 * float(row["cell_diameter_px"]), rel=1e-4)
        assert float(row["nucleus_density_green"]) > float(row["cytoplasm_density_green"])


def test_images_that_cannot_be_read_leave_no_files(run, bad, work, model):
    result = run("classify", bad, "-m", model, "--export", "c.json", "--export", "v")
    assert result.exit_code == 3
    assert len(json.loads((work / "c.json").read_text())["images"]) == 2
    assert sorted(path.name for path in (work / "v").iterdir()) == ["smear_00.geojson", "smear_20.geojson"]


def test_an_interrupted_export_leaves_nothing(work):
    cell = FoundCell((1, 2, 3, 4), (2, 3), 9, "B", 0.75, outline=np.int32([[1, 2], [3, 2], [3, 5]]))
    found = ImageFindings("a.png", (cell,), size=(9, 9))

    def interrupted():
        with export_writer("c.json", [], ["B"], None) as write:
            write(found)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(work.iterdir()) == []
