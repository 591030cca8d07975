"""The command line: the group of the commands in `commands`."""

from ..common.app import app
from .commands import COMMANDS

HELP = """Find the white cells in images of stained blood smears, classify and count them.

IMAGES are folders, with all their folders, or files: jpg, png, tiff, bmp, webp, jp2.
Not a medical device.

\b
Examples:
  fastsvm-cells classify smears --report smears.html
  fastsvm-cells train smears -o smears.safetensors
"""

main = app("fastsvm-cells", HELP, COMMANDS)
