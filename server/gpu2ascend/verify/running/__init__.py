"""Starts the processes of a run, watches them, and ends them: the only place that executes a project."""
