"""From the name of a PyTorch API to the ATen operators behind it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from ..data import load_tsv

_PREFIXES = {
    "torch.ops.aten": "",
    "torch.nn.functional": "",
    "torch.Tensor": "",
    "torch.special": "special_",
    "torch.linalg": "linalg_",
    "torch.fft": "fft_",
    "torch": "",
}
"""Modules whose functions are operators of the same name, with the prefix that the operators have."""


def operator_of(api: str) -> str | None:
    """The ATen operator (without overload) that a function or Tensor method calls, if it has its name.

    Functions that PyTorch composes of other operators have none, or one that no backend registers.
    """
    parent, _, name = api.rpartition(".")
    if parent == "torch.ops.aten" or parent in _PREFIXES:
        return f"{_PREFIXES[parent]}{name}"
    if parent.startswith("torch.ops.aten."):
        return parent.rpartition(".")[2]
    return None


class Composition(NamedTuple):
    """The operators that an API computes by, leaving out those that are made of others on every device."""

    always: frozenset[str]
    """Those that every call reaches."""
    sometimes: frozenset[str]
    """Those that some arguments lead to."""


def composition_of(api: str) -> Composition | None:
    """What an API is made of, as PyTorch shows on its own test samples; None when they leave it out."""
    return _compositions().get(api)


@cache
def _compositions() -> Mapping[str, Composition]:
    return {
        row["api"]: Composition(frozenset(row["always"].split()), frozenset(row["sometimes"].split()))
        for row in load_tsv("compositions")
    }
