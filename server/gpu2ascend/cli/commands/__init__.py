"""The commands, one module each, named as the command: its ``execute`` runs it and returns the exit code."""
