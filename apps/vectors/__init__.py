"""The command `fastsvm`: linear and kernel machines for files of vectors."""
