"""The beginning of a process that runs the vendor's torch_npu on the emulated CANN."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

VARIABLE = "GPU2ASCEND_EMULATED"
"""Set in the processes of such a run."""


def is_emulated() -> bool:
    """Whether this process is one of such a run."""
    return VARIABLE in os.environ


def begin(limits: Mapping[str, Mapping[str, Any]], compares: bool) -> None:
    """Have an imported torch_npu compute, and refuse what its release refuses.

    Args:
        limits: data types that operators do not take, by the operator's name without its namespace.
        compares: whether devices draw the numbers that the CPU would.
    """
    from ..device.restrictions import Restriction, restrict
    from . import drawing, installation

    restrict(
        Restriction(f"aten::{operator}", frozenset(limit["dtypes"]), raises=limit["raises"])
        for operator, limit in limits.items()
    )
    installation.install()
    if compares:
        drawing.share_with_cpu()
