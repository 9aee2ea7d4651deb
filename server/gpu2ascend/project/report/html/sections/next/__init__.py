"""What comes after a migration: the steps to the NPU, and a run on a simulated one."""
