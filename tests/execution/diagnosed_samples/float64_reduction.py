"""A reduction in double precision."""

import os

import torch
import torch.distributed as dist

torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl")
total = torch.ones(2, dtype=torch.float64, device="cuda")  # FAILS: Unsupported data type
dist.all_reduce(total)
dist.destroy_process_group()
