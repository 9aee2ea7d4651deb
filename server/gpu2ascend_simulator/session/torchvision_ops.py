"""A build of torchvision whose operators cannot be loaded: it was made for a torch with CUDA, or another one.

It is what an index may offer alone. Everything but its own operators works, once their names are known.
"""

from __future__ import annotations

from typing import Any

_SCHEMAS = tuple(
    f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor" for name in ("nms", "qnms")
)
_libraries: list[Any] = []


def name_operators(extension: Any) -> None:
    """Define what torchvision takes for granted when it is imported, if its library was not loaded."""
    if extension._has_ops():
        return
    import torch

    library = torch.library.Library("torchvision", "FRAGMENT")
    _libraries.append(library)
    for schema in _SCHEMAS:
        library.define(schema)
