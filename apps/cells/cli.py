"""The command line: the group of the commands in `commands`."""

from ..common.app import app
from .commands import COMMANDS

HELP = """Find, classify and count the white cells in images of stained blood smears.

IMAGES are files (jpg, png, tiff, bmp, webp, jp2) or folders; subfolders are searched too.
Not a medical device.

\b
Examples:
  fastsvm-cells sample
  fastsvm-cells classify smears/new --report smears.html
  fastsvm-cells train smears/images --groups smears/groups.csv
"""

main = app("fastsvm-cells", HELP, COMMANDS)
