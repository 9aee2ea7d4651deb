"""What rules are told of the other files of a project, as plain data."""
