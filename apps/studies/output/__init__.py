"""What a study leaves: pictures, tables, a page, verdicts."""
