"""The names of apex whose imports rules may remove."""

from __future__ import annotations

from functools import lru_cache

from ...data import load_json

_ALIASES = frozenset({"ApexDDP", "DDP"})
"""What they are often imported as."""


@lru_cache(maxsize=1)
def removable_names() -> frozenset[str]:
    """The last parts of the names of apex that rules replace, and what they are often imported as."""
    table = load_json("apex")
    layers = (*table["normalization"], *table["layer_functions"], *table["rms"])
    names = (*table["parallel"], *table["optimizers"], *table["distributed"]["names"], *layers)
    return frozenset(name.rpartition(".")[2] for name in names) | _ALIASES
