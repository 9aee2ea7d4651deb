"""Programs of a project that can be started on the NPU already, as plain data."""

from __future__ import annotations

from typing import NamedTuple


class ServedProgram(NamedTuple):
    """A program of which an option takes the NPU's word."""

    paths: frozenset[str]
    """The modules that it consists of, as far as they were found."""
    starts_with: tuple[str, ...]
    """What its command line needs for the NPU: ``--device npu``, ``--dist_backend hccl``."""
    path: str
    """The module in which the first of these options is declared."""
    start: int
    """Where the declaration begins, in bytes."""
    has_cuda: bool
    """Whether an option of it takes CUDA's word, too, which a migration leaves."""
