"""Model files, and files of vectors to write."""
