"""NPU8xx: data loading, checkpoints, numerics."""
