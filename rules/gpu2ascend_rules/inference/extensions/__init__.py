"""What the extensions of a project are compiled from."""
