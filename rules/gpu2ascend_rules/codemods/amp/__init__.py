"""Mixed precision, carried from one form to another over a whole module."""
