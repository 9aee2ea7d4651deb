"""What only IPython understands, hidden from a Python parser without moving a byte.

Magics, shell lines and help requests become comments or a bare ``0`` of the same length in UTF-8, so that
every offset means the same in the cell and in what the parser sees. The syntax is that of IPython's manual,
"Python vs IPython" (https://ipython.readthedocs.io/en/stable/interactive/python-ipython-diff.html).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

PYTHON_CELL_MAGICS = frozenset({"capture", "debug", "memit", "mprun", "prun", "time", "timeit"})
"""Cell magics that run the rest of the cell as Python, in the notebook's own namespace."""

_CELL_MAGIC = re.compile(r"\s*(%%\w*)")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)?")
_ESCAPE = re.compile(r"[ \t\f]*[%!?,;/]")
_HELP = re.compile(r"[ \t\f]*%{0,2}[\w.*]+\?{1,2}[ \t]*(?:[\r\n]|\Z)")
_ASSIGNED = re.compile(r"[ \t\f]*[^\W\d][\w., *\t]*(?:\[[^\]\r\n]*\][ \t]*)?=[ \t]*(?=[!%])")
_TIMED = re.compile(
    r"[ \t\f]*(%(?:time|timeit|prun|memit)(?:[ \t]+-\w*(?:[ \t]*\d+)?)*[ \t]+)"
    r"(?!-|(?:async|class|def|for|if|try|while|with)\b)\S"
)
"""A line magic that runs a simple statement: what follows it is Python."""
_TOKEN = re.compile(
    r"""(?P<comment>\#[^\r\n]*)
      | (?P<long>'''|\"\"\")
      | (?P<text>'(?:[^'\\\r\n]|\\(?:\r\n|[\s\S]))*'? | \"(?:[^\"\\\r\n]|\\(?:\r\n|[\s\S]))*\"?)
      | (?P<open>[(\[{]) | (?P<close>[)\]}])
      | (?P<joined>\\(?:\r\n|\r|\n))
      | (?P<newline>\r\n|\r|\n)""",
    re.VERBOSE,
)


class Hidden(NamedTuple):
    """What stands instead of a span; offsets in characters."""

    start: int
    end: int
    instead: str
    escape: int
    """Where the character is by which IPython takes it for itself."""


def mask_magics(text: str) -> str | None:
    """A cell with everything hidden that is not Python; ``None`` for one that a magic hands to others.

    ``%%bash`` is such a magic, and so is every one that we do not know, and ``%%python``, which runs the
    cell in another process where the notebook's names mean nothing.
    """
    hidden = hidden_spans(text)
    if hidden is None:
        return None
    if not hidden:
        return text
    parts: list[str] = []
    at = 0
    for span in hidden:
        parts += (text[at : span.start], span.instead)
        at = span.end
    return "".join((*parts, text[at:]))


def hidden_spans(text: str) -> list[Hidden] | None:
    """What is hidden of a cell, in order; ``None`` for a cell that a magic hands to others."""
    head = _CELL_MAGIC.match(text)
    if head is None:
        return list(_foreign(text, 0))
    if head[1].removeprefix("%%") not in PYTHON_CELL_MAGICS:
        return None
    at = head.start(1)
    start = line_end(text, at)
    return [Hidden(at, start, commented(text[at:start]), at), *_foreign(text, start)]


def _foreign(text: str, at: int) -> Iterator[Hidden]:
    """What is not Python from an offset on, which is the start of a line."""
    while at < len(text):
        span = _escaped(text, at)
        if span is not None:
            yield span
        at = span.end if span is not None else _statement_end(text, at)


def _escaped(text: str, at: int) -> Hidden | None:
    """What IPython takes for itself of the statement that begins at an offset."""
    timed = _TIMED.match(text, at)
    if timed is not None:
        return Hidden(*timed.span(1), "pass;".ljust(len(timed[1])), timed.start(1))
    assigned = None
    if not (_HELP.match(text, at) or _ESCAPE.match(text, at)):
        assigned = _ASSIGNED.match(text, at)
        if assigned is None:
            return None
    start, end = at if assigned is None else assigned.end(), line_end(text, at)
    while end < len(text) and text[at:end].rstrip("\r\n").endswith("\\"):
        at, end = end, line_end(text, end)
    while text[start] in " \t\f":
        start += 1
    escape = start
    if assigned is not None and text[start - 1] in " \t":  # then the text behind the escape stays as it is
        start -= 1
    return Hidden(start, end, _idle(text, start, end), escape)


def _idle(text: str, start: int, end: int) -> str:
    """A span as Python that does nothing, in as many bytes.

    An indented one may be all that its block holds, and an assigned one must have a value: these become
    ``0`` and a comment.
    """
    first, *others = (line for line in _LINE.findall(text[start:end]) if line)
    starts_line = start == 0 or text[start - 1] in "\r\n"
    shown = commented(first) if starts_line else "0" + commented(first[1:])
    return shown + "".join(map(commented, others))


def commented_lines(text: str) -> str:
    """Each line of a text as a comment, in as many bytes."""
    return "".join(map(commented, _LINE.findall(text)))


def commented(line: str) -> str:
    """A line whose first character is a ``#``, as often as it had bytes."""
    if not line.strip():
        return line
    return "#" * len(line[0].encode("utf-8", "surrogatepass")) + line[1:]


def line_end(text: str, at: int) -> int:
    """Behind the line that holds an offset."""
    found = _LINE.match(text, at)
    return found.end() if found is not None else len(text)


def _statement_end(text: str, at: int) -> int:
    """Where the logical line at an offset ends: brackets and long strings hold lines together."""
    depth = 0
    while True:
        token = _TOKEN.search(text, at)
        if token is None:
            return len(text)
        at, kind = token.end(), token.lastgroup
        if kind == "long":
            at = _long_string_end(text, at, token[0])
        elif kind in ("open", "close"):
            depth += 1 if kind == "open" else -1
        elif kind == "newline" and depth <= 0:
            return at


def _long_string_end(text: str, at: int, quotes: str) -> int:
    """Behind the closing quotes; without any, the end of the text."""
    for found in re.compile(rf"\\[\s\S]|{quotes}").finditer(text, at):
        if found[0] == quotes:
            return found.end()
    return len(text)
