"""Measurements against peers; see README.md. Nothing here is part of the tests."""
