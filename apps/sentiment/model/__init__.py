"""Training, choosing, trying, using and explaining a classifier of texts."""
