"""The commands of fastsvm-sentiment, one per file: options in, tables or JSON out.

Modules that import scikit-learn or matplotlib are imported inside the commands: `--help` must not wait.
"""

NAMES = ("train", "predict", "evaluate", "explain", "inspect", "export", "serve", "sample")
COMMANDS = {name: f"{__name__}.{name}" for name in NAMES}  # imported when they are called
