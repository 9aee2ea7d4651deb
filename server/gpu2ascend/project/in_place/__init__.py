"""Migrates the user's own git work tree: edits on a branch, in commits by cause."""
