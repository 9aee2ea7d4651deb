"""The targets by name."""

from __future__ import annotations

from . import accelerator, mindspore, torch_npu
from .target import Target

DEFAULT = torch_npu.TARGET
"""What code is migrated to where nobody says otherwise. Its catalogue has the rules on support lists."""

_KNOWN = {target.name: target for target in (DEFAULT, accelerator.TARGET, mindspore.TARGET)}


def all_targets() -> tuple[Target, ...]:
    """Every target, the default first."""
    return tuple(_KNOWN.values())


def known_targets() -> tuple[Target, ...]:
    """Every target, and each way of reaching one."""
    ways = (way for target in _KNOWN.values() for _, way in target.ways)
    return (*_KNOWN.values(), *ways)


def target_named(name: str) -> Target | None:
    """The target with a name; None where there is none."""
    return _KNOWN.get(name.lower())
