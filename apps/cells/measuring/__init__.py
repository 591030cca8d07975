"""Measure a cell: its features, and its size in micrometres."""
