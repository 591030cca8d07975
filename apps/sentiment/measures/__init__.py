"""Scores, thresholds and probabilities of predictions, and what a model's terms contribute."""
