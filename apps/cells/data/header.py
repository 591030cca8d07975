"""What the first bytes of an image file tell: its format, size and colours, before anything is decoded.

A decoder allocates what a header claims, answers half a file with half an image, and complains on stderr
by itself. So headers are read here, and a decoder gets only the files that look sound.
"""

import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

CUT_SHORT = "cut short; copy or download it again"
DAMAGED = "damaged; copy or download it again"

# Formats told by name, so that the user knows what to convert: offset, bytes there, format.
FOREIGN = (
    (0, b"GIF8", "a GIF image"),
    (4, b"ftypavif", "an AVIF image"),
    (4, b"ftyphe", "a HEIC image"),
    (4, b"ftypmif1", "a HEIC image"),
    (4, b"JXL \r\n", "a JPEG XL image"),
    (0, b"\xff\x0a", "a JPEG XL image"),
    (0, b"ZISRAWFILE", "a CZI image"),
    (128, b"DICM", "a DICOM image"),
    (0, b"8BPS", "a Photoshop image"),
    (0, b"%PDF", "a PDF document"),
)

# How much of a header is read: a hostile one has no end.
MAX_SEGMENTS, MAX_TAGS = 10_000, 1000
MAX_PAGES = 100  # of a TIFF file, which is read once for each
MAX_SCANS = 100  # of a progressive JPEG: real ones have about ten; each may take a few bytes, but a pass


class BadImage(Exception):
    """An image that cannot be used; its text says why in a few words."""


@dataclass(frozen=True)
class Header:
    """What a file says about its image.

    Attributes
    ----------
    format : {"jpeg", "png", "tiff", "bmp", "webp", "jpeg2000"}
        Whatever the ending of the file's name.
    width, height : int
        As stored; an orientation may swap them.
    gray : bool
        Whether there is one channel. An image stored with three may be gray as well.
    alpha : {None, "straight", "premultiplied"}
        Whether pixels can be transparent, and whether their colours, once decoded, are multiplied by alpha.
    pixels : int
        Offset at which the pixels begin (JPEG, JPEG 2000).
    """

    format: str
    width: int
    height: int
    gray: bool = False
    alpha: str | None = None
    pixels: int = 0


def read_header(data: bytes) -> Header:
    """Read the header of an image file.

    Parameters
    ----------
    data : bytes
        The whole file.

    Returns
    -------
    Header

    Raises
    ------
    BadImage
        When this is a file of another format, or its header ends too early, or it holds several images.
    """
    if not data:
        raise BadImage("an empty file")
    for magic, read in _READERS.items():
        if data.startswith(magic):
            try:
                return read(data)
            except (struct.error, IndexError):  # beyond the end of the data
                raise BadImage(CUT_SHORT) from None
    for offset, magic, name in FOREIGN:
        if data.startswith(magic, offset):
            raise BadImage(f"{name}; convert it to png or jpg")
    raise BadImage("not an image")


def decodable(data: bytes, header: Header) -> bytes:
    """Return the bytes to decode, once the file has been found complete, as far as its format tells.

    Raises
    ------
    BadImage
        When the file ends too early, a checksum is wrong, or decoding would take far too long.
    """
    if header.format == "png":
        return _png_essence(data)
    if header.format == "jpeg2000" and data.find(b"\xff\xd9", header.pixels) < 0:
        raise BadImage(CUT_SHORT)
    if header.format == "jpeg":
        # The rest of an image that ends too early would be gray.
        if data.rfind(b"\xff\xd9", header.pixels) < 0:
            raise BadImage(CUT_SHORT)
        if data.count(b"\xff\xda", header.pixels) > MAX_SCANS and _has_many_scans(data, header.pixels):
            raise BadImage(f"more than {MAX_SCANS} scans; save it again, not progressive")
    return data


# JPEG: segments of marker, length, content; then the pixels, up to the end marker.

_START_OF_SCAN, _END_OF_IMAGE = 0xDA, 0xD9
_START_OF_FRAME = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
_MARKER = re.compile(rb"\xff[^\xff\x00\x01\xd0-\xd8]")  # those that begin a segment, and the end marker


def _read_jpeg(data: bytes) -> Header:
    size = None
    position = 2
    for _ in range(MAX_SEGMENTS):
        found = _MARKER.search(data, position)
        if not found:
            raise BadImage(CUT_SHORT)
        position = found.start()
        marker = data[position + 1]
        if marker == _END_OF_IMAGE:
            break
        if marker == _START_OF_SCAN and size:
            height, width, channels = size
            return Header("jpeg", width, height, gray=channels == 1, pixels=position)
        if marker in _START_OF_FRAME:
            size = struct.unpack_from(">HHB", data, position + 5)
        (length,) = struct.unpack_from(">H", data, position + 2)
        position += 2 + length
    raise BadImage(DAMAGED)


def _has_many_scans(data: bytes, position: int) -> bool:
    """Count what begins a scan, but not what looks so in a segment, or behind the end of the image."""
    n_scans = 0
    while n_scans <= MAX_SCANS and (found := _MARKER.search(data, position)):
        start = found.start()
        marker = data[start + 1]
        if marker == _END_OF_IMAGE or start + 4 > len(data):
            break
        n_scans += marker == _START_OF_SCAN
        position = start + 2 + struct.unpack_from(">H", data, start + 2)[0]
    return n_scans > MAX_SCANS


# PNG: chunks of length, name, content, checksum.

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_ESSENCE = {b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND", b"eXIf"}  # pixels and orientation


def _read_png(data: bytes) -> Header:
    if data[12:16] != b"IHDR":
        raise BadImage(DAMAGED if len(data) > 16 else CUT_SHORT)
    width, height, _, colours = struct.unpack_from(">IIBB", data, 16)
    alpha = colours in (4, 6)
    for name, start, _ in _png_chunks(data):
        if name == b"acTL":
            (frames,) = struct.unpack_from(">I", data, start + 8)
            if frames > 1:
                raise BadImage(f"animated, {frames:,} frames; save one of them as an image of its own")
        if name == b"IDAT":
            break
        alpha |= name == b"tRNS"
    return Header("png", width, height, gray=colours in (0, 4), alpha="straight" if alpha else None)


def _png_chunks(data: bytes) -> Iterator[tuple[bytes, int, int]]:
    """Yield name, start and end of each chunk, the last one included."""
    start = len(_PNG)
    while start + 12 <= len(data):
        length, name = struct.unpack_from(">I4s", data, start)
        end = start + 12 + length
        if end > len(data):
            break
        yield name, start, end
        if name == b"IEND":
            return
        start = end
    raise BadImage(CUT_SHORT)


def _png_essence(data: bytes) -> bytes:
    """Leave out the chunks that do not matter: the decoder would warn of every odd profile or date."""
    view = memoryview(data)
    chunks = [view[: len(_PNG)]]
    for name, start, end in _png_chunks(data):
        if name in _PNG_ESSENCE:
            (checksum,) = struct.unpack_from(">I", data, end - 4)
            if zlib.crc32(view[start + 4 : end - 4]) != checksum:
                raise BadImage(DAMAGED)
            chunks.append(view[start:end])
    return b"".join(chunks)


# TIFF: a chain of pages, each a table of tags.

_SUBFILE, _WIDTH, _HEIGHT, _BITS, _PHOTOMETRIC, _EXTRA_SAMPLES = 254, 256, 257, 258, 262, 338
_TILE_WIDTH = 322
_TIFF_NUMBERS = {1: (1, "B"), 3: (2, "H"), 4: (4, "I")}  # type: size, code of struct
TIFF = {b"II*\0": "<", b"MM\0*": ">"}  # how a file begins, and the order of its bytes


class TiffPage(NamedTuple):
    """Where a page's table is, its tags that are numbers, and where it is said where the next table is."""

    position: int
    tags: dict[int, int]
    link: int

    @property
    def is_image(self) -> bool:
        """Whether it is no smaller copy of another page, and no mask."""
        return not self.tags.get(_SUBFILE, 0) & 0b101

    @property
    def is_tiled(self) -> bool:
        """Whether parts of it can be read."""
        return _TILE_WIDTH in self.tags

    @property
    def pixels(self) -> int:
        """How many it has."""
        return self.tags.get(_WIDTH, 0) * self.tags.get(_HEIGHT, 0)


def tiff_pages(data) -> list[TiffPage]:
    """Return the pages of a TIFF file that are images; of its bytes, or of anything with such slices.

    Raises
    ------
    BadImage
        When a table is beyond the end of the file.
    """
    try:
        return [page for page in _tiff_pages(data, TIFF[data[:4]]) if page.is_image]
    except (struct.error, KeyError):
        raise BadImage(CUT_SHORT) from None


def single_page(data: bytes, number: int) -> bytes:
    """Return a TIFF file, or what else there is, with one of its pages only, counted from 1.

    Raises
    ------
    BadImage
        When there is no such page.
    """
    order = TIFF.get(data[:4])
    pages = tiff_pages(data) if order else []
    if not 1 <= number <= len(pages):
        raise BadImage(f"no page {number:,}; it has {len(pages) if order else 1:,}")
    page, view = pages[number - 1], memoryview(data)
    start, end = struct.pack(f"{order}I", page.position), bytes(4)
    return b"".join((view[:4], start, view[8 : page.link], end, view[page.link + 4 :]))


def _read_tiff(data: bytes) -> Header:
    pages = list(_tiff_pages(data, TIFF[data[:4]]))
    if not pages:
        raise BadImage(DAMAGED)
    n_images = sum(page.is_image for page in pages)
    if n_images > MAX_PAGES:
        raise BadImage(f"more than {MAX_PAGES:,} pages; save each as a file of its own")
    if n_images > 1:
        raise BadImage(f"{n_images:,} pages; name one of them: the second is FILE#2")
    tags = pages[0].tags
    bits, colours = tags.get(_BITS, 1), tags.get(_PHOTOMETRIC)
    if bits > 16:
        raise BadImage(f"{bits} bits a channel; convert it to 8 bits")
    alpha = None
    if colours == 2 and tags.get(_EXTRA_SAMPLES) in (1, 2):
        # The decoder multiplies 8 bits by itself.
        alpha = "premultiplied" if bits == 8 or tags[_EXTRA_SAMPLES] == 1 else "straight"
    return Header("tiff", tags.get(_WIDTH, 0), tags.get(_HEIGHT, 0), gray=colours in (0, 1), alpha=alpha)


def _tiff_pages(data, order: str) -> Iterator[TiffPage]:
    """Yield each page; of several numbers in a tag, the first.

    Of a tag that is there twice the first counts, as for the decoder.
    """
    (position,) = _unpacked(data, f"{order}I", 4)
    seen: set[int] = set()
    while position and position not in seen and len(seen) <= MAX_PAGES:
        seen.add(position)
        (n_tags,) = _unpacked(data, f"{order}H", position)
        first, end = position + 2, position + 2 + 12 * n_tags
        tags = [_tiff_tag(data, order, entry) for entry in range(first, end, 12)[:MAX_TAGS]]
        yield TiffPage(position, dict(reversed(tags)), end)
        (position,) = _unpacked(data, f"{order}I", end)


def _tiff_tag(data, order: str, entry: int) -> tuple[int, int]:
    tag, kind, count, offset = _unpacked(data, f"{order}HHII", entry)
    if kind not in _TIFF_NUMBERS:
        return tag, 0
    size, code = _TIFF_NUMBERS[kind]
    if count * size <= 4:
        offset = entry + 8
    return tag, _unpacked(data, f"{order}{code}", offset)[0]


def _unpacked(data, layout: str, start: int) -> tuple:
    return struct.unpack(layout, data[start : start + struct.calcsize(layout)])


# BMP: a file header of 14 bytes, then one that begins with its own size.

_BMP_SIZES = {12, 16, 40, 52, 56, 64, 108, 124}


def _read_bmp(data: bytes) -> Header:
    (size,) = struct.unpack_from("<I", data, 14)
    if size not in _BMP_SIZES:
        raise BadImage("not an image")
    width, height = struct.unpack_from("<HH" if size == 12 else "<ii", data, 18)
    return Header("bmp", width, abs(height))  # of a height below 0 the first row is the upper one


# WebP: RIFF chunks of name, length, content. The first one tells the size.


def _read_webp(data: bytes) -> Header:
    if data[8:12] != b"WEBP":
        raise BadImage("not an image")
    (length,) = struct.unpack_from("<I", data, 4)
    kind = data[12:16]
    if kind == b"VP8X":
        if data[20] & 0b10:
            raise BadImage("animated; save one of its frames as an image of its own")
        alpha = data[20] & 0b10000
        width, height = (int.from_bytes(side, "little") + 1 for side in (data[24:27], data[27:30]))
    elif kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 21)
        alpha, width, height = bits >> 28 & 1, (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    elif kind == b"VP8 ":
        alpha, (width, height) = 0, (side & 0x3FFF for side in struct.unpack_from("<HH", data, 26))
    else:
        raise BadImage(DAMAGED)
    if 8 + length > len(data):
        raise BadImage(CUT_SHORT)
    return Header("webp", width, height, alpha="straight" if alpha else None)


# JPEG 2000: a codestream, alone or in one of a row of boxes of length, name, content.

_CODESTREAM = b"\xff\x4f\xff\x51"
_JP2 = b"\0\0\0\x0cjP  \r\n"
_CMYK = 12


def _read_jp2(data: bytes) -> Header:
    alpha = "straight"
    position = 0
    for _ in range(MAX_SEGMENTS):
        length, name = struct.unpack_from(">I4s", data, position)
        start, end = position + 8, position + length if length else len(data)
        if length == 1:
            start, end = position + 16, position + struct.unpack_from(">Q", data, start)[0]
        if end > len(data):
            raise BadImage(CUT_SHORT)
        if end < start:
            raise BadImage(DAMAGED)
        if name == b"jp2c":
            return _read_codestream(data, start, alpha)
        if name == b"jp2h":
            boxes = data[start:end]
            if b"pclr" in boxes or b"colr\1\0\0" + struct.pack(">I", _CMYK) in boxes:
                raise BadImage("a JPEG 2000 image with a palette or in CMYK; convert it to png or jpg")
            if b"cdef" in boxes and b"\0\x03\0\x02\0\0" in boxes:
                alpha = "premultiplied"
        position = end
    raise BadImage(DAMAGED)


def _read_codestream(data: bytes, start: int = 0, alpha: str = "straight") -> Header:
    if data[start : start + 4] != _CODESTREAM:
        raise BadImage(DAMAGED)
    right, bottom, left, top = struct.unpack_from(">4I", data, start + 8)
    channels, bits = struct.unpack_from(">HB", data, start + 40)
    bits = (bits & 0x7F) + 1
    has_alpha = channels == 4
    if bits > 16 or channels > 4 or (has_alpha and bits not in (8, 16)):
        raise BadImage(f"{channels:,} channels of {bits} bits; convert it to png or jpg")
    size = max(0, right - left), max(0, bottom - top)
    return Header("jpeg2000", *size, gray=channels < 3, alpha=alpha if has_alpha else None, pixels=start)


_READERS = {
    b"\xff\xd8\xff": _read_jpeg,
    _PNG: _read_png,
    **dict.fromkeys(TIFF, _read_tiff),
    b"BM": _read_bmp,
    b"RIFF": _read_webp,
    _JP2: _read_jp2,
    _CODESTREAM: _read_codestream,
}
