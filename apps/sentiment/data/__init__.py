"""Reading: labelled texts in nine formats, each checked."""
