"""What a file does with a name of another module that needs CUDA."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .fallbacks import has_fallback
from .imported_uses import passed_on, uses_of_import

if TYPE_CHECKING:
    from ...engine.context import Context


class UsesElsewhere(NamedTuple):
    """What a file does with a name of another module."""

    on_npu: int = 0
    """How often it uses it on a way that the NPU takes."""
    on_cuda_alone: int = 0
    """How often on others."""
    passed_on: tuple[str, ...] = ()
    """The names of its own by which others may import it."""


def uses_elsewhere(path: str, name: str, ctx: Context) -> UsesElsewhere:
    """What a file does with a name of the module that lies at a path."""
    uses = {use.id: use for use in uses_of_import(path, name, ctx)}
    served = sum(has_fallback(use, ctx) for use in uses.values())
    return UsesElsewhere(len(uses) - served, served, tuple(dict.fromkeys(passed_on(path, name, ctx))))
