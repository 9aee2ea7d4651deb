"""NPU9xx: environment variables and external commands."""
