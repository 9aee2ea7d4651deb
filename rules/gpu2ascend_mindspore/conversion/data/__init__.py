"""Datasets, their batches, and files."""
