"""Model files: the container, its checked fields, and texts scored from one without scikit-learn."""
