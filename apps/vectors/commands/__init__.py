"""The commands of fastsvm, one per file: options in, results out."""

NAMES = ("fit", "predict", "certify", "path", "cv", "convert")
COMMANDS = {name: f"{__name__}.{name}" for name in NAMES}  # imported when they are called
