"""What Python runs at the start of a verified process; copied into the folder on PYTHONPATH."""
