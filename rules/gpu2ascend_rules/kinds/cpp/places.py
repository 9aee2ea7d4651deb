"""What rules are shown of C++ sources."""

from __future__ import annotations

import enum
from typing import NamedTuple


class Sign(enum.Enum):
    """What shows that a source needs CUDA."""

    HEADER = "header"
    CODE = "code"
    """A kernel, its launch, or a function for the device."""
    NAME = "name"
    """The name of the file alone."""


class CudaUse(NamedTuple):
    """The first place of a file that shows that it needs CUDA."""

    start: int
    end: int
    sign: Sign
    text: str
    """The header, or the code."""
