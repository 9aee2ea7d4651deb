"""NPU114: what Python reads otherwise than it is written."""
