"""Everything against every peer, in one report: `python -m benchmarks.all --help`."""
