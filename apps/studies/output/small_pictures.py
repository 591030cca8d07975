"""Pictures small enough to be kept with the documentation."""

from io import BytesIO

from ...common.errors import AppError

LIMIT_BYTES = 80_000  # bytes
SIZES = ((1000, 256), (1000, 64), (800, 48), (640, 32), (480, 16))  # pixels across, colours


def small_picture(content: bytes, name: str) -> bytes:
    """Return a PNG with fewer pixels and colours; one that is small already stays as it is.

    Raises
    ------
    AppError
        When it is no picture, or too large whatever is tried.
    """
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(BytesIO(content)) as image:
            if image.width <= SIZES[0][0] and len(content) <= LIMIT_BYTES:
                return content
            picture = image.convert("RGB")
    except (UnidentifiedImageError, OSError) as error:
        raise AppError(f"{name}: {error}; run the study again") from error
    for width, colours in SIZES:
        small = picture.copy()
        small.thumbnail((width, 10 * width), Image.Resampling.LANCZOS)
        file = BytesIO()
        # Of the other methods, the usual one gives two thin lines of different colours the same.
        reduced = small.quantize(colours, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        reduced.save(file, format="PNG", optimize=True)
        if file.tell() <= LIMIT_BYTES:
            return file.getvalue()
    raise AppError(f"{name}: is more than {LIMIT_BYTES:,} bytes however small; draw less in it")
