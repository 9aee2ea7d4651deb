"""Whether processes of a run are left."""

from __future__ import annotations

import time
from pathlib import Path

_MOST_WAITS = 1_000


def is_alive(process: int) -> bool:
    """Whether a process runs; one that ended and was not waited for does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def ends(process: int) -> bool:
    """Whether a process that was killed ends: the system takes a moment for one that is no child of ours."""
    for _ in range(_MOST_WAITS):
        if not is_alive(process):
            return True
        time.sleep(0.01)
    return False
