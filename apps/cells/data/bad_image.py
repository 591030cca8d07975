"""The error for an image that cannot be used, and its usual reasons."""

from ...common.errors import is_shortage

CUT_SHORT = "cut short; copy or download it again"
DAMAGED = "damaged; copy or download it again"
GRAY = "greyscale; give an image in colour"
NO_MEMORY = "too large for the memory there is"


class BadImage(Exception):
    """An image that cannot be used; its text is the reason, in a few words."""


def unreadable(error: OSError) -> str:
    """Return the reason that a file cannot be read, in a few words."""
    return NO_MEMORY if is_shortage(error) else f"cannot be read: {error.strerror or error}"
