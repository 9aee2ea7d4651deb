"""The vendor's own Python tests, run with torch_npu itself on the emulated CANN."""
