"""A module for each document: what it says, measured again, in the order of the document."""
