"""The public name of an object of torch's that is spelled by the module that defines it."""

from __future__ import annotations

import os.path
from functools import cache, lru_cache
from typing import NamedTuple

from ..packed.sorted_table import SortedTable


@cache
def _canonical() -> dict[str, str]:
    return SortedTable.packaged("canonical.tsv", os.path.dirname(__file__)).as_mapping()  # noqa: PTH120


_SPELLED_BY_RULES = ("torch.cuda", "torch.backends", "torch.npu")
"""Modules whose rules know every spelling."""


class PublicName(NamedTuple):
    """An object's public name."""

    name: str
    head: int
    """How many components of the name that was asked for spell the object."""
    public_head: int
    """How many components of the public name do."""


def public_name(name: str) -> str:
    """``torch.nn.MaxPool3d`` for ``torch.nn.modules.pooling.MaxPool3d``; the name itself without another.

    What follows the name of a class stays, as in ``torch.nn.modules.module.Module.cuda``.
    """
    found = found_public(name)
    return name if found is None else found.name


@lru_cache(maxsize=8192)
def found_public(name: str) -> PublicName | None:
    """The public name of a name, where that is another one."""
    if not name.startswith("torch.") or name.startswith(_SPELLED_BY_RULES):
        return None
    head, below = name, ""
    while "." in head:
        found = _canonical().get(head)
        if found is not None:
            return PublicName(found + below, head.count(".") + 1, found.count(".") + 1)
        head, _, last = head.rpartition(".")
        below = f".{last}{below}"
    return None
