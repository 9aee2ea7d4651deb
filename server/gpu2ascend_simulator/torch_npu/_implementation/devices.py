"""Devices: counting, choosing, describing, waiting."""

from __future__ import annotations

from typing import Any

import torch

from .._extension import library
from .._version import VERSION

__all__ = [
    "_is_in_bad_fork",
    "_lazy_init",
    "can_device_access_peer",
    "current_device",
    "device",
    "device_count",
    "device_of",
    "get_amp_supported_dtype",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "init",
    "is_available",
    "is_bf16_supported",
    "is_initialized",
    "set_device",
    "synchronize",
    "utilization",
]


def index_of(spec: Any, optional: bool = True) -> Any:
    """The index of a device given as int, string or ``torch.device``; the current one for None."""
    if spec is None and optional:
        return current_device()
    if isinstance(spec, str):
        spec = torch.device(spec)
    if isinstance(spec, torch.device):
        if spec.type != "npu":
            raise ValueError(f"Expected a npu device, but got: {spec}")
        return current_device() if spec.index is None else spec.index
    if isinstance(spec, bool) or not isinstance(spec, int):
        raise ValueError(f"Expected a torch.device with a specified index or an integer, but got: {spec!r}")
    return current_device() if spec < 0 else spec


def checked_index_of(spec: Any) -> Any:
    """The same, failing where there is no such device."""
    index = index_of(spec)
    library.use_device(index)
    return index


def is_available() -> bool:
    """Whether there is a device to use."""
    return library.device_count() > 0


def device_count() -> Any:
    """How many devices the process may use."""
    return library.device_count()


def current_device() -> Any:
    """The index of the current device."""
    return library.current_device()


def set_device(device: Any) -> None:
    """Makes a device the current one."""
    library.set_device(index_of(device, optional=False))


def _lazy_init() -> None:
    library.use_device(current_device())


def init() -> None:
    """Initialises the current device."""
    _lazy_init()


def is_initialized() -> bool:
    """Whether a device has been used in this process."""
    return library.is_initialized()


def _is_in_bad_fork() -> bool:
    return library.is_in_bad_fork()


def synchronize(device: Any = None) -> None:
    """Waits until the device is idle, which it is."""
    checked_index_of(device)


class device:
    """Context manager: another current device inside."""

    def __init__(self, device: Any) -> None:
        self.idx = index_of(device) if device is not None else -1
        self.prev_idx = -1

    def __enter__(self) -> None:
        self.prev_idx = library.exchange_device(self.idx)

    def __exit__(self, *_: Any) -> None:
        self.idx = library.exchange_device(self.prev_idx)


class device_of(device):
    """Context manager: the device of a tensor is the current one inside."""

    def __init__(self, obj: Any) -> None:
        super().__init__(obj.get_device() if obj.is_npu else None)


class _NPUDeviceProperties:
    """All that the real one has."""

    __slots__ = ("L2_cache_size", "cube_core_num", "name", "total_memory", "vector_core_num")

    def __init__(self, index: Any) -> None:
        self.name = get_device_name(index)
        self.total_memory = library.memory_info(index)[1]
        self.L2_cache_size = 192 << 20
        self.cube_core_num = 24
        self.vector_core_num = 48

    def __repr__(self) -> Any:
        return f"_NPUDeviceProperties(name='{self.name}', total_memory={self.total_memory >> 20}MB)"


if VERSION >= (2, 7, 1):
    _OF_CUDA = ("major", "minor", "warp_size", "gcnArchName", "is_integrated", "is_multi_gpu_board")
    for _name in (*_OF_CUDA, "regs_per_multiprocessor", "max_threads_per_multi_processor"):
        setattr(_NPUDeviceProperties, _name, None)
    setattr(_NPUDeviceProperties, "multi_processor_count", 48 if VERSION >= (2, 10) else None)  # noqa: B010


def get_device_name(device: Any = None) -> Any:
    """The name of a device."""
    checked_index_of(device)
    return "Ascend910B3"


def get_device_properties(device: Any = None) -> Any:
    """What is known of a device."""
    return _NPUDeviceProperties(checked_index_of(device))


def get_device_capability(device: Any = None) -> None:
    """None: there is no such number for an NPU."""
    checked_index_of(device)


def can_device_access_peer(device: Any, peer_device: Any) -> bool:
    """Whether two devices reach each other's memory."""
    return checked_index_of(device) != checked_index_of(peer_device)


def utilization(device: Any = None) -> Any:
    """How busy a device is, in percent."""
    checked_index_of(device)
    return 0


def is_bf16_supported() -> bool:
    """Whether bfloat16 works: yes on A2 and A3."""
    return True


def get_amp_supported_dtype() -> Any:
    """What autocast may cast to."""
    return [torch.float16, torch.bfloat16, torch.float32]
