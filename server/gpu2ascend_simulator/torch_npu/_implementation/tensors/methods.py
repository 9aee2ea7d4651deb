"""What tensors, modules and storages gain: ``.npu()``, ``.is_npu``."""

from __future__ import annotations

import inspect
from typing import Any

import torch

from ..._version import VERSION
from ..devices import current_device

# Here Module.npu(device) takes an int and goes there; in the other versions it ignores what it is given.
_HEEDS_DEVICE = VERSION == (2, 7, 1) or VERSION >= (2, 9)

_HOLDERS = ("for_tensor", "for_module", "for_packed_sequence", "for_storage")


def _module_npu(self: Any, device: Any = None) -> Any:
    """Moves all parameters and buffers to the NPU."""
    target = torch.device("npu", current_device())
    if device is not None and _HEEDS_DEVICE:
        target = torch.device("npu", device)
    return self._apply(lambda tensor: tensor.to(target))


def install() -> None:
    """Puts the methods on torch's classes."""
    generate = torch.utils.generate_methods_for_privateuse1_backend
    known = inspect.signature(generate).parameters  # packed sequences came with torch 2.3
    generate(**{name: True for name in _HOLDERS if name in known})
    torch.nn.Module.npu = _module_npu
