"""Tensors of two devices in one operator: the errors of the real device."""

from __future__ import annotations

from typing import Any, NoReturn

from .. import trace


def refuse(operator: str, one: Any, other: Any) -> NoReturn:
    """Fails as torch does where it meets tensors of two devices.

    Raises:
        RuntimeError: always.
    """
    trace.record_refusal("mixed", operator, f"{one} and {other}")
    raise RuntimeError(
        f"Expected all tensors to be on the same device, but found at least two devices, {one} and {other}! "
        f"(when checking argument of {operator})"
    )
