"""Findings as diagnostics: published, pulled for a document, and pulled for the workspace."""
