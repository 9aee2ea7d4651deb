"""NVTX: for NPUs torch is built without CUDA, and its functions raise. A build with it does the same here."""

from __future__ import annotations

import torch


def install() -> None:
    """Put what a build without CUDA has in the place of the library."""
    module = torch.cuda.nvtx
    stub = getattr(module, "_NVTXStub", None)
    if torch.version.cuda is not None and stub is not None:
        vars(module)["_nvtx"] = stub()
