"""Prints what constructs of CUDA yield under transfer_to_npu: one line of JSON for each, by its name."""

from torch.cuda import is_available as bound_before  # noqa: I001  (the order is what is tried)
import torch
import torch_npu  # noqa: F401

import json
import tempfile
from pathlib import Path

from gpu2ascend_simulator.cuda_trap import set_trap

# Before transfer_to_npu is imported torch.cuda is an error in this file, as in those of every project.
set_trap(Path(__file__).parent)
from torch_npu.contrib import transfer_to_npu  # noqa: E402, F401

PLACE = tempfile.TemporaryDirectory(prefix="cuda_runs")
FOLDER = PLACE.name
SAVED = str(Path(FOLDER, "model.pt"))
torch.save({"weight": torch.ones(2)}, f=SAVED)
X = torch.zeros(2, device="cuda")
NET = torch.nn.Linear(2, 2)


def started(backend):
    store = torch.distributed.HashStore()
    torch.distributed.init_process_group(backend=backend, store=store, rank=0, world_size=1)
    name = torch.distributed.get_backend()
    torch.distributed.all_reduce(X)
    torch.distributed.destroy_process_group()
    return name


def product(context):
    with context:
        return str((torch.ones(2, 2, device="cuda") @ torch.ones(2, 2, device="cuda")).dtype)


CONSTRUCTS = {
    "is_available": lambda: torch.cuda.is_available(),
    "imported before": lambda: bound_before(),
    "device by keyword": lambda: str(torch.ones(2, device="cuda:1").device),
    "Tensor.cuda()": lambda: str(torch.ones(2).cuda().device),
    "Tensor.cuda('cuda:1')": lambda: X.cuda("cuda:1"),
    "Tensor.is_cuda": lambda: X.is_cuda,
    "Tensor.to(1)": lambda: str(torch.ones(2).to(1).device),
    "device.type == 'cuda'": lambda: X.device.type == "cuda",
    "device == torch.device('cuda', 0)": lambda: X.device == torch.device("cuda", 0),
    "Tensor.type()": lambda: X.type(),
    "Module.cuda()": lambda: str(NET.cuda().weight.device),
    "Module.cuda('cuda:1')": lambda: NET.cuda("cuda:1"),
    "Module.to('cuda:1')": lambda: str(NET.to("cuda:1").weight.device),
    "nn.Linear(device='cuda')": lambda: str(torch.nn.Linear(2, 2, device="cuda").weight.device),
    "asarray(device='cuda')": lambda: torch.asarray([1], device="cuda"),
    "load by position": lambda: torch.load(SAVED),
    "load by keyword": lambda: str(torch.load(f=SAVED, map_location="cuda:1")["weight"].device),
    "map_location of cards": lambda: str(
        torch.load(f=SAVED, map_location={"cpu": "cuda:1"})["weight"].device
    ),
    "torch.cuda.DoubleTensor": lambda: torch.cuda.DoubleTensor is torch.npu.FloatTensor,
    "get_arch_list": lambda: torch.cuda.get_arch_list(),
    "nvtx": lambda: torch.cuda.nvtx.range_push("part"),
    "set_device": lambda: (torch.cuda.set_device("cuda:1"), torch.cuda.current_device())[1],
    "set_device(0)": lambda: (torch.cuda.set_device(0), torch.cuda.current_device())[1],
    "jit.script": lambda: torch.jit.script(product) is product,
    "GradScaler('cuda')": lambda: torch.amp.GradScaler("cuda")._device,
    "torch.cuda.amp.autocast": lambda: product(torch.cuda.amp.autocast()),
    "torch.autocast('cuda')": lambda: product(torch.autocast("cuda", dtype=torch.bfloat16)),
    "Generator('cuda')": lambda: str(torch.Generator(device="cuda").device),
    "isinstance of Generator": lambda: isinstance(torch.Generator(), torch.Generator),
    "default_generators": lambda: torch.cuda.default_generators is torch.npu.default_generators,
    "init_process_group('nccl')": lambda: started("nccl"),
    "init_process_group of two": lambda: started("cpu:gloo,cuda:nccl"),
    "not simulated": lambda: torch.cuda.caching_allocator_alloc(8),
}

for name, construct in CONSTRUCTS.items():
    try:
        outcome = construct()
    except Exception as error:
        outcome = f"{type(error).__name__}: {error}"
    print(json.dumps([name, outcome]))
