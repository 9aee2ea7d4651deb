"""`torch.nn.DataParallel` trains on its first device.

What copies to several devices is in builds for CUDA alone. torch_npu replaces parts of it and does not
support it: a report says that it was met.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from typing import Any

import torch

from ..trace import record_refusal

KIND = "unsupported"
_NAME = "DataParallel"


def _scatter(tensor: Any, devices: Sequence[int], chunks: Any, dim: int, streams: Any) -> list[Any]:
    parts = tensor.split(chunks, dim) if chunks else tensor.chunk(len(devices), dim)
    return [part.to(torch.device("npu", index)) for part, index in zip(parts, devices, strict=False)]


def _gather(tensors: Sequence[Any], dim: int, destination: int | None) -> Any:
    place = torch.device("cpu") if destination in (None, -1) else torch.device("npu", destination)
    return torch.cat([tensor.to(place) for tensor in tensors], dim)


def install() -> None:
    """Changes the class and the function, and gives torch the two functions that they call."""
    native: Any = torch._C
    native._scatter, native._gather = _scatter, _gather
    module: Any = sys.modules["torch.nn.parallel.data_parallel"]
    wrap: Any = module.DataParallel.__init__
    call: Any = module.data_parallel

    @functools.wraps(wrap)
    def on_first(self: Any, *args: Any, **kwargs: Any) -> None:
        wrap(self, *args, **kwargs)
        self.device_ids = self.device_ids[:1]
        record_refusal(KIND, _NAME, "")

    @functools.wraps(call)
    def call_on_first(module: Any, inputs: Any, device_ids: Any = None, *args: Any, **kwargs: Any) -> Any:
        record_refusal(KIND, _NAME, "")
        first = device_ids[:1] if device_ids else [torch.npu.current_device()]
        return call(module, inputs, first, *args, **kwargs)

    module.DataParallel.__init__ = on_first
    module.data_parallel = torch.nn.parallel.data_parallel = call_on_first
