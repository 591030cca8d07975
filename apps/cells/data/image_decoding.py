"""Image files as pixels. Pillow reads headers and decodes; JPEG is decoded by simplejpeg.

Both decode a JPEG to the same pixels, by the same library. But only simplejpeg reports damage that a decoder
can repair by inventing a part of the image.
"""

import re
import sys
from collections.abc import Iterator
from io import BytesIO
from typing import BinaryIO, NamedTuple

import cv2
import numpy as np
import simplejpeg
from PIL import Image, ImageOps, UnidentifiedImageError
from PIL.TiffImagePlugin import ImageFileDirectory_v2

from ...common.errors import is_shortage
from .bad_image import CUT_SHORT, DAMAGED, GRAY, NO_MEMORY, BadImage

FORMATS = ("JPEG", "PNG", "TIFF", "BMP", "WEBP", "JPEG2000")
JPEGS = ("JPEG", "MPO")  # MPO is a JPEG with more images behind it, such as a preview
KNOWN = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"II*\0", b"MM\0*", b"\0\0\0\x0cjP  ", b"\xff\x4f\xff\x51")
TIFF = (b"II*\0", b"MM\0*")
DEEP = ("'RGB;16", "'RGBA;16", "'RGBX;16")  # Pillow's names of 16 bits per channel, without the byte order
MAX_PAGES = 100  # of a TIFF file, which is read once for each
MAX_SCANS = 100  # of a progressive JPEG: real ones have about ten; even a scan of few bytes costs a pass
# Tags of TIFF.
_SUBFILE, _WIDTH, _HEIGHT, _BITS, _DESCRIPTION, _SAMPLES = 254, 256, 257, 258, 270, 277
_PLANAR, _TILE_WIDTH = 284, 322
_ORIENTATION = 0x112
_EXTRA_BYTES = re.compile(r"\d+ extraneous bytes before marker 0xd9")  # harmless before the end

# BadImage says what is wrong with an image; the libraries must be silent.
Image.MAX_IMAGE_PIXELS = None  # `ImageReader` checks the size
(cv2.setLogLevel if hasattr(cv2, "setLogLevel") else cv2.utils.logging.setLogLevel)(0)


class TiffPage(NamedTuple):
    """A page of a TIFF file.

    Attributes
    ----------
    number : int
        From 0.
    size : tuple of int
        Width and height.
    is_tiled : bool
        Whether it is stored in tiles.
    bits, samples : int
        Bits per channel, and channels per pixel.
    about : str
        The description in the file.
    channels : tuple of int
        The numbers of the pages that are the channels of an OME image.
    """

    number: int
    size: tuple[int, int]
    is_tiled: bool
    bits: int = 8
    samples: int = 3
    about: str = ""
    channels: tuple[int, ...] = ()


def tiff_pages(file: BinaryIO) -> list[TiffPage]:
    """Return the pages of a TIFF file, without masks and smaller copies of other pages.

    The grey pages of an OME file are channels of one image, and count as one page.

    Raises
    ------
    BadImage
        If the tables of the file cannot be read.
    """
    try:
        pages = list(_tiff_pages(file))
    except Exception as error:  # of hostile tables
        raise BadImage(CUT_SHORT if isinstance(error, OSError) else DAMAGED) from error
    if len(pages) > 1 and "<OME" in pages[0].about and all(page.samples == 1 for page in pages):
        return [pages[0]._replace(channels=tuple(page.number for page in pages))]
    return pages


def _tiff_pages(file: BinaryIO) -> Iterator[TiffPage]:
    tags = ImageFileDirectory_v2(file.read(8))
    seen: list[int] = []
    while tags.next and tags.next not in seen and len(seen) <= MAX_PAGES:
        seen.append(tags.next)
        file.seek(tags.next)
        tags.load(file)
        if _WIDTH not in tags:  # what Pillow makes of a table beyond the end of the file
            raise OSError("cut short")
        if not int(tags.get(_SUBFILE, 0)) & 0b101:
            size, samples = (int(tags[_WIDTH]), int(tags[_HEIGHT])), int(tags.get(_SAMPLES, 1))
            bits, about = int(np.max(tags.get(_BITS, 1))), str(tags.get(_DESCRIPTION, ""))
            yield TiffPage(len(seen) - 1, size, _TILE_WIDTH in tags, bits, samples, about)


def open_image(data: bytes, page: int | None = None) -> Image.Image:
    """Read the header of an image file; its pixels are not decoded.

    Parameters
    ----------
    data : bytes
        The whole file.
    page : int, optional
        Number of the page in a TIFF file with several, from 1.

    Raises
    ------
    BadImage
        If it is of another format or grey, its header is damaged, or it holds several images.
    """
    if not data:
        raise BadImage("an empty file")
    found = _page(data, page)
    try:
        image = Image.open(BytesIO(data), formats=FORMATS)
        if found.number:
            image.seek(found.number)
        frames = 1 if image.format in ("TIFF", *JPEGS) else getattr(image, "n_frames", 1)
    except MemoryError:
        raise BadImage(NO_MEMORY) from None
    except Exception as error:  # a hostile header may make Pillow raise anything
        is_unknown = isinstance(error, UnidentifiedImageError)
        raise BadImage(_why_not_opened(data, is_unknown)) from None
    if frames > 1:
        raise BadImage(f"animated, with {frames:,} frames; save one frame as an image")
    image.info["channels"] = found.channels
    if not found.channels and (image.mode in ("1", "L", "LA", "F") or image.mode.startswith("I")):
        raise BadImage(GRAY)
    return image


def _is_planar(image: Image.Image) -> bool:
    return getattr(image, "tag_v2", {}).get(_PLANAR) == 2


def _page(data: bytes, page: int | None) -> TiffPage:
    """Return the chosen page of a TIFF file; for another file, a first one."""
    pages = tiff_pages(BytesIO(data)) if data.startswith(TIFF) else []
    if data.startswith(TIFF) and not pages:
        raise BadImage(DAMAGED)
    if page is not None and not 1 <= page <= len(pages):
        raise BadImage(f"no page {page:,}; the file has {max(1, len(pages)):,}")
    if len(pages) > MAX_PAGES:
        raise BadImage(f"more than {MAX_PAGES:,} pages; save each as a file of its own")
    if page is None and len(pages) > 1:
        raise BadImage(f"several pages ({len(pages):,}); name one: the second is FILE#2")
    found = pages[(page or 1) - 1] if pages else TiffPage(0, (0, 0), False)
    if found.channels:
        sizes = dict(re.findall(r'\bSize([CZT])="(\d+)"', found.about))
        if len(found.channels) != 3 or sizes != {"C": "3", "Z": "1", "T": "1"}:
            told = "only red, green and blue of one plane are joined; save the image as RGB"
            raise BadImage(f"an OME image of {len(found.channels):,} grey pages; {told}")
    return found


def _why_not_opened(data: bytes, is_unknown: bool) -> str:
    """Return the reason that a file cannot be opened, by its first bytes."""
    if is_unknown and data.startswith(TIFF):  # its tables have been read
        return "damaged, or a TIFF image of an unusual kind; save it with 8 bits per channel, or as png"
    is_webp = data[:4] == b"RIFF" and data[8:12] == b"WEBP"
    return DAMAGED if data.startswith(KNOWN) or is_webp else "not an image"


def decode_image(data: bytes, image: Image.Image, bits: int = 16) -> np.ndarray:
    """Return the pixels of an image that `open_image` opened.

    Parameters
    ----------
    data : bytes
        The whole file.
    image : Image
    bits : int, default=16
        How many of 16 bits per channel are used: with 12 bits, 4,095 is white.

    Returns
    -------
    ndarray of shape (height, width, 3) and dtype uint8
        Blue, green, red. Transparent pixels lie on white, and an EXIF orientation is applied.

    Raises
    ------
    BadImage
        If it is damaged, cut short or grey, or would take far too long.
    """
    size = image.size
    try:
        is_plain = image.format in JPEGS and image.mode == "RGB"
        pixels = _decode_jpeg(data, image) if is_plain else _decode_by_pillow(data, image, bits)
    except BadImage:
        raise
    except Exception as error:  # a hostile file may make a decoder raise anything
        if is_shortage(error):
            raise BadImage(NO_MEMORY) from None
        raise BadImage(CUT_SHORT if "truncated" in str(error) else DAMAGED) from None
    if pixels is None or sorted(pixels.shape[:2]) != sorted(size):  # None: OpenCV could not
        raise BadImage(DAMAGED)
    return pixels


def _decode_jpeg(data: bytes, image: Image.Image) -> np.ndarray:
    if data.count(b"\xff\xda") > MAX_SCANS and _has_many_scans(data):
        raise BadImage(f"more than {MAX_SCANS} scans; save the image as a JPEG that is not progressive")
    try:
        pixels = simplejpeg.decode_jpeg(data, "BGR")
    except ValueError as error:
        if "Premature end of JPEG file" in str(error):
            raise BadImage(CUT_SHORT) from None
        if not _EXTRA_BYTES.search(str(error)):
            raise
        pixels = simplejpeg.decode_jpeg(data, "BGR", strict=False)
    turn = image.getexif().get(_ORIENTATION, 1)
    if turn in range(2, 9):
        # As `ImageOps.exif_transpose` does it.
        pixels = pixels.transpose(1, 0, 2) if turn >= 5 else pixels
        down, across = (-1 if turn in some else 1 for some in ((3, 4, 7, 8), (2, 3, 6, 7)))
        pixels = np.ascontiguousarray(pixels[::down, ::across])
    return pixels


def _has_many_scans(data: bytes) -> bool:
    """Tell whether a JPEG has more than `MAX_SCANS` scans before its end; a film may follow the end."""
    at, n_scans = 2, 0
    while n_scans <= MAX_SCANS and 0 <= (at := data.find(b"\xff", at)) < len(data) - 3:
        marker = data[at + 1]
        if marker == 0xD9:  # the end of the image
            return False
        n_scans += marker == 0xDA
        has_length = marker >= 0xC0 and not 0xD0 <= marker <= 0xD8 and marker != 0xFF
        at += 2 + int.from_bytes(data[at + 2 : at + 4]) if has_length else 1 + (marker != 0xFF)
    return n_scans > MAX_SCANS


def _decode_by_pillow(data: bytes, image: Image.Image, bits: int) -> np.ndarray:
    if image.format == "PNG":  # its checksums are not looked at while it is decoded
        Image.open(BytesIO(data)).verify()
    elif image.format == "JPEG2000":
        if data.rfind(b"\xff\xd9") < len(data) - 64:  # the end of the image
            raise BadImage(CUT_SHORT)
        if _jpeg_2000_bits(data) > 8:  # Pillow makes black of white
            return cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    elif _is_planar(image) and image.tile[0].codec_name == "raw" and image.tag_v2[_BITS][0] > 8:
        raise BadImage("uncompressed 16-bit planes, one per colour; compress them, or save the image as PNG")
    if image.info["channels"] or (bits < 16 and is_deep(image)):
        levels = deep_levels(data, image)
        if levels.dtype != np.uint8:
            levels = np.minimum(levels >> (bits - 8), 255).astype(np.uint8)
        return on_white(levels) if levels.shape[2] == 4 else cv2.cvtColor(levels, cv2.COLOR_RGB2BGR)
    ImageOps.exif_transpose(image, in_place=True)
    if image.has_transparency_data and image.format != "BMP":
        return on_white(np.asarray(image.convert("RGBA")))
    return cv2.cvtColor(np.asarray(image.convert("RGB")), cv2.COLOR_RGB2BGR)


def is_deep(image: Image.Image) -> bool:
    """Return whether an image has 16 bits per channel, all of which can be read."""
    if "transparency" in image.info or _is_planar(image):
        return False
    return image.mode.startswith("I;16") or any(mode in str(image.tile) for mode in DEEP)


def deep_levels(data: bytes, image: Image.Image) -> np.ndarray:
    """Return the channels, red first, of an image that `is_deep` or has a page per channel."""
    if pages := image.info["channels"]:
        return np.dstack([_values(data, number) for number in pages])
    # Pillow reads the upper byte of each number, and with reversed byte order the lower one.
    high, low = (_values(data, image.tell(), turned) for turned in (False, True))
    return high.astype(np.uint16) << 8 | low


def _values(data: bytes, number: int, turned: bool = False) -> np.ndarray:
    image = Image.open(BytesIO(data), formats=FORMATS)
    image.seek(number)
    for k, tile in enumerate(image.tile if turned else ()):
        mode, *rest = (tile.args,) if isinstance(tile.args, str) else tile.args
        order = sys.byteorder[0].upper() if mode.endswith("N") else mode[-1]
        image.tile[k] = tile._replace(args=(mode[:-1] + ("B" if order == "L" else "L"), *rest))
    ImageOps.exif_transpose(image, in_place=True)
    values = np.asarray(image)
    return values.astype(values.dtype.newbyteorder("="))


def _jpeg_2000_bits(data: bytes) -> int:
    """Return the bits of the first channel, from the first segment of the codestream."""
    return (data[data.index(b"\xff\x4f\xff\x51") + 42] & 0x7F) + 1


def on_white(image: np.ndarray) -> np.ndarray:
    """Lay an image with transparent pixels on white."""
    colours, alpha = image[..., 2::-1].astype(np.uint16), image[..., 3:].astype(np.uint16)
    return np.ascontiguousarray(colours * alpha // 255 + (255 - alpha), np.uint8)
