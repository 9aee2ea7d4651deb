"""The answers to "does this API work there?"."""

from __future__ import annotations

import enum

LISTED_ROOT = "torch"
"""The module of which the support lists speak."""


class SupportStatus(enum.Enum):
    """How far an API works for one version on one hardware family."""

    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"
    """The vendor says that it does not work."""
    RESTRICTED = "restricted"
    """Works within limits: some dtypes, some arguments, inference only."""
    FALLBACK_CPU = "fallback_cpu"
    """May run on the CPU: right, but slow."""
    UNKNOWN = "unknown"
    """In no list that there is. Nobody says that it fails."""


class Evidence(enum.Enum):
    """What a status rests on."""

    LISTED = "listed"
    """A support list has the API, by this name or another of the same object."""
    REGISTERED = "registered"
    """No list has it, but torch_npu registers a kernel of its own for the operator behind it."""
    NONE = "none"
