"""Shell code that a shell is given as a text: an argument, or a here-document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node

from ..nodes import text_of
from ..places import Word

SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh"})
_RUNS_TEXT = re.compile(r"-\w*c")
_OPTION_WITH_CODE = "--wrap"
"""The option by which sbatch gets the lines of a job."""
_RUN_THEIR_LAST = frozenset({"eval", "ssh", "pdsh", "clush", "tmux", "watch"})
"""Programs that give their last argument to a shell, here or on another machine."""
_READ_THEIR_INPUT = SHELLS | {"ssh", "sbatch", "qsub", "bsub"}
_WRITERS = frozenset({"cat", "tee"})
_SCRIPT = re.compile(r".*\.(?:sh|bash|slurm|sbatch|pbs|lsf|job)", re.IGNORECASE)
_JOINED_LINES = re.compile(rb"\\\n")
_ESCAPED_DOLLAR = re.compile(rb"\\(?=\$)")
"""In double quotes and here-documents; a blank in its place keeps every other byte where it is."""


class NestedCode(NamedTuple):
    """Shell code within shell code: as the inner shell reads it, byte for byte where the file has it."""

    start: int
    data: bytes
    quote: str
    """What it is in: one of ``'"``, or nothing for a here-document whose mark is quoted."""


def code_of(text: Word) -> NestedCode | None:
    """The code that a word between quotes is; ``None`` where it is written in another way than it is run."""
    at = text.raw.find("=") + 1 if text.raw.startswith(_OPTION_WITH_CODE + "=") else 0
    raw, quote = text.raw[at:], text.raw[at : at + 1]
    if len(raw) < len("''") or quote not in ("'", '"') or raw[-1] != quote or raw.count(quote) != len("''"):
        return None
    data = _as_run(raw[1:-1].encode("utf-8", "replace"), expands=quote == '"')
    return NestedCode(text.start + at + 1, data, quote) if data is not None else None


def _as_run(data: bytes, *, expands: bool) -> bytes | None:
    data = _ESCAPED_DOLLAR.sub(b" ", data) if expands else data
    return data if expands is False or b"\\" not in _JOINED_LINES.sub(b"", data) else None


def texts_run_by(words: Sequence[Word]) -> Iterator[Word]:
    """The arguments that a shell runs: after its ``-c``, behind ``--wrap``, the last one of ``ssh``."""
    programs = [(word.text or "").rpartition("/")[2] for word in words]
    for program, option, text in zip(programs, words[1:], words[2:], strict=False):
        is_of_shell = program in SHELLS and _RUNS_TEXT.fullmatch(option.text or "")
        if is_of_shell or option.text == _OPTION_WITH_CODE:
            yield text
    yield from (word for word in words if word.raw.startswith(f"{_OPTION_WITH_CODE}="))
    if not _RUN_THEIR_LAST.isdisjoint(programs[:-1]) and SHELLS.isdisjoint(programs):
        yield words[-1]


def here_document(node: Node) -> tuple[int, int, bool] | None:
    """Where the lines of a here-document begin and end, and whether the shell replaces variables in them.

    Args:
        node: Of the grammar's type ``heredoc_redirect``.
    """
    parts = {child.type: child for child in node.children}
    body, start, end = (parts.get(f"heredoc_{name}") for name in ("body", "start", "end"))
    if body is None or start is None or end is None:
        return None
    data, first = node.text or b"", node.start_byte
    begins = data.find(b"\n", start.end_byte - first) + 1  # the grammar passes over blank lines
    stops = data.rfind(b"\n", 0, end.start_byte - first) + 1
    if data[begins : body.start_byte - first].strip() or stops <= begins:
        return None
    return first + begins, first + stops, re.search(r"['\"\\]", text_of(start)) is None


def code_of_here_document(node: Node, command: Sequence[Word], files: Sequence[str]) -> NestedCode | None:
    """The code of a here-document that a shell reads, or that is written into a script.

    Args:
        node: Of the grammar's type ``heredoc_redirect``.
        command: The words of the command that it is given to.
        files: The files that the command writes.
    """
    program = (command[0].text or "").rpartition("/")[2] if command else ""
    written = files if program == "cat" else [word.text or "" for word in command[1:]]
    is_script = program in _WRITERS and any(map(_SCRIPT.fullmatch, written))
    is_read = not _READ_THEIR_INPUT.isdisjoint((word.text or "").rpartition("/")[2] for word in command)
    span = here_document(node) if is_script or is_read else None
    if span is None:
        return None
    start, end, expands = span
    whole = node.text or b""
    data = _as_run(whole[start - node.start_byte : end - node.start_byte], expands=expands)
    return NestedCode(start, data, '"' if expands else "") if data is not None else None
