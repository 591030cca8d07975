"""Small files that would unpack to much, or take long: refused by name, in little memory and time."""

import re
import struct
import sys
import zlib
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest

from app_runs import App

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of Linux processes")

SMEARS = Path(__file__).parents[2] / "data" / "cells" / "images"
MB = 1 << 20


def encoded(ending, image, *options):
    return cv2.imencode(ending, image, options)[1].tobytes()


def chunk(name, content):
    checked = name + content
    return struct.pack(">I", len(content)) + checked + struct.pack(">I", zlib.crc32(checked))


def png(width, height, *chunks, bits=8, colours=2):
    header = struct.pack(">IIBBBBB", width, height, bits, colours, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + b"".join(chunks) + chunk(b"IEND", b"")


@cache
def zeros(n):
    """Return n zeros, deflated: about a thousandth of that."""
    packer = zlib.compressobj(9)
    block = bytes(MB)
    return b"".join([*(packer.compress(block) for _ in range(n // MB)), packer.flush()])


def stuffed(name):
    """Return a small PNG with a chunk that would unpack to 256 MB."""
    return png(64, 64, chunk(name, b"x\0\0" + zeros(256 * MB)), chunk(b"IDAT", zeros(MB)))


def tiff(width, height, pixels, rows_per_strip=None, compression=8, pages=1):
    """Return a TIFF image whose pages are one and the same."""
    tags = [(256, 4, width), (257, 4, height), (258, 3, 8), (259, 3, compression), (262, 3, 2), (273, 4, 8)]
    tags += [(277, 3, 3), (278, 4, rows_per_strip or height), (279, 4, len(pixels))]
    first = 8 + len(pixels)
    size = 2 + 12 * len(tags) + 4
    content = [b"II*\0" + struct.pack("<I", first) + pixels]
    for page in range(pages):
        entries = b"".join(struct.pack("<HHII", tag, kind, 1, value) for tag, kind, value in tags)
        following = first + size * (page + 1) if page + 1 < pages else 0
        content.append(struct.pack("<H", len(tags)) + entries + struct.pack("<I", following))
    return b"".join(content)


def large_jpeg(side):
    start = encoded(".jpg", np.full((40, 40, 3), (200, 60, 140), np.uint8))
    place = start.find(b"\xff\xc0") + 5
    return start[:place] + struct.pack(">HH", side, side) + start[place + 4 :]


def scans(n):
    """Return a JPEG whose last scan comes n times: a pass over all pixels for 60 bytes each."""
    image = np.zeros((6000, 6000, 3), np.uint8)
    image[:3000] = (200, 60, 140)
    content = encoded(".jpg", image, cv2.IMWRITE_JPEG_PROGRESSIVE, 1)
    return content[:-2] + content[content.rfind(b"\xff\xda") : -2] * n + b"\xff\xd9"


# The second if it is decoded.
BLANK = "skipped: (damaged|cut short); copy or download it again|,dark,nothing to measure: dark"
BOMBS = {
    "side.png": (lambda: png(60_000, 60_000, chunk(b"IDAT", zeros(MB))), "more than the limit"),
    "side.jpg": (lambda: large_jpeg(60_000), "more than the limit"),
    "side.tif": (lambda: tiff(60_000, 60_000, zeros(MB)), "more than the limit"),
    "side.bmp": (lambda: b"BM" + bytes(12) + struct.pack("<Iii", 40, 60_000, 60_000), "not an image"),
    "far.png": (lambda: png(2**31 - 1, 2**31 - 1), "more than the limit"),
    # 256 MB for the few pixels that the header tells of.
    "pixels.png": (lambda: png(64, 64, chunk(b"IDAT", zeros(256 * MB))), BLANK),
    "profile.png": (lambda: stuffed(b"iCCP"), BLANK),
    "words.png": (lambda: stuffed(b"zTXt"), BLANK),
    "strip.tif": (lambda: tiff(64, 64, zeros(256 * MB)), BLANK),
    "strips.tif": (lambda: tiff(64, 64, zeros(MB), rows_per_strip=2**32 - 1), BLANK),
    "pages.tif": (lambda: tiff(64, 64, zeros(MB), pages=100_000), "more than 100 pages; save each"),
    "scans.jpg": (lambda: scans(20_000), "more than 100 scans; save the image as a JPEG that is not"),
}


@pytest.mark.slow
def test_bombs(tmp_path):
    smear = next((SMEARS / "LYMPHOCYTE").iterdir())
    (tmp_path / "bombs").mkdir()
    (tmp_path / "bombs" / "good.jpg").write_bytes(smear.read_bytes())
    for name, (content, _) in BOMBS.items():
        (tmp_path / "bombs" / name).write_bytes(content())
    with App("cells") as app:
        plain = app("classify", "bombs/good.jpg", "--csv", cwd=tmp_path)
        done = app("classify", "bombs", "--csv", cwd=tmp_path, RLIMIT_AS=300 * MB, RLIMIT_CPU=20)
    assert (plain.code, done.code) == (0, 3), done.err
    rows = {row.split(",")[0]: row for row in done.out.splitlines()[1:]}
    assert rows.keys() == {*BOMBS, "good.jpg"}
    assert plain.out.replace("bombs/", "").splitlines()[1:] == [
        row for row in done.out.splitlines() if row.startswith("good.jpg,")
    ]
    for name, (_, problem) in BOMBS.items():
        assert re.search(problem if problem == BLANK else f"skipped: .*{problem}", rows[name]), rows[name]
    *named, last = done.err.splitlines()
    n_skipped = sum("skipped: " in row for row in rows.values())
    assert len(named) == n_skipped >= 7
    assert all(line.startswith("bombs, ") for line in named)
    assert last == f"bombs: {n_skipped} skipped"
