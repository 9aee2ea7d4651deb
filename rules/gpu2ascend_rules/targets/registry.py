"""The targets by name: those of this package, and those that packages offer by an entry point.

An entry point of the group :data:`GROUP` names a :class:`Target`. Its package is imported when that target is
asked for, by its name or with all others, and not before.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ..messages import add_catalogues
from . import accelerator, torch_npu
from .target import Target

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "gpu2ascend.targets"
DEFAULT = torch_npu.TARGET
"""The default target of a migration. Its catalogue has the rules on support lists."""

_OWN = {target.name: target for target in (DEFAULT, accelerator.TARGET)}


def target_names() -> tuple[str, ...]:
    """The name of every target, the default first. No package is imported for that."""
    return (*_OWN, *sorted(_offered().keys() - _OWN.keys()))


def all_targets() -> tuple[Target, ...]:
    """Every target, the default first."""
    return tuple(map(_known, target_names()))


def known_targets() -> tuple[Target, ...]:
    """Every target, and each way of reaching one."""
    ways = (way for target in all_targets() for _, way in target.ways)
    return (*all_targets(), *ways)


def target_named(name: str) -> Target | None:
    """The target with a name; None where there is none."""
    name = name.lower()
    return _known(name) if name in _OWN or name in _offered() else None


@cache
def _offered() -> Mapping[str, EntryPoint]:
    from importlib.metadata import entry_points  # as slow to import as a small file is to check

    return {entry.name: entry for entry in entry_points(group=GROUP)}


@cache
def _known(name: str) -> Target:
    if name in _OWN:
        return _OWN[name]
    target: Target = _offered()[name].load()
    add_catalogues(Path(target.catalogues))
    return target


def _same(name: str) -> Target:
    """The target, or the way of reaching one, that another process calls by a name."""
    return next(
        (way for target in _OWN.values() for _, way in target.ways if way.name == name), None
    ) or _known(name)


def _by_name(target: Target) -> tuple[Callable[[str], Target], tuple[str]]:
    return _same, (target.name,)


copyreg.pickle(Target, _by_name)
