"""Has a build of torch with CUDA answer as one without it, which is what torch_npu is used with.

The interpreter that a user names may have such a build, and an index may offer nothing else.
"""

from __future__ import annotations

import functools
from typing import Any, NoReturn

_OF_TORCHVISION = ("nms", "qnms")
"""Operators that torchvision takes for granted when it is imported."""
_libraries: list[Any] = []


class _MissingMarks:
    """What replaces the library of NVTX in a build without CUDA."""

    def __getattr__(self, name: str) -> Any:
        return _refuse_marks


def _refuse_marks(*args: Any, **kwargs: Any) -> NoReturn:
    raise RuntimeError("NVTX functions not installed. Are you sure you have a CUDA build?")


def _refuse() -> NoReturn:
    raise AssertionError("Torch not compiled with CUDA enabled")


def take_cuda_away(torch: Any) -> None:
    """Change a torch that was built with CUDA, for good; any other stays as it is."""
    if torch.version.cuda is None:
        return
    torch.version.cuda = None
    torch._C._has_cuda = False
    torch._C._cuda_getArchFlags = lambda: None
    torch.cuda._lazy_init = _refuse
    vars(torch.cuda.nvtx)["_nvtx"] = _MissingMarks()
    torch.asarray = _refusing_cuda(torch.asarray, torch)


def _refusing_cuda(asarray: Any, torch: Any) -> Any:
    """The one function that asks the driver without beginning with ``_lazy_init``."""

    @functools.wraps(asarray)
    def on_no_gpu(obj: Any, *, device: Any = None, **given: Any) -> Any:
        if device is not None and torch.device(device).type == "cuda":
            raise RuntimeError("PyTorch is not linked with support for cuda devices")
        return asarray(obj, device=device, **given)

    return on_no_gpu


def name_operators(extension: Any) -> None:
    """Define the operators of a torchvision whose library, made for a torch with CUDA, could not be loaded.

    Everything but these operators works then.
    """
    if extension._has_ops():
        return
    import torch

    library = torch.library.Library("torchvision", "FRAGMENT")
    _libraries.append(library)
    for name in _OF_TORCHVISION:
        library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
