"""Texts of no language in particular: files of any kind, and JSON."""
