"""A property that the NPU does not have."""

import torch

properties = torch.cuda.get_device_properties(torch.device("cuda"))
blocks = properties.multi_processor_count * 2  # FAILS: AttributeError
print(properties.name, blocks)
