"""What starts the programs of a project, and which files each of them reaches."""
