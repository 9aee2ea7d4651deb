"""What the commands answer, as the plain data that docs/lsp.md describes."""
