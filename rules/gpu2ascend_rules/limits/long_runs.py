"""Long runs of comment lines, and of line continuations, which the parser is spared.

Before each token tree-sitter's scanner for indentation reads on to the next line of code, past all comments
and continuations in between: a run of them takes time that grows with its square. What lies within such a run
is hidden from the parser by as many spaces, so that no offset changes; its first lines and its last are left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .nesting import Span

_LONG = 64
"""Lines from which on a run is a long one."""
_SAMPLED = 8
_LEFT = 8
"""First lines that the parser still sees."""
_COMMENTS = rb"(?:^[ \t\f\r]*(?:\#[^\n]*)?\n){%d,}" % _LONG
_CONTINUATIONS = rb"(?:[ \t\f]*\\\r?\n){%d,}" % _LONG
_CANDIDATE = re.compile(_COMMENTS, re.MULTILINE)
_LEXEME = re.compile(
    rb"(?P<comments>" + _COMMENTS + rb")"
    rb"|(?P<continuations>" + _CONTINUATIONS + rb")"
    rb'|"""(?:[^\\]|\\.)*?(?:"""|\Z)'
    rb"|'''(?:[^\\]|\\.)*?(?:'''|\Z)"
    rb'|"(?:[^"\\\n]|\\.)*"'
    rb"|'(?:[^'\\\n]|\\.)*'"
    rb"|\#[^\n]*",
    re.MULTILINE | re.DOTALL,
)


def long_runs(data: bytes) -> tuple[Span, ...]:
    """What is to be hidden from the parser, in text order. In nearly all files that is nothing."""
    is_continued = data.count(b"\\\n") + data.count(b"\\\r\n") >= _LONG
    if not is_continued and not (_may_have_comments(data) and _CANDIDATE.search(data)):
        return ()
    return tuple(_runs(data))


def _may_have_comments(data: bytes) -> bool:
    """Whether there may be a long run of comments: every eighth line of it is one. To look at so few lines
    costs a fraction of a search."""
    looked_at = (line.lstrip(b" \t\f\r")[:1] for line in data.split(b"\n")[::_SAMPLED])
    marks = b"".join(b"#" if first in (b"", b"#") else b"." for first in looked_at)
    return b"#" * (_LONG // _SAMPLED) in marks


def blanked(data: bytes, spans: tuple[Span, ...]) -> bytes:
    """The text with spaces in place of these parts; the ends of comment lines stay."""
    text = bytearray(data)
    for start, end in spans:
        is_continued = b"#" not in data[start:end]
        text[start:end] = re.sub(rb"[^ ]" if is_continued else rb"[^ \n]", b" ", data[start:end])
    return bytes(text)


def _runs(data: bytes) -> Iterator[Span]:
    for match in _LEXEME.finditer(data):
        mark = {"comments": b"#", "continuations": b"\\"}.get(match.lastgroup or "")
        last = data.rfind(mark, match.start(), match.end()) if mark is not None else -1
        start = match.start()
        if last < 0:  # a string, one comment, or blank lines alone
            continue
        if mark == b"\\" and not data[data.rfind(b"\n", 0, start) + 1 : start].strip():
            continue  # where a line begins, spaces would be its indentation
        for _ in range(_LEFT):
            start = data.index(b"\n", start) + 1
        end = data.rfind(b"\n", start, last) + 1
        if start < end:
            yield start, end
