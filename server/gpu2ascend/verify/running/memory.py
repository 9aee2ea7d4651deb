"""How much memory a simulated NPU has: of the host's, as much as a run may take."""

from __future__ import annotations

import os
import re
from pathlib import Path

VARIABLE = "GPU2ASCEND_NPU_MEMORY"
_LEAST, _MOST = 2 << 30, 64 << 30
_VISIBLE = 2
"""NPUs that one process sees."""
_HOST = "/proc/meminfo"
_CONTAINER = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)
"""Files with the limit of a container, and with what is in use: of both versions of control groups."""
_AVAILABLE = re.compile(r"^MemAvailable:\s*(\d+) kB", re.MULTILINE)


def memory_of_device(ranks: int | None) -> dict[str, str]:
    """The variable that says it, unless a user has: half of what the host has left, in equal parts."""
    if VARIABLE in os.environ:
        return {}
    share = _available() // 2 // max(ranks or 1, _VISIBLE)
    return {VARIABLE: str(min(max(share, _LEAST), _MOST))}


def _available() -> int:
    """Bytes that the host, or the container on it, can give; 0 where neither says."""
    found = _AVAILABLE.search(_text(_HOST))
    left = [int(found[1]) << 10] if found is not None else []
    limits = ((_text(limit), _text(used)) for limit, used in _CONTAINER)
    left += [int(limit) - int(used) for limit, used in limits if limit.isdecimal() and used.isdecimal()]
    return max(min(left, default=0), 0)


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""
