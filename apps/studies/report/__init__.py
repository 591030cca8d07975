"""What every study ends with: verdicts by one rule, figures, tables, and the pages made of them."""
