"""Changes to files as the client applies them: workspace edits and the package of equivalents."""
