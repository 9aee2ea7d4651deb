"""A project with a finding of each sort: fixed safely or on request, left to a person, silenced, advice."""

from __future__ import annotations

from collections.abc import Mapping

FEW: Mapping[str, str] = {
    "train.py": """\
import argparse

import torch
import torch.distributed as dist
from flash_attn import flash_attn_func

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda")
args = parser.parse_args()

dist.init_process_group("nccl")
torch.backends.cudnn.benchmark = True
model = torch.nn.Linear(4, 2).to(args.device)
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for step in range(10):
    x = torch.randn(8, 4, device=args.device)
    x = flash_attn_func(x, x, x)
    loss = model(x).sum()
    loss.backward()
    optimizer.step()
    print(step, loss.item(), torch.cuda.memory_allocated())
torch.cuda.comm.broadcast(x, [0, 1])
torch.cuda.empty_cache()  # gpu2ascend: ignore[NPU101]
""",
    "plain.py": "def add(a, b):\n    return a + b\n",
    "run.sh": "export CUDA_VISIBLE_DEVICES=0,1\nnvidia-smi\npython train.py --device cuda\n",
    "requirements.txt": "torch==2.8.0+cu126\nflash-attn>=2\n",
}
