"""Finding cells, measuring and classifying them; training and trying a classifier."""
