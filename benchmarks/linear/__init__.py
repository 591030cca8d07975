"""Linear models against their peers: `python -m benchmarks.linear --help`."""
