"""The commands of fastsvm-cells, one per file: options in, tables, JSON and pictures out.

NumPy, OpenCV and Matplotlib are imported only inside the commands: `--help` must not wait for them.
"""

NAMES = ("classify", "train", "evaluate", "explain", "review", "adapt", "crop", "sample")
COMMANDS = {name: f"{__name__}.{name}" for name in NAMES}  # imported when called
