"""From options to fitted models."""
