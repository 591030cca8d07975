"""The studies of five documents, as an app."""
