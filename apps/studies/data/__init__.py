"""Data sets of the studies: public sets, synthetic smears and crops."""
