"""Names and strings that Python reads otherwise than they are written: a search finds no word in them.

Python takes an identifier in its NFKC form, and reads escapes in strings. Rules look for words in the bytes
of a file: these places are found here, by their own signs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from tree_sitter import Node

from ...limits.parents import parent_of
from ..parsed_text import ParsedText
from ..syntax import text_of

_WORDS = (b"cuda", b"nccl", b"gpu", b"torch", b"nvidia")
"""Words of which a string is worth a look; in lower case."""
_ESCAPE = re.compile(
    rb"\\(?:x[4-7][0-9A-Fa-f]|u00[4-7][0-9A-Fa-f]|U000000[4-7][0-9A-Fa-f]|1[0-7][0-7]|N\{[A-Za-z _-]{1,60}\})"
)
"""Escapes that may spell a letter."""
_BETWEEN = re.compile(rb"[\"'](?:[ \t\f\r\n]|\\\r?\n)+[rRbBuUfF]{0,2}[\"']")
"""The end of a literal and the beginning of one that Python joins with it."""
_LITERALS = ("string", "concatenated_string")
_NUMBER = re.compile(rb"\\[xuU]([0-9A-Fa-f]+)")
_ASCII = bytes(range(128))


class Disguise(NamedTuple):
    """A name or a literal that Python reads otherwise than it is written."""

    node: Node
    """The identifier, or the literal with those that Python joins with it."""
    plain: str
    """What Python reads; of a literal, its text."""
    edits: tuple[tuple[int, int, str], ...]
    """Spans with their new texts that write it plainly."""


def may_be_disguised(data: bytes) -> bool:
    """Whether a text may have such places, as far as its bytes say: a few searches."""
    if not data.isascii() and _letters_beyond_ascii(data):
        return True
    if b"\\" not in data or _ESCAPE.search(data) is None:
        return False
    return _has_more(_BETWEEN.sub(b"", _ESCAPE.sub(_read, data)), _BETWEEN.sub(b"", data))


def disguises(source: ParsedText) -> Iterator[Disguise]:
    """The places of a file, names first."""
    seen: set[int] = set()
    for letter in _letters_beyond_ascii(source.data):
        for at in source.find_all(letter):
            node = source.node_at(at, at + len(letter))
            if node is not None and node.type == "identifier" and node.id not in seen:
                seen.add(node.id)
                yield from _name(node)
    for sign in _ESCAPE.finditer(source.data):
        literal = _literal_at(source, sign.start())
        if literal is not None and literal.id not in seen:
            seen.add(literal.id)
            yield from _literal(literal)


def _name(node: Node) -> Iterator[Disguise]:
    """A single letter is one of a formula."""
    plain = unicodedata.normalize("NFKC", text_of(node))
    if len(plain) > 1:
        yield Disguise(node, plain, ((node.start_byte, node.end_byte, plain),))


def _letters_beyond_ascii(data: bytes) -> list[bytes]:
    """The characters of a text that Python reads as letters of ASCII where they are in a name."""
    if data.isascii():
        return []
    beyond = set(data.translate(None, _ASCII).decode("utf-8", "replace"))
    found = filter(_is_letter_of_ascii, beyond)
    return sorted(one.encode("utf-8") for one in found)


@lru_cache(maxsize=4096)
def _is_letter_of_ascii(character: str) -> bool:
    plain = unicodedata.normalize("NFKC", character)
    return plain.isascii() and plain.isidentifier()


def _literal_at(source: ParsedText, at: int) -> Node | None:
    """The outermost literal that is made of literals alone, around a place."""
    node = source.node_at(at, at + 1)
    while node is not None and node.type in ("escape_sequence", "string_content"):
        node = parent_of(node)
    if node is None or node.type not in _LITERALS:
        return None
    parent = parent_of(node)
    return parent if parent is not None and parent.type == "concatenated_string" else node


def _literal(literal: Node) -> Iterator[Disguise]:
    parts = literal.named_children if literal.type == "concatenated_string" else [literal]
    strings = [part for part in parts if part.type == "string"]
    written = b"".join(content.text or b"" for part in strings for content in _contents(part))
    edits = tuple(edit for part in strings for edit in _letters(part))
    plain = b"".join(_read_text(part) for part in strings)
    if edits and _has_more(plain, written):
        yield Disguise(literal, plain.decode("utf-8", "replace"), edits)


def _read_text(string: Node) -> bytes:
    """The text of a literal with its escapes for letters as Python reads them."""
    text = b"".join(content.text or b"" for content in _contents(string))
    return _ESCAPE.sub(_read, text) if _has_escapes(string) else text


def _contents(string: Node) -> list[Node]:
    return [child for child in string.named_children if child.type == "string_content"]


def _prefix(string: Node) -> bytes:
    return (string.children[0].text or b"").lower()


def _has_escapes(string: Node) -> bool:
    return b"r" not in _prefix(string)


def _letters(string: Node) -> Iterator[tuple[int, int, str]]:
    """Each escape that spells a letter, with that letter."""
    for content in _contents(string) if _has_escapes(string) else ():
        for escape in content.named_children:
            raw = escape.text or b""
            letter = _letter(raw)
            if escape.type == "escape_sequence" and letter is not None and not _is_text(raw, string):
                yield escape.start_byte, escape.end_byte, letter


def _is_text(raw: bytes, string: Node) -> bool:
    """Whether what looks like an escape is plain text, because the literal is one of bytes."""
    return raw[1:2] in (b"u", b"U", b"N") and b"b" in _prefix(string)


def _read(match: re.Match[bytes]) -> bytes:
    letter = _letter(match[0])
    return match[0] if letter is None else letter.encode()


def _letter(escape: bytes) -> str | None:
    """The letter of ASCII that an escape spells; None for any other character."""
    number = _NUMBER.fullmatch(escape)
    if number is not None:
        character = chr(int(number[1], 16)) if int(number[1], 16) < 128 else ""
    elif escape[1:2] == b"N":
        try:
            character = unicodedata.lookup(escape[3:-1].decode())
        except (KeyError, UnicodeDecodeError):
            return None
    elif len(escape) == 4 and escape[1:].isdigit():
        character = chr(int(escape[1:], 8))
    else:
        return None
    return character if character.isascii() and (character.isalpha() or character == "_") else None


def _has_more(plain: bytes, written: bytes) -> bool:
    """Whether a text has a word more often than it is written."""
    plain, written = plain.lower(), written.lower()
    return any(plain.count(word) > written.count(word) for word in _WORDS)
