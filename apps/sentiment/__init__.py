"""fastsvm-sentiment: train, evaluate and use classifiers of texts."""
