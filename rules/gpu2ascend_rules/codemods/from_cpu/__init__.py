"""A training script that names no device moves to the NPU."""
