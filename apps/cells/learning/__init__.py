"""Samples, versions of labels, calibration and the classifier of cells."""
