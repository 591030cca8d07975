"""Whole jobs, one for each command: classify, train, evaluate, explain, crop."""
