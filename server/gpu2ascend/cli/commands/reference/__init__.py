"""Commands that answer from tables and definitions."""
