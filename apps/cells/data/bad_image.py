"""The error for an image that cannot be used, and its usual reasons."""

from ...common.errors import is_shortage

CUT_SHORT = "cut short; copy or download it again"
DAMAGED = "damaged; copy or download it again"
GRAY = "grayscale; stains are told by their colours"
NO_MEMORY = "too large for the memory there is"


class BadImage(Exception):
    """An image that cannot be used; its text says why in a few words."""


def unreadable(error: OSError) -> str:
    """Say in a few words why a file cannot be read."""
    return NO_MEMORY if is_shortage(error) else f"cannot be read: {error.strerror or error}"
