"""Images of 16 bits a channel of which a camera uses fewer: 12 bits reach up to 4,095."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ...common.printing import note
from .bad_image import BadImage
from .image_threads import map_images

if TYPE_CHECKING:
    from .image_files import ImageFile


def with_bits(files: Sequence["ImageFile"], folder: str) -> list["ImageFile"]:
    """Give images of 16 bits a channel that came together the bits that their largest value needs."""
    most = 0
    for _, found in map_images(lambda file: file.open().most_bits(), files):
        most = max(most, 0 if isinstance(found, BadImage) else found)
        if most == 16:
            break
    bits = max(most, 8)
    if most and bits < 16:
        white = 2**bits - 1
        note(f"note: {folder}: its 16-bit images use {bits} bits: {white:,} is taken for white, not 65,535")
    return [replace(file, bits=bits) for file in files] if most else list(files)
