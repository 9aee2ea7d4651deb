"""Python source bytes to text and back, without losing a byte.

The encoding is what Python itself would take: a byte order mark, else the declaration of PEP 263 in the
first two lines, else UTF-8. Line ends, form feeds and a missing last newline are part of the text.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from gpu2ascend_rules.model.finding import Message

# The two expressions that PEP 263 gives, for bytes.
_DECLARATION = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK = re.compile(rb"^[ \t\f]*(?:#.*)?$")
_LINE_END = re.compile(rb"\r\n|\r|\n")
_OF_HOST_NAMES = frozenset({"punycode", "idna"})
"""Encodings of names of hosts. No source is in one, and decoding takes the square of a text's length."""
_HEAD = 2048
"""Enough for two lines; a declaration that stands further right is not looked for."""


class NotTextError(Exception):
    """The bytes are not text in their encoding. ``message`` says why."""

    def __init__(self, message: Message) -> None:
        self.message = message
        super().__init__(message)


class SourceText(NamedTuple):
    """A decoded source file, with what is needed to write it back."""

    text: str
    """Without the byte order mark."""
    encoding: str
    bom: bytes


def decode(data: bytes) -> SourceText:
    """The text of a Python source file.

    Raises:
        NotTextError: the declared encoding is unknown or contradicts the byte order mark, or the bytes
            are not valid in it.
    """
    bom = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    declared = _declared_encoding(data[len(bom) : len(bom) + _HEAD])
    encoding = _text_encoding(declared or "utf-8")
    if bom and encoding != "utf-8":
        raise NotTextError(Message.of("project.encoding-bom", encoding=declared))
    try:
        return SourceText(data[len(bom) :].decode(encoding), encoding, bom)
    except (UnicodeError, ValueError) as error:
        offset = getattr(error, "start", 0)
        raise NotTextError(
            Message.of("project.encoding-bytes", encoding=declared or "utf-8", offset=len(bom) + offset)
        ) from error


def is_exact(like: SourceText, original: bytes) -> bool:
    """Whether the text gives the bytes back that it was decoded from.
    Raises UnicodeError, ValueError: the encoding has no bytes for it."""
    return like.bom + like.text.encode(like.encoding) == original


def encode(text: str, like: SourceText, original: bytes) -> bytes:
    """A changed text as bytes, stored the way ``original`` was, which ``like`` was decoded from.

    Raises:
        NotTextError: the encoding has no bytes for the new text, or would store the unchanged parts by
            other bytes than the original does (UTF-7 and some multi-byte encodings leave a choice).
    """
    try:
        exact = is_exact(like, original)
        data = text.encode(like.encoding)
    except (UnicodeError, ValueError):
        exact = False
    if not exact:
        raise NotTextError(Message.of("project.encoding-write", encoding=like.encoding))
    return like.bom + data


def _declared_encoding(head: bytes) -> str | None:
    lines = _LINE_END.split(head, maxsplit=2)[:2]
    for line in lines:
        match = _DECLARATION.match(line)
        if match is not None:
            return match[1].decode("ascii", "replace")
        if not _BLANK.match(line):
            return None
    return None


def _text_encoding(name: str) -> str:
    """The codec's own name of an encoding, with the spellings that Python's tokenizer lets through."""
    plain = name.lower().replace("_", "-")
    if plain == "utf-8" or plain.startswith("utf-8-"):
        return "utf-8"
    if re.match(r"(?:latin-1|iso-8859-1|iso-latin-1)(?:-|$)", plain):
        return "iso8859-1"
    if plain in _OF_HOST_NAMES:
        raise NotTextError(Message.of("project.encoding-unknown", encoding=name))
    try:
        # Refuses codecs such as rot13 and hex, which are not encodings of text.
        "".encode(plain)
        return codecs.lookup(plain).name
    except (LookupError, UnicodeError, ValueError) as error:
        raise NotTextError(Message.of("project.encoding-unknown", encoding=name)) from error
