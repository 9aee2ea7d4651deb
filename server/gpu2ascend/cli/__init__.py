"""The command line: arguments in, text for a terminal or a machine and an exit code out."""
