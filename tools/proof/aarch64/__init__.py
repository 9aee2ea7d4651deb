"""The emulated CANN on aarch64, on a machine of another architecture."""
