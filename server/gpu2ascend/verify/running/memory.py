"""How much memory a simulated NPU has: of the host's, as much as a run may take."""

from __future__ import annotations

import os
import re
from pathlib import Path

VARIABLE = "GPU2ASCEND_NPU_MEMORY"
_LEAST, _MOST = 2 << 30, 64 << 30
_VISIBLE = 2
"""NPUs that one process sees."""
_AVAILABLE = re.compile(r"^MemAvailable:\s*(\d+) kB", re.MULTILINE)


def memory_of_device(ranks: int | None) -> dict[str, str]:
    """The variable that says it, unless a user has: half of what the host has left, in equal parts."""
    if VARIABLE in os.environ:
        return {}
    share = _available() // 2 // max(ranks or 1, _VISIBLE)
    return {VARIABLE: str(min(max(share, _LEAST), _MOST))}


def _available() -> int:
    """Bytes that the host can give; 0 where it does not say."""
    try:
        found = _AVAILABLE.search(Path("/proc/meminfo").read_text(encoding="ascii"))
    except (OSError, ValueError):
        return 0
    return int(found[1]) << 10 if found is not None else 0
