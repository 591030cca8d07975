"""Data sets of the studies: public ones, smears that are drawn, and rows from the user's own file."""
