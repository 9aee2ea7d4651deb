"""Places that are written otherwise: methods in place, parts of results, formatted text."""
