"""Makes the tables of CUDA operators and what takes their place on the NPU."""
