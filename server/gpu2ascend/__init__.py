"""Everything with a side effect: project migration, the command line and the language server."""

__version__ = "0.2.0"
