"""Several devices, mapped to the CPU: process groups are Gloo's, and wrappers of modules have no devices."""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping
from typing import Any

from .answers import always
from .kinds import Kind


def communicate_by_gloo(torch: Any, kind: Kind) -> None:
    """Change ``torch.distributed`` and the parallel wrapper of modules."""
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
    distributed.get_backend = always(kind.backend)
    distributed.get_default_backend_for_device = always(kind.backend)
    setattr(distributed, f"is_{kind.backend}_available", always(True))
    _wrap_on_no_device(parallel)


def _wrap_on_no_device(parallel: Any) -> None:
    wrap = parallel.DistributedDataParallel.__init__

    @functools.wraps(wrap)
    def on_no_device(self: Any, module: Any, *_: Any, **kwargs: Any) -> None:
        kwargs.pop("device_ids", None)
        kwargs.pop("output_device", None)
        wrap(self, module, **kwargs)

    parallel.DistributedDataParallel.__init__ = on_no_device


def forward_on_one(torch: Any) -> None:
    """``DataParallel`` calls its module: there are no copies on other devices."""
    parallel: Any = sys.modules["torch.nn.parallel.data_parallel"]

    def data_parallel(
        module: Any,
        inputs: Any,
        device_ids: Any = None,
        output_device: Any = None,
        dim: int = 0,
        module_kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        given = inputs if isinstance(inputs, tuple) else (inputs,)
        return module(*given, **(module_kwargs or {}))

    parallel._get_available_device_type = always(None)
    parallel.data_parallel = torch.nn.parallel.data_parallel = data_parallel
