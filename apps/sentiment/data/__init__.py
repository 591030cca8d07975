"""Read labelled texts in several formats, and check each text."""
