"""The answers to "does this API work there?"."""

from __future__ import annotations

import enum

LISTED_ROOT = "torch"
"""The module of which the support lists speak."""
ABSENT = "absent"
"""For a rule that asks for it, in the place of a status: what the chosen release of torch does not have."""


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
    """In none of the lists. No source says that it fails."""
