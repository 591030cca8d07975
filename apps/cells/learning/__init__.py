"""Labels and samples to train on, calibration, corrections and the classifier of cells."""
