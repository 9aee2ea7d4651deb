"""Marks for Nsight."""

import torch

x = torch.ones(4, device="cuda")
torch.cuda.nvtx.range_push("sum")  # FAILS: NVTX
x.sum()
torch.cuda.nvtx.range_pop()
