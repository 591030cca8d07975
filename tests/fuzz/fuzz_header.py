"""Fuzz the reader of images: BadImage, or an image of the size that its header announces."""

import struct
import zlib

import cv2
import numpy as np

from fastsvm_apps.cells.data.bad_image import BadImage
from fastsvm_apps.cells.data.image_decoding import FORMATS, JPEGS, open_image
from fastsvm_apps.cells.data.image_reader import MIN_SIDE, ImageReader
from fuzzing import Choices, main, scratch

MOST = 20_000  # pixels that are decoded

COLOURS = np.arange(40 * 36 * 4, dtype=np.uint32).reshape(40, 36, 4) * 2654435761 >> 24


def _encoded(ending, image, *options):
    return cv2.imencode(ending, image.astype(np.uint8), options)[1].tobytes()


def _png_with(data, name, content):
    """A PNG with one chunk more behind its header."""
    chunk = struct.pack(">I", len(content)) + name + content
    return data[:33] + chunk + struct.pack(">I", zlib.crc32(name + content)) + data[33:]


PNG = _encoded(".png", COLOURS[..., :3])
JPEG = _encoded(".jpg", COLOURS[..., :3])
TURNED = b"\xff\xe1\0\x22Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"
FILES = [
    *(_encoded(ending, COLOURS[..., :3]) for ending in (".png", ".jpg", ".bmp", ".webp", ".jp2")),
    *(_encoded(ending, COLOURS) for ending in (".png", ".bmp", ".webp", ".jp2")),
    *(_encoded(ending, COLOURS[..., 0]) for ending in (".jpg", ".tiff")),
    JPEG[:2] + TURNED + JPEG[2:],
    _encoded(".jpg", COLOURS[..., :3], cv2.IMWRITE_JPEG_PROGRESSIVE, 1),
    _encoded(".tiff", COLOURS[..., :3], cv2.IMWRITE_TIFF_COMPRESSION, 1),
    _encoded(".tiff", COLOURS, cv2.IMWRITE_TIFF_COMPRESSION, 5),
    _png_with(PNG, b"acTL", struct.pack(">II", 2, 0)),
    _png_with(PNG, b"tRNS", b"\0\1\0\2\0\3"),
    _png_with(PNG, b"eXIf", TURNED[10:]),
    *(b"GIF89a\1\0\1\0", b"\0\0\0\x20ftypavif"),
]
# The first byte says whether the file is decoded too; the second mends checksums.
SEEDS = [bytes([k, 0]) + data for data in FILES for k in (0, 1)]


def target(data):
    choices = Choices(data)
    decode = choices.flag()
    mend = choices.flag()
    content = choices.rest()
    if mend:
        content = with_checksums(content)
    try:
        opened = open_image(content)
        assert opened.format in (*FORMATS, *JPEGS)
        sides = opened.size
        if decode and min(sides) >= MIN_SIDE and sides[0] * sides[1] <= MOST:
            image = ImageReader(scratch("image", content)).whole()
            assert image.shape[:2] in {sides, sides[::-1]} and image.shape[2:] == (3,), (image.shape, sides)
            assert image.dtype == np.uint8
    except BadImage as error:
        assert str(error).isprintable() and len(str(error)) < 200, error


def with_checksums(content):
    """A PNG's chunks with the checksums that they should have, so that what is in them gets through."""
    if not content.startswith(b"\x89PNG\r\n\x1a\n"):
        return content
    parts, at = [content[:8]], 8
    while at + 12 <= len(content):
        (length,) = struct.unpack_from(">I", content, at)
        body = content[at + 4 : at + 8 + length]
        parts.append(content[at : at + 4] + body + struct.pack(">I", zlib.crc32(body)))
        at += 12 + length
    return b"".join(parts)


if __name__ == "__main__":
    main(target, SEEDS)
