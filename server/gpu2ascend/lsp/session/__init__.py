"""What one session holds: the open documents, their analyses, the worker, the settings and the log."""
