"""The shell code of an instruction that is not written as such, with every byte in its place.

A list of words (``CMD ["python", "train.py"]``) becomes the same words as a shell quotes them; of a script
that is put in (``RUN <<EOF``) only the lines between are left.
"""

from __future__ import annotations

import re

_LIST = re.compile(rb'[\s\\`]*\[(?:[\s\\`]*"(?:[^"\\\r\n]|\\.)*"[\s\\`]*,?)*[\s\\`]*\]\s*$')
_TEXT = re.compile(rb'"((?:[^"\\\r\n]|\\.)*)"')
_SCRIPT = re.compile(
    rb"[ \t]*<<(?P<dash>-?)[ \t]*([\"']?)(?P<mark>[A-Za-z_]\w*)\2[ \t]*\r?\n(?P<body>.*?)"
    rb"(?=^[ \t]*(?P=mark)[ \t]*\r?$)",
    re.S | re.M,
)
_OTHER_PROGRAM = re.compile(rb"#!(?![^\n]*\b(?:ba|da|k|z)?sh\b)")
_UNSAFE_IN_SINGLE = (b"'", b"\\")


def exec_form(code: bytes) -> bytes | None:
    """The words of a list, as shell code; None for what is no list of words."""
    if _LIST.match(code) is None:
        return None
    done = bytearray(b" " * len(code))
    for match in _TEXT.finditer(code):
        done[match.start() : match.end()] = _quoted(match)
    return bytes(done)


def here_document(code: bytes) -> bytes | None:
    """The script that is put in; None where there is none, or it is for another program than a shell."""
    match = _SCRIPT.match(code)
    if match is None or _OTHER_PROGRAM.match(match["body"]) is not None:
        return None
    start, end = match.span("body")
    return _blank(code[:start]) + code[start:end] + _blank(code[end:])


def _quoted(match: re.Match[bytes]) -> bytes:
    is_literal = not any(mark in match[1] for mark in _UNSAFE_IN_SINGLE)
    return b"'" + match[1] + b"'" if is_literal else match[0]


def _blank(text: bytes) -> bytes:
    return re.sub(rb"[^\r\n]", b" ", text)
