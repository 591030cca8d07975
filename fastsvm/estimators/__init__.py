"""scikit-learn's contract over what the rooms below do; `fastsvm` and `fastsvm.text` have the names."""
