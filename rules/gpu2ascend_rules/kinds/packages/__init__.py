"""Lists of dependencies, in whatever file they stand: their places, and how a requirement is read."""
