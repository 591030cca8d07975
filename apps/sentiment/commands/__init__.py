"""The commands of fastsvm-sentiment, one a file: options in, tables or JSON out.

What brings scikit-learn or matplotlib is imported inside the commands: `--help` must not wait for it.
"""

NAMES = ("train", "predict", "evaluate", "explain", "inspect", "export", "serve", "sample")
COMMANDS = {name: f"{__name__}.{name}" for name in NAMES}  # imported when they are called
