"""Drawn into pixels: the cells found in an image, and many images on one sheet."""

import os
import unicodedata
import zlib
from collections.abc import Iterable, Sequence
from itertools import islice

import cv2
import numpy as np

from ...common.errors import AppError, is_shortage
from ...common.files import replace_file
from ...common.matplotlib_figures import OKABE_ITO
from ...common.paths import Kind
from ...common.printing import printable, shortened
from ..data.image_reader import resized
from ..finding.document_crop import Step
from ..finding.findings import PLATELET, RED_CELL, UNCLASSIFIED, FoundCell, ImageFindings

# In an order that gives neutrophil, monocyte, lymphocyte, eosinophil and basophil different colours.
PALETTE = tuple(
    OKABE_ITO[name] for name in ("orange", "sky blue", "blue", "green", "purple", "vermilion", "yellow")
)
OTHERS = {RED_CELL: "#d00000", PLATELET: "#38f000"}
NO_LABEL = "#8b949e"
MAX_SHEET_PIXELS = 40_000_000  # pixels
MAX_LABEL_LETTERS = 24  # letters
LINE_PIXELS = 15  # pixels, of a caption
MAX_STEP = 800  # pixels a side, of the picture of a step
MARK = b"fastsvm-cells"  # in the files whose names come from those of images
MARKED = Kind("a picture of fastsvm-cells", (".png", ".jpg"), rb"(\x89PNG|\xff\xd8).{,60}" + MARK)

WHITE, BLACK, PAPER, EDGE = (255, 255, 255), (0, 0, 0), (255, 255, 255), (200, 200, 200)


def color_of(label: str | None) -> str:
    """Return the colour of a class as #rrggbb: always the same for the same name, upper case or lower."""
    if label in (None, UNCLASSIFIED):
        return NO_LABEL
    return PALETTE[zlib.crc32(label.upper().encode(errors="replace")) % len(PALETTE)]


def draw_overlay(image: np.ndarray, found: ImageFindings) -> np.ndarray:
    """Draw what was found in an image.

    Parameters
    ----------
    image : ndarray of shape (height, width, 3)
        Channels blue, green, red.
    found : ImageFindings

    Returns
    -------
    ndarray of shape (height, width, 3)
        A copy with box, centre, label and score of each cell, and thin outlines of the others.
    """
    canvas = np.ascontiguousarray(image).copy()
    line = max(2, round(max(canvas.shape[:2]) / 500))
    for other in found.others:
        cv2.polylines(canvas, [other.outline], True, _bgr_of(OTHERS[other.label]), line - 1, cv2.LINE_AA)
    for cell in found.cells:
        center = tuple(map(int, cell.center))
        corners = _corners(canvas, cell, line)
        # With a dark edge, a colour is visible on any background.
        for color, thickness in ((BLACK, line + 2), (_bgr_of(color_of(cell.label)), line)):
            cv2.rectangle(canvas, *corners, color, thickness)
            cv2.drawMarker(canvas, center, color, cv2.MARKER_CROSS, 6 * line, thickness)
    for cell in found.cells:
        _draw_plate(canvas, cell, line)
    return canvas


def contact_sheet(
    tiles: Iterable[tuple[np.ndarray, str]],
    *,
    tile: int = 120,
    columns: int | None = None,
    title: str | None = None,
    lines: int = 1,
) -> np.ndarray:
    """Lay images out on a sheet, each fitted into a square with its caption below.

    Parameters
    ----------
    tiles : iterable of (ndarray, str)
        Images and captions; caption lines that are too long are cut in the middle. No more are taken than fit
        on a sheet of `MAX_SHEET_PIXELS` pixels; the last place then says that there are more.
    tile : int, default=120
        Side of a square in pixels.
    columns : int, optional
        By default the sheet is somewhat wider than high.
    title : str, optional
        A line above.
    lines : int, default=1
        Lines per caption, at most.

    Returns
    -------
    ndarray of shape (height, width, 3)
        Channels blue, green, red.
    """
    gap, band, head = 8, 20 + LINE_PIXELS * (lines - 1), 40 if title else 8
    # With the gaps and the head of a sheet of one column or one row.
    places = max(1, MAX_SHEET_PIXELS // ((tile + 2 * gap) * (tile + gap + band + head)))
    tiles = iter(tiles)
    fitted = [(_fitted(image, tile), caption) for image, caption in islice(tiles, places)]
    if len(fitted) == places and next(tiles, None) is not None:
        fitted[-1] = (np.full((tile, tile, 3), 240, np.uint8), "... and more")
    columns = max(1, min(columns or round((1.5 * len(fitted)) ** 0.5), len(fitted)))
    rows = max(1, -(-len(fitted) // columns))
    height, width = head + rows * (tile + gap + band), gap + columns * (tile + gap)
    sheet = np.full((height, width, 3), PAPER, np.uint8)
    if title:
        _draw_text(sheet, title, (gap, 26), 0.6, width - 2 * gap)
    for place, (image, caption) in enumerate(fitted):
        row, column = divmod(place, columns)
        x, y = gap + column * (tile + gap), head + row * (tile + gap + band)
        sheet[y : y + tile, x : x + tile] = image
        cv2.rectangle(sheet, (x, y), (x + tile - 1, y + tile - 1), EDGE, 1)
        for number, line in enumerate(caption.split("\n")):
            _draw_text(sheet, line, (x, y + tile + 14 + LINE_PIXELS * number), 0.4, tile)
    return sheet


def steps_sheet(steps: Sequence[Step]) -> np.ndarray:
    """Lay out an image and the pictures of the steps that lead from it to its crop, four in a row."""
    tiles = [
        (cv2.copyMakeBorder(_bgr(picture), *[1] * 4, cv2.BORDER_CONSTANT, value=EDGE), f"{k}. {title}")
        for k, (title, picture) in enumerate(steps)
    ]
    return contact_sheet(tiles, tile=min(MAX_STEP, max(tiles[0][0].shape)), columns=4)


def save_image(path: str, image: np.ndarray, *, marked: bool = False) -> None:
    """Write an image atomically, in the format of the ending of its name; PNG and JPEG can be `marked`."""
    ending = os.path.splitext(path)[1].lower()
    content = encoded(image, ending)
    if content is None:
        height, width = image.shape[:2]
        raise AppError(f"{path}: OpenCV cannot write {width:,} x {height:,} pixels as {ending}; try .png")
    replace_file(path, _with_mark(content) if marked else content)


def _with_mark(content: bytes) -> bytes:
    """Return a PNG or JPEG file with the comment that makes it one of `MARKED`."""
    text, start = b"tEXtSoftware\0" + MARK, 33  # behind the header
    chunk = (len(text) - 4).to_bytes(4) + text + zlib.crc32(text).to_bytes(4)
    if content.startswith(b"\xff\xd8"):
        chunk, start = b"\xff\xfe" + (len(MARK) + 2).to_bytes(2) + MARK, 20
    return content[:start] + chunk + content[start:]


def encoded(image: np.ndarray, ending: str = ".png") -> bytes | None:
    """Return an image as the content of a file, or None if the format cannot hold it."""
    try:
        done, content = cv2.imencode(ending, image)
    except cv2.error as error:
        if is_shortage(error):
            raise
        return None
    return content.tobytes() if done else None


def _bgr(image: np.ndarray) -> np.ndarray:
    """Return any image, grey or mask, with three channels of 8 bits."""
    if image.dtype == bool:
        image = image * np.uint8(255)
    return np.repeat(image[:, :, None], 3, axis=2) if image.ndim == 2 else image


def _bgr_of(color: str) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(color[1:])
    return blue, green, red


def _corners(canvas: np.ndarray, cell: FoundCell, line: int) -> list[tuple[int, int]]:
    """Return two corners of the box, moved inside so that the whole line is visible."""
    height, width = canvas.shape[:2]
    x, y, box_width, box_height = cell.box
    inside = line // 2
    return [
        (int(np.clip(x, inside, width - 1 - inside)), int(np.clip(y, inside, height - 1 - inside)))
        for x, y in ((x, y), (x + box_width - 1, y + box_height - 1))
    ]


def _draw_plate(canvas: np.ndarray, cell: FoundCell, line: int) -> None:
    """Write the label on a plate of its colour: above, below or inside the box, where there is room."""
    height, width = canvas.shape[:2]
    scale = max(0.4, max(height, width) / 1300)
    pen, pad = max(1, round(1.3 * scale)), line + 1
    caption = f"{shortened(_ascii(cell.label), MAX_LABEL_LETTERS)} {cell.score:.2f}"
    caption, (text_width, text_height), scale = _fitting(caption, scale, width - 2 * pad, pen)
    plate_width, plate_height = text_width + 2 * pad, text_height + 2 * pad
    (left, top), (_, bottom) = _corners(canvas, cell, line)
    above, below = top - line - plate_height, bottom + line
    y = above if above >= 0 else below if below + plate_height <= height else top + line
    x = max(0, min(left - line, width - plate_width))
    y = max(0, min(y, height - plate_height))
    color = _bgr_of(color_of(cell.label))
    ink = BLACK if np.dot(color, (0.114, 0.587, 0.299)) > 110 else WHITE
    cv2.rectangle(canvas, (x, y), (x + plate_width - 1, y + plate_height - 1), color, cv2.FILLED)
    foot = (x + pad, y + pad + text_height - 1)
    cv2.putText(canvas, caption, foot, cv2.FONT_HERSHEY_SIMPLEX, scale, ink, pen, cv2.LINE_AA)


def _draw_text(sheet: np.ndarray, text: str, foot: tuple[int, int], scale: float, width: int) -> None:
    text, _, scale = _fitting(_ascii(text), scale, width, 1)
    cv2.putText(sheet, text, foot, cv2.FONT_HERSHEY_SIMPLEX, scale, (40, 40, 40), 1, cv2.LINE_AA)


def _fitting(text: str, scale: float, width: int, pen: int) -> tuple[str, tuple[int, int], float]:
    """Return text that is not wider than `width`, its size and scale; shortened first, then made smaller."""

    whole = text

    def size_of(text):
        return cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, pen)[0]

    size = size_of(text)
    kept = min(len(text), 200)
    # Names of a series differ at their ends.
    while size[0] > width and kept > 8:
        kept -= 1
        text = f"{whole[: kept // 3].rstrip()}...{whole[-(kept - kept // 3) :].lstrip()}"
        size = size_of(text)
    while size[0] > width and scale > 0.1:
        scale *= 0.9
        size = size_of(text)
    return text, size, scale


def _ascii(text: str) -> str:
    """Return the nearest text that OpenCV's letters can show."""
    letters = unicodedata.normalize("NFKD", printable(text))
    letters = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return letters.encode("ascii", "replace").decode()


def _fitted(image: np.ndarray, side: int) -> np.ndarray:
    """Return an image in the middle of a white square."""
    image = shrunk(_bgr(image), side, enlarge=True)
    height, width = image.shape[:2]
    top, left = (side - height) // 2, (side - width) // 2
    square = np.full((side, side, 3), PAPER, np.uint8)
    square[top : top + height, left : left + width] = image
    return square


def shrunk(image: np.ndarray, side: int, enlarge: bool = False) -> np.ndarray:
    """Return an image whose longer side is `side`, or shorter unless it is to be enlarged."""
    factor = side / max(image.shape[:2])
    if factor >= 1 and not enlarge:
        return image
    height, width = (max(1, round(factor * length)) for length in image.shape[:2])
    return resized(image, (width, height))
