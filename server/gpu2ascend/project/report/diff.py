"""A unified diff of one file that ``patch`` and ``git apply`` take."""

from __future__ import annotations

from difflib import unified_diff

_NO_NEWLINE = "\\ No newline at end of file\n"


def file_diff(path: str, before: str | None, after: str) -> str:
    """The diff from one text of a file to another; from ``None`` to the text of a new file.

    Lines end at LF alone, as they do for ``patch``: a CR belongs to its line and is shown as changed
    when it is.
    """
    old = "/dev/null" if before is None else f"a/{path}"
    lines = unified_diff(_lines(before or ""), _lines(after), old, f"b/{path}")
    return "".join(line if line.endswith("\n") else f"{line}\n{_NO_NEWLINE}" for line in lines)


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    last = lines.pop()
    ended = [f"{line}\n" for line in lines]
    return [*ended, last] if last else ended
