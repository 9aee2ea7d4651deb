"""What a migration reports: the outcome of each file, the summary, the log, CSV files and diffs."""
