"""NPU3xx: mixed precision and apex."""
