"""The sections that the command line asks for."""

import json
from importlib import import_module

from ..machine import described

PACKAGES = ("fastsvm", "numpy", "scipy", "scikit-learn", "libsvm-official")


def run(options, where):
    """Measure and print, section by section; write every figure where that is asked for."""
    about = described(PACKAGES, where)
    print(about)
    record = {"about": about.splitlines()}
    for name in options.sections:
        print(f"\n{name}", flush=True)
        record[name] = getattr(import_module(f".{name}", __package__), name)(options)
    if options.output:
        options.output.mkdir(parents=True, exist_ok=True)
        (options.output / "kernel.json").write_text(json.dumps(record, indent=1) + "\n")
