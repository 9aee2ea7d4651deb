"""The instructions of a container file, with where their text begins and ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...limits.checkpoints import checkpoint
from ...text.lines import ended_by_lf

_DIRECTIVE = re.compile(rb"[ \t]*#[ \t]*escape[ \t]*=[ \t]*(.)[ \t]*$", re.IGNORECASE)
_NAME = re.compile(rb"[ \t]*(?:ONBUILD[ \t]+)?([A-Za-z]+)(?=[ \t\\`]|$)[ \t]*", re.IGNORECASE)
_HEREDOC = re.compile(rb"<<-?[ \t]*([\"']?)([A-Za-z_]\w*)\1")


class Instruction(NamedTuple):
    """One instruction, with all lines that belong to it."""

    name: str
    """In capitals."""
    start: int
    """Where the text behind the name begins."""
    end: int
    code: bytes
    """The text, of the same length: without comments between its lines."""


def instructions(data: bytes) -> Iterator[Instruction]:
    """The instructions of a file, in order; other lines are skipped."""
    lines = list(_lines(data))
    escape = _escape(data, lines)
    number = 0
    while number < len(lines):
        checkpoint()
        first, last = lines[number]
        line = data[first:last]
        number += 1
        if line.strip().startswith(b"#") or not line.strip():
            continue
        parts = [line]
        while parts[-1].rstrip().endswith(escape) and number < len(lines):
            parts.append(_part(data[slice(*lines[number])], escape))
            number += 1
        for name in [match[2] for match in _HEREDOC.finditer(b"".join(parts))]:
            while number < len(lines):
                text = data[slice(*lines[number])]
                parts.append(text)
                number += 1
                if text.strip() == name:
                    break
        found = _NAME.match(line)
        if found is not None:
            code = b"".join(parts)[found.end() :]
            start = first + found.end()
            yield Instruction(found[1].decode().upper(), start, start + len(code), code)


def _lines(data: bytes) -> Iterator[tuple[int, int]]:
    start = 0
    for line in ended_by_lf(data):
        yield start, start + len(line)
        start += len(line)


def _escape(data: bytes, lines: list[tuple[int, int]]) -> bytes:
    """What is at the end of a line that goes on: the file's first comments may choose it."""
    for first, last in lines:
        line = data[first:last].rstrip(b"\r\n")
        if not line.strip().startswith(b"#"):
            break
        found = _DIRECTIVE.match(line)
        if found is not None:
            return found[1]
    return b"\\"


def _part(line: bytes, escape: bytes) -> bytes:
    """A line behind one that goes on; comments and empty lines do not end it and say nothing."""
    body = line.rstrip(b"\r\n")
    if body.strip() and not body.strip().startswith(b"#"):
        return line
    if not body:
        return escape if line == b"\n" else escape + b" " * (len(line) - 1)
    return b" " * (len(body) - 1) + escape + line[len(body) :]
