"""Results: tables, records, plots and pages."""
