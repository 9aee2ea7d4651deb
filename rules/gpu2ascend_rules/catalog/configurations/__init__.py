"""NPU12xx: values of configurations."""
