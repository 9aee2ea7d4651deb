"""torch_npu of each release, on the emulated CANN."""
