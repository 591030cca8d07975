"""What the constants that steer the solvers are worth: each a quarter and four times as large."""
