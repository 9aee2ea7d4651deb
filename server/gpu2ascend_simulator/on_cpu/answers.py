"""What ``torch.cuda`` and ``torch.accelerator`` answer while their devices are mapped to the CPU."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from . import idle
from .kinds import Kind

_SEEDS = ("manual_seed", "manual_seed_all", "seed", "seed_all", "initial_seed")
_NOTHING = (
    "init",
    "empty_cache",
    "synchronize",
    "set_device",
    "reset_peak_memory_stats",
    "reset_max_memory_allocated",
    "reset_max_memory_cached",
    "reset_accumulated_memory_stats",
    "set_per_process_memory_fraction",
    "set_stream",
    "set_sync_debug_mode",
    "ipc_collect",
)
_MEMORY = (1 << 34, 1 << 34)
_OF_CUDA: dict[str, Any] = {
    "is_available": True,
    "is_initialized": True,
    "is_bf16_supported": True,
    "device_count": 1,
    "current_device": 0,
    "get_device_name": "CPU",
    "get_device_capability": (8, 0),
    "memory_allocated": 0,
    "max_memory_allocated": 0,
    "memory_reserved": 0,
    "max_memory_reserved": 0,
    "memory_cached": 0,
    "max_memory_cached": 0,
    "memory_stats": {},
    "memory_stats_as_nested_dict": {},
    "memory_snapshot": [],
    "memory_summary": "",
    "mem_get_info": _MEMORY,
    "get_arch_list": [],
    "get_gencode_flags": "",
    "is_current_stream_capturing": False,
    "can_device_access_peer": False,
    "utilization": 0,
    "get_device_properties": SimpleNamespace(
        name="CPU", major=8, minor=0, total_memory=_MEMORY[0], multi_processor_count=1, warp_size=32
    ),
}
_MARKS = {"mark": None, "range_push": 0, "range_pop": 0, "range_start": 0, "range_end": None}
"""What the functions for marks in a profile give."""
_TYPES = ("Float", "Double", "Half", "BFloat16", "Byte", "Char", "Short", "Int", "Long", "Bool")


def always(answer: Any) -> Callable[..., Any]:
    """A function with this answer."""
    return lambda *_, **__: answer


def answer_for_cuda(torch: Any) -> None:
    """``torch.cuda`` has one device, which is the CPU."""
    cuda = torch.cuda
    for name, answer in _OF_CUDA.items():
        setattr(cuda, name, always(answer))
    for name in _NOTHING:
        setattr(cuda, name, always(None))
    for name in _SEEDS:
        setattr(cuda, name, getattr(torch.default_generator, name.removesuffix("_all")))
    cuda.get_rng_state = lambda *_, **__: torch.get_rng_state()
    cuda.set_rng_state = lambda state, *_, **__: torch.set_rng_state(state)
    cuda.get_rng_state_all = lambda: [torch.get_rng_state()]
    cuda.set_rng_state_all = lambda states: torch.set_rng_state(states[0])
    cuda.device = cuda.stream = lambda *_, **__: contextlib.nullcontext()
    cuda.Stream = cuda.Event = idle.Stream
    cuda.current_stream = cuda.default_stream = idle.current_stream
    for name, answer in _MARKS.items():
        setattr(cuda.nvtx, name, always(answer))
    cuda.nvtx.range = cuda.device_of = lambda *_, **__: contextlib.nullcontext()
    cuda.default_generators = (torch.default_generator,)
    for name in _TYPES:
        setattr(cuda, f"{name}Tensor", getattr(torch, f"{name}Tensor"))


def answer_for_accelerator(torch: Any, kind: Kind) -> None:
    """``torch.accelerator``, where there is one, has the devices of the kind."""
    accelerator = getattr(torch, "accelerator", None)
    if accelerator is None:
        return
    answers = {
        "is_available": True,
        "device_count": kind.number,
        "current_accelerator": torch.device(kind.device),
        "current_device_index": 0,
        "current_device_idx": 0,
        "memory_allocated": 0,
        "max_memory_allocated": 0,
        "memory_reserved": 0,
        "max_memory_reserved": 0,
        "memory_stats": {},
        "get_memory_info": _MEMORY,
    }
    for name, answer in answers.items():
        setattr(accelerator, name, always(answer))
    for name in ("set_device_index", "set_device_idx", "set_stream", "synchronize", "empty_cache"):
        setattr(accelerator, name, always(None))
    accelerator.reset_peak_memory_stats = accelerator.reset_accumulated_memory_stats = always(None)
    accelerator.current_stream = idle.current_stream
    accelerator.device_index = idle.stream
