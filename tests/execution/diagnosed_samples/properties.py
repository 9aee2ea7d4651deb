"""A property that the NPU does not have."""

import torch

properties = torch.cuda.get_device_properties(torch.device("cuda"))
blocks = properties.warp_size * 2  # FAILS: TypeError
print(properties.name, blocks)
