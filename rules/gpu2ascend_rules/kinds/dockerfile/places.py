"""What rules are shown of container files, beside the shell code in them."""

from __future__ import annotations

from typing import NamedTuple


class BaseImage(NamedTuple):
    """The image that a stage begins with; the span is that of its name, which may be in an ARG."""

    start: int
    end: int
    name: str
    """With tag or digest; variables that have a default are replaced by it."""
