"""Start-up and small helpers of distributed training."""

import os

import torch
import torch.distributed as dist


def init(args):
    """Reads what torchrun put into the environment; without it, this is the only process."""
    args.rank = int(os.environ.get("RANK", 0))
    args.local_rank = int(os.environ.get("LOCAL_RANK", 0))
    args.world_size = int(os.environ.get("WORLD_SIZE", 1))
    args.distributed = "WORLD_SIZE" in os.environ

    if args.device == "cuda":
        if not torch.cuda.is_available():
            raise SystemExit("no CUDA device found, use --device cpu")
        torch.cuda.set_device(args.local_rank)
        device = torch.device(f"cuda:{args.local_rank}")
    else:
        device = torch.device(args.device)

    if args.distributed:
        backend = args.dist_backend
        if backend == "nccl" and device.type != "cuda":
            backend = "gloo"
        dist.init_process_group(backend=backend, init_method="env://")
        dist.barrier()
    return device


def cleanup():
    if dist.is_available() and dist.is_initialized():
        dist.destroy_process_group()


def is_main_process():
    return not dist.is_initialized() or dist.get_rank() == 0


def unwrap(model):
    return model.module if hasattr(model, "module") else model
