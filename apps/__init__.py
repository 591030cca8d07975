"""Command-line apps built on fastsvm's public names."""
