"""Edits of texts, and where an offset lies after them."""
