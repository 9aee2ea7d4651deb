"""NPU429: a program that runs in several processes already, by itself or by a library, is left as it is."""

from __future__ import annotations

from collections.abc import Iterator

from ...program import Place, Program, callee_name

CODE = "NPU429"
_SIGNS = (
    "torch.distributed.init_process_group", "torch.nn.parallel.DistributedDataParallel",
    "torch.distributed.distributed_c10d.init_process_group", "torch.distributed.init_device_mesh",
    "torch.distributed.fsdp.FullyShardedDataParallel", "apex.parallel.DistributedDataParallel",
    "torch.nn.parallel.distributed.DistributedDataParallel",
    "accelerate.Accelerator", "deepspeed.initialize", "deepspeed.init_distributed", "horovod.torch.init",
    "pytorch_lightning.Trainer", "lightning.Trainer", "lightning.pytorch.Trainer", "transformers.Trainer",
    "mmengine.runner.Runner.from_cfg", "ignite.distributed.Parallel", "colossalai.launch",
    "transformers.Seq2SeqTrainer",
)  # fmt: skip


def distributed_signs(program: Program) -> Iterator[Place]:
    """The calls that show it."""
    for call in program.places("call"):
        if callee_name(call) in _SIGNS:
            yield call
