"""The report of an evaluation: one HTML page with tables and plots."""
