"""The programs of a project that take the NPU's word already."""
