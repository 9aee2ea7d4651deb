"""NPU10xx: shell scripts and commands."""
