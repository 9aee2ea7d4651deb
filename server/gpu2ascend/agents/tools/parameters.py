"""Parameters that several tools have."""

from __future__ import annotations

from typing import Annotated

from mcp_types import ToolAnnotations
from pydantic import Field

READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
RUNS = ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=True)

Version = Annotated[
    str | None,
    Field(description="PyTorch release, such as 2.8.0. Without it: that of the project, else the newest."),
]
Hardware = Annotated[
    str | None, Field(description="Family of devices: A2 (910B, the default), A3 (910C), 950DT, 910A.")
]
Offset = Annotated[int, Field(ge=0, description="Where to go on: `next_offset` of the answer before.")]
Code = Annotated[
    str | None,
    Field(
        description="Only these rules: a code such as NPU110, the beginning of codes, or several with commas."
    ),
]
Unsafe = Annotated[bool, Field(description="Also make fixes that may change numerics, speed or structure.")]


def chosen(version: str | None = None, hardware: str | None = None) -> tuple[str, ...]:
    """The options of a command for a version and a family of devices."""
    return (*(("--version", version) if version else ()), *(("--hardware", hardware) if hardware else ()))
