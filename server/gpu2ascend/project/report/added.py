"""A file that a project gets in addition, as the outcome of a migration that writes nothing."""

from __future__ import annotations

from .diff import file_diff, file_patch
from .result import FileOutcome, FileStatus


def added_outcome(path: str, before: str | None, after: str, mode: int = 0o644) -> FileOutcome:
    """The outcome, with its diffs.

    Args:
        path: Relative to the project, with ``/``.
        before: The text of the file that an earlier migration wrote; ``None`` where there is none.
        mode: Of a new file.
    """
    old = before.encode("utf-8") if before is not None else None
    patch = file_patch(path, old, after.encode("utf-8"), mode)
    return FileOutcome(path, FileStatus.ADDED, diff=file_diff(path, before, after), patch=patch)
