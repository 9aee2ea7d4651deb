"""The profiler, and marks for it."""
