"""NPU0xx: how far PyTorch's own APIs work on the NPU."""
