"""From text as a shell reads it to the pieces of what a program is given: quotes, escapes, expansions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from ...text.parts.part import Piece
from ...text.parts.quoting import Quoting

_CLOSING = {b"(": b")", b"{": b"}"}
_NAME = re.compile(rb"\$(?:[A-Za-z_]\w*|[0-9@#?*!$-])", re.ASCII)
_PLAIN = {
    Quoting.BARE: re.compile(rb"[^'\"\\$`]+"),
    Quoting.DOUBLE: re.compile(rb"[^\"\\$`]+"),
    Quoting.HERE: re.compile(rb"[^\\$`]+"),
}
_ESCAPED = {Quoting.DOUBLE: b'\\"$`', Quoting.HERE: b"\\$`"}
"""What loses the backslash before it; elsewhere everything does."""
_OTHERS = re.compile(rb"\$\{[^}\r\n]*\}|\$[A-Za-z_]\w*", re.ASCII)
"""What is not the shell's to replace, but may be that of what runs it: of make, of a service."""
_ANSI = re.compile(rb"\\(?:[abefnrtv\\'\"?]|x[0-9a-fA-F]{1,2}|[0-7]{1,3}|u[0-9a-fA-F]{1,4})|[^\\]+|\\", re.S)
_LETTERS = {
    b"a": b"\a", b"b": b"\b", b"e": b"\x1b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"
}  # fmt: skip
_JSON = re.compile(rb"\\(?:u[0-9a-fA-F]{4}|.)|[^\\]+", re.S)


def pieces_of_word(raw: bytes, at: int) -> list[Piece] | None:
    """What a word means; ``None`` where a quote is not closed.

    Args:
        raw: As it is written.
        at: Where it begins in the file.
    """
    found: list[Piece] = []
    here = 0
    while here < len(raw):
        quote = raw[here : here + 1]
        if quote == b"'" or raw.startswith(b"$'", here):
            opened = raw.index(b"'", here) + 1
            is_ansi = quote == b"$"
            end = _end_of_ansi(raw, opened) if is_ansi else raw.find(b"'", opened)
            if end < 0:
                return None
            read = _of_ansi if is_ansi else _of_single
            found += read(raw[opened:end], at + opened)
            here = end + 1
        elif quote == b'"' or raw.startswith(b'$"', here):
            opened = raw.index(b'"', here) + 1
            inside, here = _expanded(raw, opened, at, Quoting.DOUBLE)
            if raw[here : here + 1] != b'"':
                return None
            found += inside
            here += 1
        else:
            inside, here = _expanded(raw, here, at, Quoting.BARE)
            found += inside
    return found


def pieces_of_here_document(body: bytes, at: int, *, expands: bool) -> list[Piece]:
    """What a here-document means, with the tabs before its lines.

    Args:
        at: Where it begins in the file.
        expands: Whether the shell replaces variables in it: its end is not quoted.
    """
    if not expands:
        return list(_literal(body, at, Quoting.RAW))
    return _expanded(body, 0, at, Quoting.HERE)[0]


def pieces_of_listed(raw: bytes, at: int) -> list[Piece]:
    """What an element of a list of texts, with its quotes, means."""
    if raw[:1] == b"'":  # without escapes; see the masking of container files
        return list(_literal(raw[1:-1], at + 1, Quoting.LIST))
    found = []
    for match in _JSON.finditer(raw[1:-1]):
        start, end = at + 1 + match.start(), at + 1 + match.end()
        if match[0].startswith(b"\\"):
            try:
                text: bytes | None = str(json.loads(b'"%s"' % match[0])).encode("utf-8", "surrogatepass")
            except ValueError:
                text = None
            found.append(Piece(start, end, text, Quoting.LIST))
        else:
            found += _literal(match[0], start, Quoting.LIST)
    return found


def _of_single(text: bytes, at: int) -> Iterator[Piece]:
    return _literal(text, at, Quoting.SINGLE)


def _literal(text: bytes, at: int, quoting: Quoting) -> Iterator[Piece]:
    """Text that the shell leaves alone."""
    here = 0
    for match in _OTHERS.finditer(text):
        if here < match.start():
            yield Piece(at + here, at + match.start(), text[here : match.start()], quoting)
        yield Piece(at + match.start(), at + match.end(), None, quoting)
        here = match.end()
    if here < len(text):
        yield Piece(at + here, at + len(text), text[here:], quoting)


def _end_of_ansi(raw: bytes, at: int) -> int:
    while at < len(raw) and raw[at : at + 1] != b"'":
        at += 2 if raw[at : at + 1] == b"\\" else 1
    return at if at < len(raw) else -1


def _of_ansi(text: bytes, at: int) -> Iterator[Piece]:
    for match in _ANSI.finditer(text):
        start, end = at + match.start(), at + match.end()
        found = match[0]
        if found[:1] != b"\\" or found == b"\\":
            yield Piece(start, end, found, Quoting.ANSI)
        elif found[1:2] in (b"x", b"u") or found[1:2].isdigit():
            number = int(found[2:], 16) if found[1:2] in (b"x", b"u") else int(found[1:], 8)
            yield Piece(start, end, chr(number).encode("utf-8", "surrogatepass"), Quoting.ANSI)
        else:
            yield Piece(start, end, _LETTERS.get(found[1:], found[1:]), Quoting.ANSI)


def _expanded(text: bytes, here: int, at: int, quoting: Quoting) -> tuple[list[Piece], int]:
    """The pieces of text in which the shell replaces variables, and where it ends: at a quote, if any."""
    found: list[Piece] = []
    while here < len(text):
        plain = _PLAIN[quoting].match(text, here)
        if plain is not None:
            found.append(Piece(at + here, at + plain.end(), plain[0], quoting))
            here = plain.end()
            continue
        mark = text[here : here + 1]
        if mark in (b"'", b'"') or (quoting is Quoting.BARE and text[here : here + 2] in (b"$'", b'$"')):
            break
        end, stood_for = _escape(text, here, quoting) if mark == b"\\" else _expansion(text, here)
        found.append(Piece(at + here, at + end, stood_for, quoting))
        here = end
    return found, here


def _escape(text: bytes, here: int, quoting: Quoting) -> tuple[int, bytes]:
    """Where an escape ends, and what it means."""
    line_end = re.compile(rb"\\\r?\n").match(text, here)
    if line_end is not None:
        return line_end.end(), b""
    letter = text[here + 1 : here + 2]
    if not letter or (quoting in _ESCAPED and letter not in _ESCAPED[quoting]):
        return here + 1, b"\\"
    return here + 2, letter


def _expansion(text: bytes, here: int) -> tuple[int, bytes | None]:
    """Where something that the shell replaces ends, and ``None``; else a dollar sign."""
    if text[here : here + 1] == b"`":
        return _closed(text, here + 1, b"`"), None
    opened = text[here + 1 : here + 2]
    if opened in _CLOSING:
        return _closed(text, here + 2, _CLOSING[opened], opened), None
    name = _NAME.match(text, here)
    return (name.end(), None) if name is not None else (here + 1, b"$")


def _closed(text: bytes, here: int, close: bytes, opened: bytes = b"") -> int:
    """Behind the mark that closes an expansion; the end of the text if none does."""
    depth, quote = 1, b""
    while here < len(text):
        mark = text[here : here + 1]
        if mark == b"\\" and quote != b"'":
            here += 1
        elif quote:
            quote = b"" if mark == quote else quote
        elif mark in (b"'", b'"') and close != b"`":
            quote = mark
        elif mark == close:
            depth -= 1
        elif mark == opened:
            depth += 1
        here += 1
        if not depth:
            return here
    return len(text)
