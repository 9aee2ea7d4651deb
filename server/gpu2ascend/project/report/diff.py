"""A unified diff of one file: as text to read, and as the bytes that ``patch`` and ``git apply`` take."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher, diff_bytes

_NO_NEWLINE = "\\ No newline at end of file\n"
_NEW = "/dev/null"
_CONTEXT = 3
_SMALL = 200
"""Lines from which on ``difflib`` passes over those that occur often, such as blank ones."""
_USUAL_MODE = 0o644
_QUOTED = re.compile(rb"[\x00-\x1f\"\\\x7f]")
_ESCAPES = {b"\t": rb"\t", b"\n": rb"\n", b"\r": rb"\r", b'"': rb"\"", b"\\": rb"\\"}


def file_diff(path: str, before: str | None, after: str) -> str:
    """The diff from one text of a file to another; from ``None`` to the text of a new file.

    Lines end at LF alone, as they do for ``patch``: a CR belongs to its line and is shown as changed
    when it is.
    """
    old = _NEW if before is None else f"a/{path}"
    lines = _unified(_lines(before or ""), _lines(after), old, f"b/{path}")
    return "".join(line if line.endswith("\n") else f"{line}\n{_NO_NEWLINE}" for line in lines)


def file_patch(path: str, before: bytes | None, after: bytes, mode: int = _USUAL_MODE) -> bytes:
    """The same of bytes, in whatever encoding, byte for byte what a program applies.

    Args:
        path: As the system has it, relative to the project, with ``/``.
        mode: Of a new file.
    """
    old = _NEW.encode() if before is None else _name("a", path)
    lines = diff_bytes(_unified, _byte_lines(before or b""), _byte_lines(after), old, _name("b", path))
    return b"".join(_headed(path, before, mode)) + b"".join(_ended(line) for line in lines)


class _Matcher(SequenceMatcher[str]):
    """Aligns two texts, also at lines that occur often.

    In a text of 200 lines ``difflib`` takes no blank line for one that both have, so one between two changed
    lines would be removed and added again. To count these lines everywhere would take quadratic time;
    within the few lines of one difference it does not.
    """

    def __init__(self, before: Sequence[str], after: Sequence[str]) -> None:
        super().__init__(None, before, after)
        self._before, self._after = before, after

    def get_opcodes(self) -> list[tuple[str, int, int, int, int]]:  # type: ignore[override]
        """The differences; what is equal within one does not count."""
        return [part for opcode in super().get_opcodes() for part in self._parts(*opcode)]

    def _parts(
        self, tag: str, i: int, i_end: int, j: int, j_end: int
    ) -> Iterator[tuple[str, int, int, int, int]]:
        if tag != "replace" or max(i_end - i, j_end - j) >= _SMALL:
            yield tag, i, i_end, j, j_end
            return
        inner = SequenceMatcher(None, self._before[i:i_end], self._after[j:j_end], autojunk=False)
        for kind, start, end, new_start, new_end in inner.get_opcodes():
            yield kind, i + start, i + end, j + new_start, j + new_end


def _unified(before: Sequence[str], after: Sequence[str], old: str, new: str, *_: object) -> Iterator[str]:
    """What ``difflib.unified_diff`` gives, for which it stands in ``diff_bytes``, of these alignments."""
    is_begun = False
    for group in _Matcher(before, after).get_grouped_opcodes(_CONTEXT):
        if not is_begun:
            yield f"--- {old}\n"
            yield f"+++ {new}\n"
            is_begun = True
        first, last = group[0], group[-1]
        yield f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@\n"
        for tag, i, i_end, j, j_end in group:
            if tag == "equal":
                yield from (f" {line}" for line in before[i:i_end])
                continue
            yield from (f"-{line}" for line in before[i:i_end])
            yield from (f"+{line}" for line in after[j:j_end])


def _range(start: int, end: int) -> str:
    """A range of lines as diffs write it: an empty one begins behind the line before it."""
    count = end - start
    if count == 1:
        return str(start + 1)
    return f"{start + 1 if count else start},{count}"


def _headed(path: str, before: bytes | None, mode: int) -> Iterator[bytes]:
    """What says that a new file can be executed; a plain one needs no such line."""
    if before is None and mode != _USUAL_MODE:
        yield b"diff --git %s %s\n" % (_name("a", path).rstrip(b"\t"), _name("b", path).rstrip(b"\t"))
        yield b"new file mode 100%o\n" % mode


def _name(side: str, path: str) -> bytes:
    """A name as Git writes it: quoted where a character could end the line, with a tab behind spaces."""
    name = os.fsencode(f"{side}/{path}")
    if _QUOTED.search(name):
        return b'"%s"' % _QUOTED.sub(lambda match: _ESCAPES.get(match[0]) or b"\\%03o" % match[0][0], name)
    return name + b"\t" if b" " in name else name


def _ended(line: bytes) -> bytes:
    return line if line.endswith(b"\n") else line + b"\n" + _NO_NEWLINE.encode()


def _lines(text: str) -> list[str]:
    *lines, last = text.split("\n")
    ended = [f"{line}\n" for line in lines]
    return [*ended, last] if last else ended


def _byte_lines(data: bytes) -> list[bytes]:
    *lines, last = data.split(b"\n")
    ended = [line + b"\n" for line in lines]
    return [*ended, last] if last else ended
