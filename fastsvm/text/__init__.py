"""Texts to matrices: a compiled vectoriser, weightings of its counts, and the choice of terms."""
