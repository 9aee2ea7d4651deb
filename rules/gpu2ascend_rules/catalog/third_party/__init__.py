"""NPU7xx: libraries with or without NPU support."""
