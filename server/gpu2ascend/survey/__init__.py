"""A look at many projects: which can move, what blocks them, and which APIs matter most."""
