"""Code as it is recognized: expressions with holes."""
