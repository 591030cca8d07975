"""What every study shares: its context, its report, the rules of its verdicts."""
