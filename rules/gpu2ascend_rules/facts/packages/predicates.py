"""Functions by which libraries say what a machine has: a device, or a package."""

from __future__ import annotations

import enum
import re
from functools import cache
from typing import NamedTuple

from ...data import load_tsv
from .third_party import is_absent_on_npu

_NAMES_MODULE = re.compile(r"is_(\w+?)(?:_\d)?_(?:available|installed)")


class Asks(enum.Enum):
    """What a predicate asks for; data/library_predicates.tsv says what each means."""

    BF16 = "bf16"
    CUDA = "cuda"
    KERNELS = "kernels"
    MEMBER = "member"
    NPU = "npu"
    OTHER = "other"
    PACKAGE = "package"


class Predicate(NamedTuple):
    """A function of a library that answers for the machine."""

    name: str
    library: str
    """The package that it is of; empty for one that goes by its own name, wherever it is from."""
    asks: Asks
    instead: str
    """The name of the library's own predicate for the NPU; empty where it has none."""


@cache
def _by_name() -> dict[str, tuple[Predicate, ...]]:
    found: dict[str, tuple[Predicate, ...]] = {}
    for row in load_tsv("library_predicates"):
        item = Predicate(row["name"], row["library"], Asks(row["asks"]), row["instead"])
        found[item.name] = (*found.get(item.name, ()), item)
    return found


def predicate(qualified_name: str) -> Predicate | None:
    """The predicate that a qualified name means, through whichever module of its library: one of the
    table, or one that has the name of a module of CUDA kernels (``is_fairscale_available``)."""
    root, name = qualified_name.partition(".")[0], qualified_name.rpartition(".")[2]
    for item in _by_name().get(name, ()):
        if not item.library or item.library == root:
            return item
    named = _NAMES_MODULE.fullmatch(name)
    has_kernels = named is not None and is_absent_on_npu(named[1])
    return Predicate(name, "", Asks.KERNELS, "") if has_kernels else None
