"""NPU2xx: device strings, ordinals and tests."""
