"""NPU5xx: backend flags, determinism, compilation, graphs, profiling."""
