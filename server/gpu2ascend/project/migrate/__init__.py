"""The migration of a project: the request, the work on each file, the new tree and its added files."""
