"""NVTX: for NPUs torch is built without CUDA, and its functions raise. A build with it does the same here."""

from __future__ import annotations

from typing import Any, NoReturn

import torch


class _Missing:
    """What stands for the library in a build without CUDA."""

    def __getattr__(self, name: str) -> Any:
        return _refuse


def _refuse(*args: Any, **kwargs: Any) -> NoReturn:
    raise RuntimeError("NVTX functions not installed. Are you sure you have a CUDA build?")


def install() -> None:
    """Take the library away from a build that has it."""
    if torch.version.cuda is not None:
        vars(torch.cuda.nvtx)["_nvtx"] = _Missing()
