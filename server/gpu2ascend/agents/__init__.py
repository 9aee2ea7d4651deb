"""The Model Context Protocol server: what a coding agent asks, answered by the commands of the command line."""
