"""Classes: which one an annotation names, what a definition makes, and what torch has."""
