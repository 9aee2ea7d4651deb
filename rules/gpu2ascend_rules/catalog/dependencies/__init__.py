"""NPU11xx: what a project installs."""
