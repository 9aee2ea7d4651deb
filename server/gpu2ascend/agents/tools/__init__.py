"""The tools: each runs a command of the command line, and cuts what it prints to size."""
