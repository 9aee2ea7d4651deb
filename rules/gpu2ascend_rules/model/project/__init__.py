"""What rules know of the other files of a project, as plain data."""
