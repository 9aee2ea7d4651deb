"""Which functions of a library reach APIs that do not work on the NPU."""
