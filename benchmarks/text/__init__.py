"""Texts against peers, from counting words to whole programs: `python -m benchmarks.text --help`."""
