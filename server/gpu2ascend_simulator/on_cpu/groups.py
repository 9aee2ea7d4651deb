"""Process groups for a device that is mapped to the CPU: those of Gloo, under the name of its back end."""

from __future__ import annotations

import functools
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
