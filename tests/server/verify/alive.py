"""Whether processes of a run are left."""

from __future__ import annotations

from pathlib import Path


def is_alive(process: int) -> bool:
    """Whether a process runs; one that ended and was not waited for does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
