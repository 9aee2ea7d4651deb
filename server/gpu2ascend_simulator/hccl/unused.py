"""``DistributedDataParallel(find_unused_parameters=True)``: its C++ half wants memory that is pinned.

torch asks a back end for an allocator of such memory, which none that is made in Python can have. So from the
first wrapper of that kind on, the operator that it calls makes plain memory of the CPU, marked as pinned.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from typing import Any

import torch

_OPTION = "find_unused_parameters"
_empty = torch.ops.aten.empty.memory_format
_libraries: list[Any] = []


def install() -> None:
    """Follow the wrappers of modules."""
    from torch.nn.parallel import DistributedDataParallel

    original: Any = DistributedDataParallel.__init__
    signature = inspect.signature(original)

    @functools.wraps(original)
    def wrap(self: Any, *args: Any, **kwargs: Any) -> None:
        if signature.bind(self, *args, **kwargs).arguments.get(_OPTION):
            _mark_pinned_memory()
        original(self, *args, **kwargs)

    DistributedDataParallel.__init__ = wrap


def _mark_pinned_memory() -> None:
    if _libraries:
        return
    library = torch.library.Library("aten", "IMPL")
    _libraries.append(library)
    known = inspect.signature(library.impl).parameters
    given = {"allow_override": True} if "allow_override" in known else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it takes the place of torch's own
        library.impl("empty_strided", _empty_strided, "CPU", **given)


def _empty_strided(
    size: Any,
    stride: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: Any = None,
) -> Any:
    reach = 0 if 0 in size else 1 + sum((count - 1) * step for count, step in zip(size, stride, strict=True))
    with torch._C.DisableTorchFunction():
        made = _empty([reach], dtype=dtype or torch.get_default_dtype(), device="cpu").as_strided_(
            size, stride
        )
        if pin_memory:
            made.untyped_storage().is_marked_pinned = True
        return made
