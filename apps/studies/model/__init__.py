"""The experiments of the studies, and what they say of each claim."""
