"""ACC105 and ACC106: texts that name a CUDA device, and tests of a device's type."""
