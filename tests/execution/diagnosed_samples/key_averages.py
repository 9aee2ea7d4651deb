"""A table that the profiler of the NPU does not make."""

import torch
from torch.profiler import ProfilerActivity, profile

with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as prof:
    torch.ones(4, device="cuda").sum()
print(prof.key_averages().table(sort_by="cuda_time_total"))  # FAILS: key_averages
