"""What each file of a project says of its programs."""
