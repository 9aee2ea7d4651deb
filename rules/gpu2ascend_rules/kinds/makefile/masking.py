"""The shell code of a makefile, with every byte in its place.

What is make's own is written over by blanks, or by what means the same to a shell: ``$(NAME)`` by
``${NAME}``, ``$$`` by a blank and ``$``. No byte moves, so that a place in what is left is that in the file.
"""

from __future__ import annotations

import re

from ...text.lines import ended_by_lf

_REFERENCE = re.compile(rb"\$\(([A-Za-z_]\w*)\)|\$\{([A-Za-z_]\w*)\}")
_SHELL = re.compile(rb"\$\(shell[ \t]")
_FUNCTION = re.compile(rb"\$[({][a-z-]+[ \t,]")
_AUTOMATIC = re.compile(rb"\$[@<^+?*%|]|\$\([@<^+?*%|][DF]?\)")
_PREFIX = re.compile(rb"[@+-]+")


def recipes(data: bytes) -> bytes:
    """The recipes of a makefile: everything else but ends of lines is blank."""
    lines = []
    goes_on = in_recipe = False
    for line in ended_by_lf(data):
        if not goes_on:
            in_recipe = line.startswith(b"\t")
        lines.append(_recipe(line, is_first=not goes_on) if in_recipe else _blank(line))
        goes_on = line.rstrip(b"\r\n").endswith(b"\\")
    return b"".join(lines)


def as_shell(text: bytes) -> bytes:
    """Make's own parts of a text, written so that a shell's parser understands them."""
    text = text.replace(b"$$", b" $")
    text = _AUTOMATIC.sub(lambda match: b"x" * len(match[0]), text)
    text = _REFERENCE.sub(lambda match: b"${" + (match[1] or match[2]) + b"}", text)
    text = _SHELL.sub(lambda match: b"$(" + b" " * (len(match[0]) - 2), text)
    return _without_functions(text)


def _without_functions(text: bytes) -> bytes:
    """The text with the calls of make's functions written over."""
    done = bytearray(text)
    for match in _FUNCTION.finditer(text):
        close = {b"(": b")", b"{": b"}"}[match[0][1:2]]
        opened, depth, end = match[0][1:2], 0, match.start() + 1
        while end < len(text) and text[end : end + 1] not in (b"\n", b"\r"):
            depth += (text[end : end + 1] == opened) - (text[end : end + 1] == close)
            end += 1
            if not depth:
                break
        done[match.start() : end] = b"x" * (end - match.start())
    return bytes(done)


def _recipe(line: bytes, *, is_first: bool) -> bytes:
    body = line[1:] if is_first else line
    head = b" " if is_first else b""
    prefix = _PREFIX.match(body) if is_first else None
    if prefix is not None:
        body = b" " * prefix.end() + body[prefix.end() :]
    return head + as_shell(body)


def _blank(line: bytes) -> bytes:
    body = line.rstrip(b"\r\n")
    return b" " * len(body) + line[len(body) :]
