"""Results: tables, records, pictures, pages, and where they go."""
