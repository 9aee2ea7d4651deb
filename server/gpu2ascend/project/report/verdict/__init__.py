"""What may be said of a project, and how its files are reached: plain data."""
