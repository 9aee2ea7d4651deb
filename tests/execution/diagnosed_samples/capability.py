"""A capability test: there is no such number for an NPU."""

import torch

assert torch.cuda.is_available()
major, minor = torch.cuda.get_device_capability()  # FAILS: TypeError
print("tensor cores" if major >= 7 else "none", minor)
