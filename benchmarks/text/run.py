"""The sections that the command line asks for."""

from ..machine import described, pin
from .corpora import load

PACKAGES = ("fastsvm", "numpy", "scipy", "scikit-learn", "fasttext-wheel", "vowpalwabbit")


def run(options, where):
    """Measure and print, section by section; return every figure."""
    about = described(PACKAGES, where)
    print(about)
    corpora = [load(name, options.data) for name in options.corpora]
    record = {"about": about.splitlines()}
    for section in options.sections:
        print(f"\n{section}", flush=True)
        if section == "programs":
            from .programs import programs

            print(pin(options.core, options.cores))
            record[section] = programs(options, corpora)
            pin(options.core, 1)
        else:
            from . import parts

            record[section] = getattr(parts, section)(options, corpora)
    return record
