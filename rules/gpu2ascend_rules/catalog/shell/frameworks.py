"""Whether a script is about another framework than PyTorch."""

from __future__ import annotations

import re

from ...engine.places.context import PlaceContext

_FOREIGN_LAUNCH = re.compile(r"-m\s+(?:paddle|tensorflow|jax|mxnet)\.|fleetrun\b")


def is_of_another_framework(ctx: PlaceContext) -> bool:
    """Whether the file belongs to programs of another framework, and to none of PyTorch."""
    return ctx.once("is of another framework", lambda: _is_foreign(ctx))


def _is_foreign(ctx: PlaceContext) -> bool:
    text = ctx.file.text
    if _FOREIGN_LAUNCH.search(text) is not None and "torch" not in text:
        return True
    return ctx.project.main_framework(ctx.file.path) not in ("", "torch") and "torch" not in text
