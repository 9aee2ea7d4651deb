"""NPU4xx: process groups, backends and launch."""
