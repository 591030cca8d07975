"""Kernel machines: see `python -m benchmarks.kernel --help`."""
