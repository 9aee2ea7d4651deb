"""The Model Context Protocol server: a coding agent is answered by the commands of the command line."""
