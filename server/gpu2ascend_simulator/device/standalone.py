"""The device without a torch_npu: the least of a module ``torch.npu`` around it.

For what is about the device alone, its cost and the checks of it.
"""

from __future__ import annotations

import contextlib
import sys
import types
from collections.abc import Iterator
from typing import Any

import torch

from . import library

DEVICES = 2
MEMORY = 1 << 30


@contextlib.contextmanager
def device(which: Any) -> Iterator[None]:
    """Another current device inside."""
    index = which if isinstance(which, int) else torch.device(which).index
    before = library.exchange_device(-1 if index is None else index)
    try:
        yield
    finally:
        library.exchange_device(before)


def _seed_all(seed: int) -> None:
    for index in range(library.device_count()):
        library.default_generator(index).manual_seed(seed)


def _generator_of(which: Any) -> Any:
    index = which if isinstance(which, int) else torch.device(which).index
    return library.default_generator(-1 if index is None else index)


def start(memory: int = MEMORY) -> types.ModuleType:
    """Puts the device into torch, once; the module ``torch.npu``."""
    if hasattr(torch, "npu"):
        return torch.npu
    library.configure(DEVICES, memory)
    module = types.ModuleType("torch.npu")
    vars(module).update(
        is_available=lambda: library.device_count() > 0,
        device_count=library.device_count,
        current_device=library.current_device,
        set_device=library.set_device,
        device=device,
        Stream=torch.Stream,
        Event=torch.Event,
        manual_seed_all=_seed_all,
        manual_seed=lambda seed: library.default_generator(-1).manual_seed(seed),
        get_rng_state=lambda which="npu": _generator_of(which).get_state(),
        set_rng_state=lambda state, which="npu": _generator_of(which).set_state(state),
        get_amp_supported_dtype=lambda: [torch.float16, torch.bfloat16, torch.float32],
        is_initialized=library.is_initialized,
        _is_in_bad_fork=library.is_in_bad_fork,
        _lazy_init=lambda: library.use_device(library.current_device()),
        _initialized=True,
    )
    torch._register_device_module("npu", module)
    sys.modules["torch.npu"] = module
    torch.utils.generate_methods_for_privateuse1_backend(for_storage=True)
    return module
