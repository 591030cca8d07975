"""The commands of fastsvm-cells, one a file: options in, tables, JSON and pictures out.

What brings NumPy, OpenCV or Matplotlib is imported inside the commands: `--help` must not wait for it.
"""

NAMES = ("classify", "train", "evaluate", "explain", "review", "adapt", "crop", "sample")
COMMANDS = {name: f"{__name__}.{name}" for name in NAMES}  # imported when they are called
