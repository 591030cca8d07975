"""What is read of all images of a run before any of them is worked on."""

import ast
from pathlib import Path
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

import fastsvm_apps.cells
from drawing import GREY, blood, drawn
from fastsvm_apps.cells.data.image_files import find_images
from fastsvm_apps.cells.finding.first_look import first_look
from fastsvm_apps.cells.finding.image_scale import Scale

READS = {"read_scale", "red_circles_of", "nuclei_width"}  # what tells a scale


def learned(are_own, usual_width=1.0):
    """Return what a model has learned from."""
    return SimpleNamespace(are_own=are_own, usual_width=usual_width)


@pytest.fixture
def files(tmp_path):
    """Images of a cell that is 1.25 times as wide as usual."""
    for k in range(12):
        cv2.imwrite(str(tmp_path / f"{k:02}.png"), drawn((150 + 5 * k, 120, 36, 50)))
    return find_images([str(tmp_path)])


def test_no_job_reads_a_scale_past_it():
    folder = Path(fastsvm_apps.cells.__file__).parent
    users = {
        path.name
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and READS & {alias.name for alias in node.names}
    }
    assert users == {"first_look.py", "image_scale.py"}


@pytest.mark.parametrize("given", [None, 90.0])
def test_images_of_another_kind_have_the_width_that_is_read(files, given):
    asked = []

    def is_own(stains, answer):
        asked.append(len(stains))
        assert all(stain.nuclear for stain in stains)
        return answer

    own = first_look(files, given, learned(lambda stains: is_own(stains, True)))
    foreign = first_look(files, given, learned(lambda stains: is_own(stains, False)))
    assert (own.own, foreign.own, first_look(files, given).own) == (True, False, None)
    assert asked == [12, 12]
    if given:
        assert own.scale == foreign.scale == given
    else:
        assert own.scale((320, 240)) is None
        assert foreign.scale((320, 240)) == pytest.approx(101, rel=0.1)


def test_images_like_a_models_have_the_width_of_its_cells(files):
    look = first_look(files, None, learned(lambda stains: True, 1.3))
    assert look.scale((320, 240)) == pytest.approx(104)
    assert look.relative_width == pytest.approx(1.3)
    assert look.scale.unusual == {}
    assert first_look(files, 120.0).relative_width == 1.5


def test_as_read_all_sizes_have_a_width():
    scale = Scale({(640, 480): 150.0}, ((640, 480), (600, 450)), pooled=140.0)
    assert scale.unusual == {}
    assert scale.as_read.unusual == {(640, 480): 150, (600, 450): 140}


def test_nothing_to_see_is_of_no_kind(tmp_path):
    cv2.imwrite(str(tmp_path / "white.png"), np.full((90, 90, 3), 255, np.uint8))
    (tmp_path / "no.png").write_bytes(b"")
    nothing = learned(lambda stains: pytest.fail("asked"))
    assert first_look(find_images([str(tmp_path)]), None, nothing).own is None


def test_grey_red_cells_are_told_from_nuclei_in_a_folder(tmp_path):
    """Of one image that is believed only where it is of another kind."""
    for k in range(5):
        image = blood(28, seed=k, white=[(320, 240)], colours=GREY)
        cv2.imwrite(str(tmp_path / f"{k}.png"), image)
    files = find_images([str(tmp_path)])
    look = first_look(files, None)
    assert look.bluish
    assert look.scale((640, 480)) == pytest.approx(50, rel=0.15)
    assert first_look(files, 50).bluish
    assert not first_look(files[:1], None).bluish
    foreign = first_look(files[:1], None, learned(lambda stains: False))
    assert foreign.bluish
    assert foreign.scale((640, 480)) == pytest.approx(50, rel=0.15)
    # A model of such images is asked again, once they are searched as its own were.
    answers = iter([False, True])
    look = first_look(files[:1], None, learned(lambda stains: next(answers)))
    assert (look.own, look.bluish) == (True, True)


def test_a_cell_as_wide_as_the_image_is_a_warning(tmp_path, capsys):
    for k in range(12):
        cv2.imwrite(str(tmp_path / f"{k:02}.png"), drawn((300, 300 + k, 230, 280), shape=(600, 600)))
    first_look(find_images([str(tmp_path)]), None)
    said = "warning: as wide as the image: a white cell is about "
    assert capsys.readouterr().err.startswith(said)
