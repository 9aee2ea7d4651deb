"""Runs a migrated project on a simulated NPU: the one command that executes code of the project."""
