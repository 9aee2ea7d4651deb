"""The structural changes by name. Each takes the plan's plain arguments and gives a LibCST change."""

from __future__ import annotations

from collections.abc import Callable

from .calls import change_call
from .snippet import ExpressionChange

Arguments = tuple[tuple[str, str], ...]

OPERATIONS: dict[str, Callable[[Arguments], ExpressionChange]] = {"call": change_call}
