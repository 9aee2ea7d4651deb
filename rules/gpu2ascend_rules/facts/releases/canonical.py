"""The public name of an object of torch's that is spelled by the module that defines it."""

from __future__ import annotations

import os.path
from functools import cache, lru_cache

from ..packed.sorted_table import SortedTable


@cache
def _canonical() -> SortedTable:
    return SortedTable.packaged("canonical.tsv", os.path.dirname(__file__))  # noqa: PTH120


@lru_cache(maxsize=8192)
def public_name(name: str) -> str:
    """``torch.nn.MaxPool3d`` for ``torch.nn.modules.pooling.MaxPool3d``; the name itself without another.

    What follows the name of a class stays, as in ``torch.nn.modules.module.Module.cuda``.
    """
    head, below = name, ""
    while "." in head:
        found = _canonical().find(head)
        if found is not None:
            return found[0] + below
        head, _, last = head.rpartition(".")
        below = f".{last}{below}"
    return name
