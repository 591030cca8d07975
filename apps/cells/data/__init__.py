"""Reading: image files and what is known about them, each checked."""
