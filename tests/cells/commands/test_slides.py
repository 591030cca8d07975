"""Slides: read in tiles, each cell counted once, and a run that was ended goes on."""

import json
import shutil
import subprocess
import sys
import zlib
from functools import partial
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from csv_rows import rows_of
from fastsvm_apps.cells.cli import main
from fastsvm_apps.cells.data import image_reader, slide_tiles, slides
from fastsvm_apps.cells.data.image_reader import ImageFile
from fastsvm_apps.cells.data.slide_tiles import with_tiles
from fastsvm_apps.cells.data.slides import TiffSlide
from fastsvm_apps.cells.finding.first_look import FirstLook
from fastsvm_apps.cells.finding.stain import USUAL, normalised, raw_field, stain_of
from fastsvm_apps.cells.jobs import cell_classification
from fastsvm_apps.cells.measuring import describing
from refusal import assert_refused

tifffile = pytest.importorskip("tifffile", reason="slides want tifffile")
CELL_WIDTH = 80


@pytest.fixture(scope="module")
def mosaic(smears):
    """Return a picture of 2 x 4 sample smears of one stain, as a slide has, one of them blank, in BGR."""
    files = sorted((smears / "images").rglob("*.jpg"))[::6]
    images = [cv2.imread(str(file)) for file in files]
    images = [normalised(image, stain_of(raw_field(image)), USUAL) for image in images]
    images.append(np.full_like(images[0], 255))
    return np.vstack([np.hstack(images[k : k + 4]) for k in (0, 4)])


@pytest.fixture
def slide(tmp_path, mosaic):
    """Return a slide of that picture."""
    return write(tmp_path / "slide.svs", mosaic)


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch):
    monkeypatch.setattr(slide_tiles, "CORE", 200)


def write(path, image, **options):
    options = {"tile": (64, 128), "compression": "deflate", **options}
    tifffile.imwrite(path, image[..., ::-1], photometric="rgb", **options)
    return path


def rows(path):
    return [row for row in rows_of(path) if row["cell"]]


def centers(path):
    return np.array([(int(row["cx"]), int(row["cy"])) for row in rows(path)])


@pytest.mark.parametrize(
    "options", [{}, {"tile": None, "rowsperstrip": 7}, {"bigtiff": True}, {"dtype": np.uint16}]
)
def test_regions(tmp_path, mosaic, options):
    image = mosaic.astype(np.uint16) * 257 if "dtype" in options else mosaic
    slide = TiffSlide(str(write(tmp_path / "a.tif", image, **options)))
    height, width = mosaic.shape[:2]
    assert slide.size == (width, height)
    end = width - 70, height - 9, 70, 9
    for x, y, w, h in (0, 0, width, height), (0, 0, 1, 1), (100, 60, 333, 222), end:
        np.testing.assert_array_equal(slide.region(x, y, w, h), mosaic[y : y + h, x : x + w])


@pytest.mark.slow
def test_tiles_are_read_here_and_worked_on_anywhere(run, slide, work, pickled, monkeypatch):
    monkeypatch.setattr(slide_tiles, "CORE", 600)
    for name, options in [("local.csv", []), ("cluster.csv", ["--scheduler", "tcp://somewhere:8786"])]:
        result = run("classify", slide, "--cell-width", CELL_WIDTH, "-o", name, *options)
        assert result.exit_code == 0
    assert rows("local.csv")
    assert (work / "local.csv").read_bytes() == (work / "cluster.csv").read_bytes()
    assert pickled == [3]  # the tiles, each once


@pytest.mark.parametrize("cell_width", [20, 80, 130])
def test_each_pixel_is_in_one_core(slide, mosaic, cell_width):
    counts = np.zeros(mosaic.shape[:2], int)
    height, width = counts.shape
    for tile in with_tiles([ImageFile(str(slide), "slide.svs")], lambda file: FirstLook(cell_width)):
        x, y, w, h = tile.core
        counts[y : y + h, x : x + w] += 1
        left, top, across, down = tile.window
        assert 0 <= left <= x
        assert 0 <= top <= y
        assert x + w <= left + across <= width
        assert y + h <= top + down <= height
    assert (counts == 1).all()


def test_other_commands_refuse_slides_without_reading_them(run, slide, monkeypatch):
    monkeypatch.setattr(image_reader, "open_image", None)
    done = run("crop", slide, "-o", "crops")
    assert done.exit_code in (1, 3)
    assert "a slide; only fastsvm-cells classify reads slides" in done.stderr


def test_cells_on_borders_are_counted_once(run, work, begun, mosaic, model):
    cv2.imwrite(str(work / "whole.png"), mosaic)
    done = run("classify", "whole.png", "-m", model, "--cell-width", CELL_WIDTH, "-o", "whole.csv")
    assert done.exit_code == 0, done.stderr
    record = json.loads((begun[1] / "whole.json").read_text())
    assert record["n_images"] == len(record["images"]) == 1  # a slide is one image
    in_tiles, whole = centers(begun[1] / "whole.csv"), centers("whole.csv")
    assert len(in_tiles) == len(whole) == record["n_cells"] == len(record["images"][0]["cells"]) >= 7
    distances = np.hypot(*(in_tiles[:, None] - whole[None]).transpose(2, 0, 1))
    assert (distances.min(axis=0) < 10).all()
    assert (distances.min(axis=1) < 10).all()


@pytest.mark.slow
def test_a_large_tiled_tiff_is_a_slide(run, tmp_path, mosaic, model, monkeypatch):
    monkeypatch.setattr(slides, "SLIDE_PIXELS", 100_000)
    path = write(tmp_path / "slide.tif", mosaic)
    done = run("classify", path, "-m", model, "--csv")
    assert done.exit_code == 0
    assert "slide.tif: a white cell is about" in done.stderr
    path = write(tmp_path / "gray.tif", np.full_like(mosaic, 200))
    done = run("classify", path, "-m", model, "--csv")
    assert done.exit_code == 3
    assert "gray.tif: a slide whose red cells do not show its scale; give --cell-width" in done.stderr


def test_blank_tiles_are_not_searched(run, tmp_path, model, monkeypatch):
    monkeypatch.setattr(describing, "Field", None)
    path = write(tmp_path / "blank.svs", np.full((500, 700, 3), (240, 235, 238), np.uint8))
    done = run("classify", path, "-m", model, "--cell-width", CELL_WIDTH)
    assert done.exit_code == 0, done.stderr
    assert "0 white cells in 1 image, 1 of them too dark or without contrast" in done.stdout


# A run that was ended


def ending(n, results, advance):
    """Take the first results, and end the run."""
    assert len([*islice(results, n)]) == n
    raise KeyboardInterrupt


@pytest.fixture(scope="module")
def begun(tmp_path_factory, mosaic, model):
    """Return the arguments of a run, and a folder with what it writes and what 12 tiles leave of it."""
    folder = tmp_path_factory.mktemp("begun")
    slide = write(folder / "slide.svs", mosaic)
    args = ("classify", slide, "-m", model, "--cell-width", CELL_WIDTH, "--report", "page.html", "-o")

    with pytest.MonkeyPatch.context() as context:
        context.chdir(folder)
        context.setattr(slide_tiles, "CORE", 200)
        context.setattr(cell_classification, "TILES_AT_ONCE", 4)
        done = CliRunner().invoke(main, [*map(str, args), "whole.csv", "--json"])
        assert done.exit_code == 0, done.stderr
        (folder / "whole.json").write_text(done.stdout)
        context.setattr(cell_classification, "merge_tiles", partial(ending, 12))
        done = CliRunner().invoke(main, [*map(str, args), "cells.csv"])
    assert done.exit_code != 0
    assert "the results so far are kept in cells.csv.part; the same command resumes" in done.stderr
    assert not (folder / "cells.csv").exists()
    return args, folder


@pytest.fixture
def ended(begun, work, monkeypatch):
    """Return the arguments of a run that has ended here after 12 tiles, and the tiles read from now on."""
    args, folder = begun
    for name in ("whole.csv", "page.html"):
        shutil.copy(folder / name, work)
    shutil.copytree(folder / "cells.csv.part", work / "cells.csv.part")
    n_read, describe = [], cell_classification.describe_image

    def count(tile, **how):
        n_read.append(tile)
        return describe(tile, **how)

    monkeypatch.setattr(cell_classification, "TILES_AT_ONCE", 4)
    monkeypatch.setattr(cell_classification, "describe_image", count)
    return args, n_read


def test_a_run_goes_on(run, work, ended, slide):
    args, n_read = ended
    last = max((work / "cells.csv.part").iterdir(), key=lambda path: path.stat().st_mtime_ns)
    last.write_bytes(last.read_bytes()[:-30])  # as of a kill in the midst of it
    n_tiles = len(list(with_tiles([ImageFile(str(slide), "")], lambda file: FirstLook(CELL_WIDTH))))
    page = (work / "page.html").read_text()
    done = run(*args, "cells.csv")
    assert done.exit_code == 0, done.stderr
    assert 0 < len(n_read) <= n_tiles - 4
    assert (work / "cells.csv").read_bytes() == (work / "whole.csv").read_bytes()
    assert (work / "page.html").read_text() == page
    assert not (work / "cells.csv.part").exists()


def test_another_run_does_not_resume(run, work, ended, slide):
    args, n_read = ended
    args = [81 if arg == CELL_WIDTH else arg for arg in args]
    done = run(*args, "cells.csv")
    assert done.exit_code == 0, done.stderr
    assert len(n_read) == len(list(with_tiles([ImageFile(str(slide), "")], lambda file: FirstLook(81))))
    assert not (work / "cells.csv.part").exists()


def test_images_are_resumed_too(run, folder, model, work, monkeypatch):
    monkeypatch.setattr(cell_classification, "IMAGES_AT_ONCE", 2)
    args = ("classify", folder(0, 20, 21, 22, 23), "-m", model, "-o")
    assert run(*args, "whole.csv").exit_code == 0
    with monkeypatch.context() as context:
        context.setattr(cell_classification, "merge_tiles", partial(ending, 3))
        assert run(*args, "cells.csv").exit_code == 1
    assert (work / "cells.csv.part").is_dir()
    described, describe = [], cell_classification.describe_image

    def counted(file, **how):
        described.append(file)
        return describe(file, **how)

    monkeypatch.setattr(cell_classification, "describe_image", counted)
    assert run(*args, "cells.csv").exit_code == 0
    assert len(described) == 1
    assert (work / "cells.csv").read_bytes() == (work / "whole.csv").read_bytes()


# What does not work


def test_no_overlay_of_slides(run, slide, model):
    done = run("classify", slide, "-m", model, "--cell-width", CELL_WIDTH, "--overlay", "drawn")
    assert_refused(done, 2, "--overlay does not support slides")


def test_a_damaged_slide_is_skipped(run, tmp_path, slide, model):
    content = bytearray(slide.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 4000] = bytes(4000)
    slide.write_bytes(content)
    (tmp_path / "text.svs").write_text("a table of results\n" * 30)
    done = run("classify", slide, tmp_path / "text.svs", "-m", model, "--cell-width", CELL_WIDTH, "--csv")
    assert done.exit_code == 3
    assert done.stderr.count("a slide that cannot be read: ") == 2


def test_the_extra_is_named_where_it_is_missing(run, slide, model, monkeypatch):
    monkeypatch.setattr(slides, "find_spec", lambda name: None)
    done = run("classify", slide, "-m", model, "--cell-width", CELL_WIDTH, "--csv")
    assert done.exit_code == 3
    assert 'a slide; pip install "fastsvm[slides]"' in done.stderr


def test_slides_in_one_piece_or_without_colours(tmp_path, mosaic, monkeypatch):
    gray = tmp_path / "gray.tif"
    tifffile.imwrite(gray, mosaic[..., 0], tile=(64, 64))
    with pytest.raises(slides.BadImage, match="not red, green and blue"):
        TiffSlide(str(gray))
    monkeypatch.setattr(slides, "MAX_SEGMENT", 1000)
    with pytest.raises(slides.BadImage, match="in one piece"):
        TiffSlide(str(write(tmp_path / "a.tif", mosaic)))


def test_through_openslide(tmp_path, mosaic):
    pytest.importorskip("openslide", reason="OpenSlide is not here")
    path = write(tmp_path / "a.tif", mosaic, tile=(256, 256))
    region = slides.OpenSlideSlide(str(path)).region(300, 200, 400, 300)
    np.testing.assert_array_equal(region, mosaic[200:500, 300:700])


# Its size


# Linux counts into `ru_maxrss` what the process that started this one had at its peak.
MEASURED = """
import re, sys
from fastsvm_apps.cells.cli import main
try:
    main()
finally:
    print(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1], file=sys.stderr)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from Linux")
def test_a_large_slide_takes_little_memory(work, tmp_path, smears, model, monkeypatch):
    """Its pixels alone are 1.0 GB; one of 16 tiles has a cell, and the others are blank."""
    monkeypatch.undo()
    smear = cv2.imread(str(smears / "images" / "NEUTROPHIL" / "smear_20.jpg"))[..., ::-1]
    tile = np.full((512, 512, 3), smear.max(axis=(0, 1)), np.uint8)
    blank = zlib.compress(tile.tobytes())
    tile[100:340, 100:420] = smear
    packed = zlib.compress(tile.tobytes(), 1)
    n = 36
    contents = (packed if (k // n) % 4 == k % n % 4 == 1 else blank for k in range(n * n))
    path, sides = tmp_path / "large.tif", (n * 512, n * 512, 3)
    options = {"tile": (512, 512), "compression": "deflate", "photometric": "rgb", "predictor": None}
    tifffile.imwrite(path, contents, shape=sides, dtype=np.uint8, **options)
    args = ["classify", path, "-m", model, "--cell-width", "80", "-o", "cells.csv", "--report", "page.html"]
    command = [sys.executable, "-P", "-c", MEASURED, *map(str, args)]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(rows(work / "cells.csv")) >= 9 * 9
    kilobytes = int(done.stderr.split()[-1])
    assert kilobytes < 500_000, kilobytes
