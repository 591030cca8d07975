"""Charts of the documents that are not ported yet."""
