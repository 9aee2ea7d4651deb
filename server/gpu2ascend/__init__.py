"""Everything with a side effect: project migration, the command line and the language server."""

__version__ = "0.3.0.dev0"
