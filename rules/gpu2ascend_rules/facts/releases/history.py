"""Whether a release of torch has a name, since when, and since when no more."""

from __future__ import annotations

import os.path
from functools import cache, lru_cache
from typing import NamedTuple

from ...model.versions import Version
from ..names.long_names import MOST_PARTS
from ..packed.sorted_table import SortedTable

_Minor = tuple[int, ...]
_CLASSES = ("torch.Tensor", "torch.nn.Module", "torch.optim.Optimizer", "torch.utils.data.DataLoader")
_FIRST: _Minor = (0, 0)
_NEVER: _Minor = (99, 0)


class Lack(NamedTuple):
    """A name that a version does not have, while others do."""

    api: str
    """The shortest part of the name that is not there; ends in ``()`` where only the call fails."""
    removed: str | None
    """The first release that lacked it again, where an older one has it: ``2.0``."""
    added: str | None
    """The first newer release that has it, and what was asked for below it."""


@cache
def _history() -> dict[str, str]:
    return SortedTable.packaged("history.tsv", os.path.dirname(__file__)).as_mapping()  # noqa: PTH120


@lru_cache(maxsize=8192)
def lacking(name: str, version: Version) -> Lack | None:
    """The shortest part of a dotted name below ``torch`` that a version of torch does not have.

    ``None`` where it has the name, and where the table does not know it. A name that ends in ``()`` is
    asked for as something that is called.
    """
    parts = name.removesuffix("()").split(".", MOST_PARTS)
    for count in range(2, min(len(parts), MOST_PARTS) + 1):
        part = ".".join(parts[:count])
        found = _lack(part, version)
        if found is None and count == len(parts) and name.endswith("()"):
            found = _lack(name, version)
        if found is not None:
            whole = _lack(name, version) if found.removed is None else None
            if whole is not None and whole.removed is not None:
                return whole  # once removed; what holds such names came back without it
            return found._replace(added=_added_whole(parts, count, found.added, version))
    return None


def known_part(name: str, lack: Lack) -> str:
    """The longest part of a name of which the table says what the lack of the name tells.

    Below a module that is missing the table has few names: any other may never have been there.
    """
    if lack.removed is not None:
        return lack.api
    parts = name.split(".")
    parts_down = (".".join(parts[:count]) for count in range(len(parts), lack.api.count(".") + 1, -1))
    return next((part for part in parts_down if part in _history()), lack.api)


def _added_whole(parts: list[str], count: int, added: str | None, version: Version) -> str | None:
    """The release with the whole name, where it came later than the part of it that is not there."""
    if added is None:
        return None
    below = (_lack(".".join(parts[:more]), version) for more in range(count + 1, len(parts) + 1))
    later = [lack.added for lack in below if lack is not None and lack.added is not None]
    return max([added, *later], key=lambda text: _minor(text, _FIRST))


@lru_cache(maxsize=32)
def members_lacking(version: Version) -> frozenset[bytes]:
    """The members that tensors, modules and optimizers lack in a version, and have in others."""
    return frozenset(
        name.rpartition(".")[2].encode()
        for name in _history()
        if name.rpartition(".")[0] in _CLASSES and _lack(name, version) is not None
    )


def _lack(name: str, version: Version) -> Lack | None:
    written = _history().get(name)
    if written is None:
        return None
    runs = [_run(text) for text in written.split(",")]
    here = version[:2]
    if any(first <= here < end for first, end in runs):
        return None
    ended = [end for _, end in runs if end <= here]
    later = [first for first, _ in runs if first > here]
    return Lack(name, _written(max(ended)) if ended else None, _written(min(later)) if later else None)


def _run(text: str) -> tuple[_Minor, _Minor]:
    first, _, end = text.partition("-")
    return _minor(first, _FIRST), _minor(end, _NEVER)


def _minor(text: str, default: _Minor) -> _Minor:
    return tuple(int(part) for part in text.split(".")) if text else default


def _written(minor: _Minor) -> str:
    return f"{minor[0]}.{minor[1]}"
