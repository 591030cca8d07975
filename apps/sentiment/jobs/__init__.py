"""Whole jobs, one for each command: train, evaluate, explain, inspect, export."""
