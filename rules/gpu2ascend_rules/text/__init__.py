"""A Python file as text: its syntax tree, lines, scopes and resolved names."""
