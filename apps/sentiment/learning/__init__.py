"""The steps of a training: counting, choosing the recipe and alpha, fitting, calibrating, validating."""
