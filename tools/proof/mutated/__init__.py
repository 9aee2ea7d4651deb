"""Thousands of files that people might have, made of real ones by chance, and what must hold of each."""
