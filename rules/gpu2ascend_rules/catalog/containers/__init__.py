"""NPU13xx: containers and clusters."""
