"""Texts in the user's language that both the command line and the language server show."""
