"""Runs the original on the CPU: what is asked of CUDA is done there, as far as that has the same meaning.

Only for comparing numbers: streams, events and the statistics of memory do nothing.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any

_SEEDS = ("manual_seed", "manual_seed_all", "seed", "seed_all", "initial_seed")


def map_cuda_to_cpu(torch: Any) -> None:
    """Change torch for good: devices of CUDA mean the CPU, and the functions of ``torch.cuda`` answer."""
    _answer_for_cuda(torch)
    _move_nowhere(torch)
    _cast_on_the_cpu(torch)
    _communicate_by_gloo(torch)
    _map_devices(torch)


def _map_devices(torch: Any) -> None:
    from torch.overrides import TorchFunctionMode

    is_cuda = functools.partial(_is_cuda, torch)

    class OnCpu(TorchFunctionMode):
        """Replaces every device of CUDA among the arguments of torch's functions."""

        def __torch_function__(
            self, function: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            if function is torch.Tensor.is_cuda.__get__:
                return True
            changed = {name: "cpu" if is_cuda(value) else value for name, value in (kwargs or {}).items()}
            if "map_location" in changed:
                changed["map_location"] = "cpu"
            return function(*("cpu" if is_cuda(value) else value for value in args), **changed)

    mode = OnCpu()
    mode.__enter__()
    load = torch.load

    @functools.wraps(load)
    def load_on_the_cpu(file: Any, *_: Any, **given: Any) -> Any:
        return load(file, **{**given, "map_location": "cpu"})

    torch.load = load_on_the_cpu


def _is_cuda(torch: Any, value: Any) -> bool:
    if isinstance(value, str):
        return value == "cuda" or value.startswith("cuda:")
    return isinstance(value, torch.device) and value.type == "cuda"


def _answer_for_cuda(torch: Any) -> None:
    """``torch.cuda`` has one device, which is the CPU."""
    cuda = torch.cuda
    answers: dict[str, Any] = {
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
        "memory_stats": {},
        "memory_summary": "",
        "mem_get_info": (1 << 34, 1 << 34),
    }
    for name, answer in answers.items():
        setattr(cuda, name, _always(answer))
    nothing = ("init", "empty_cache", "synchronize", "set_device", "reset_peak_memory_stats", "ipc_collect")
    for name in (*nothing, "reset_max_memory_allocated", "set_per_process_memory_fraction"):
        setattr(cuda, name, _always(None))
    for name in _SEEDS:
        setattr(cuda, name, getattr(torch.default_generator, name.removesuffix("_all")))
    cuda.get_rng_state = lambda *_, **__: torch.get_rng_state()
    cuda.set_rng_state = lambda state, *_, **__: torch.set_rng_state(state)
    cuda.device = cuda.stream = lambda *_, **__: contextlib.nullcontext()
    cuda.Stream = cuda.Event = _Idle
    cuda.current_stream = cuda.default_stream = lambda *_, **__: _Idle()


class _Idle:
    """A stream or an event that has nothing to wait for."""

    def __init__(self, *_: Any, **__: Any) -> None:
        self.cuda_stream = 0

    def record(self, *_: Any, **__: Any) -> _Idle:
        """Itself: nothing is recorded."""
        return self

    def query(self) -> bool:
        """Everything is done already."""
        return True

    def elapsed_time(self, other: Any) -> float:
        """No time."""
        return 0.0

    def synchronize(self, *_: Any) -> None:
        """There is nothing to wait for."""

    wait = wait_event = wait_stream = record_event = synchronize


def _always(answer: Any) -> Callable[..., Any]:
    return lambda *_, **__: answer


def _move_nowhere(torch: Any) -> None:
    """``.cuda()`` gives the tensor or module itself."""
    for holder in (torch.Tensor, torch.nn.Module):
        holder.cuda = lambda self, *_, **__: self
    torch.Tensor.pin_memory = lambda self, *_, **__: self
    torch.Tensor.record_stream = lambda self, *_, **__: None
    original = torch.nn.Module.to

    @functools.wraps(original)
    def to(self: Any, *args: Any, **kwargs: Any) -> Any:
        given = ["cpu" if _is_cuda(torch, value) or type(value) is int else value for value in args]
        named = {name: "cpu" if _is_cuda(torch, value) else value for name, value in kwargs.items()}
        return original(self, *given, **named)

    torch.nn.Module.to = to


def _cast_on_the_cpu(torch: Any) -> None:
    """Autocast and scalers of CUDA are those of the CPU."""
    autocast, scaler = torch.amp.autocast_mode.autocast, torch.amp.grad_scaler.GradScaler

    class Autocast(autocast):  # type: ignore[misc, valid-type]
        def __init__(self, device_type: str = "cuda", dtype: Any = None, *args: Any, **kwargs: Any) -> None:
            wanted = dtype or (torch.float16 if device_type == "cuda" else None)
            super().__init__("cpu" if device_type == "cuda" else device_type, wanted, *args, **kwargs)

    class Scaler(scaler):  # type: ignore[misc, valid-type]
        def __init__(self, device: str = "cuda", *args: Any, **kwargs: Any) -> None:
            super().__init__("cpu" if device == "cuda" else device, *args, **kwargs)

    torch.autocast = torch.amp.autocast = torch.amp.autocast_mode.autocast = Autocast
    torch.amp.GradScaler = torch.amp.grad_scaler.GradScaler = Scaler

    def autocast_of_cuda(enabled: bool = True, dtype: Any = torch.float16, cache_enabled: bool = True) -> Any:
        return Autocast("cuda", dtype, enabled, cache_enabled)

    torch.cuda.amp.autocast = torch.cuda.amp.autocast_mode.autocast = autocast_of_cuda
    made = functools.partial(Scaler, "cuda")
    torch.cuda.amp.GradScaler = torch.cuda.amp.grad_scaler.GradScaler = made


def _communicate_by_gloo(torch: Any) -> None:
    distributed = torch.distributed
    if not distributed.is_available():
        return
    import torch.nn.parallel.distributed as parallel

    begin, group = distributed.init_process_group, distributed.new_group

    def init_process_group(backend: Any = None, *args: Any, **kwargs: Any) -> Any:
        kwargs.pop("device_id", None)
        return begin("gloo", *args, **kwargs)

    def new_group(*args: Any, **kwargs: Any) -> Any:
        return group(*args, **{**kwargs, **({"backend": "gloo"} if "backend" in kwargs else {})})

    distributed.init_process_group, distributed.new_group = init_process_group, new_group
    distributed.get_backend = _always("nccl")
    wrap = parallel.DistributedDataParallel.__init__

    @functools.wraps(wrap)
    def on_no_device(self: Any, module: Any, *_: Any, **kwargs: Any) -> None:
        kwargs.pop("device_ids", None)
        kwargs.pop("output_device", None)
        wrap(self, module, **kwargs)

    parallel.DistributedDataParallel.__init__ = on_no_device
