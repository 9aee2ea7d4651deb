"""NPU6xx: attention, fused kernels, extensions."""
