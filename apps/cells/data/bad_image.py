"""The error for an image that cannot be used, its usual reasons, and files that people take for images."""

from ...common.errors import is_shortage

CUT_SHORT = "cut short; copy or download it again"
DAMAGED = "damaged; copy or download it again"
GRAY = "greyscale; give an image in colour"
NO_MEMORY = "too large for the available memory"

# Kinds of files that are not read, and what to do with them.
PICTURE, SLIDE = "save it as JPEG or PNG", "export it as OME-TIFF"
# Offset, bytes there, endings, name, advice; the first that fits counts.
KINDS = (
    (0, b"GIF8", (".gif",), "a GIF image", PICTURE),
    (4, b"ftypavi", (".avif",), "an AVIF image", PICTURE),
    (4, b"ftyphe", (".heic", ".heif"), "a HEIC photograph", PICTURE),
    (4, b"ftypmif1", (), "a HEIC or AVIF image", PICTURE),
    (4, b"ftypmsf1", (), "a HEIC or AVIF image", PICTURE),
    (4, b"JXL \r\n", (".jxl",), "a JPEG XL image", PICTURE),
    (0, b"\xff\x0a", (), "a JPEG XL image", PICTURE),
    (0, b"ZISRAWFILE", (".czi",), "a Zeiss slide (CZI)", SLIDE),
    (0, b"\x70\0\0\0", (".lif",), "a Leica slide (LIF)", SLIDE),
    (0, b"\xda\xce\xbe\x0a", (".nd2",), "a Nikon slide (ND2)", SLIDE),
    (128, b"DICM", (".dcm",), "a DICOM image", PICTURE),
    (0, b"8BPS", (".psd",), "a Photoshop image", PICTURE),
    (0, b"%PDF", (".pdf",), "a PDF document", "save its pictures as PNG"),
    (4, b"ftyp", (".mp4", ".mov"), "a film", "save its frames as PNG"),
    (0, b"PK\3\4", (".zip",), "a zip archive", "unpack it"),
)
FOREIGN_ENDINGS = {ending: kind for kind in KINDS for ending in kind[2]}
KIND_BYTES = 132  # at the start of a file, that tell its kind


class BadImage(Exception):
    """An image that cannot be used; its text is the reason, in a few words."""


def unreadable(error: OSError) -> str:
    """Return the reason that a file cannot be read, in a few words."""
    return NO_MEMORY if is_shortage(error) else f"cannot be read: {error.strerror or error}"


def foreign_kind(start: bytes, ending: str) -> str | None:
    """Return what a file is by its first bytes, or else by its ending, and what to do with it."""
    by_ending = FOREIGN_ENDINGS.get(ending)
    kind = next((kind for kind in KINDS if start.startswith(kind[1], kind[0])), by_ending)
    return kind and f"{kind[3]}; {kind[4]}"
