"""This literal becomes that text, all of it or a part, whatever quotes, prefix and pieces it has.

The new text is spelt so that Python reads it back: quotes, backslashes and line ends are escaped, braces are
doubled in f-strings, and what a raw or bytes literal cannot hold is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ..model.finding import Edit
from ..text.syntax import text_of

_FIELD = "{}"
"""How a field of an f-string counts in the written text, as in :class:`~..engine.events.StringRef`."""


class _Character(NamedTuple):
    """One character of a literal as written: its text, its bytes, and the string that holds it."""

    text: str
    start: int
    end: int
    string: Node
    is_fixed: bool = False
    """Whether it is one with others: a field of an f-string, an escape."""


def written_text(literal: Node) -> str:
    """What stands between the quotes of a literal, escapes as written, fields of an f-string as ``{}``.

    Strings side by side (``concatenated_string``) are one text.
    """
    return "".join(character.text for character in _characters(literal))


def literal_becomes(literal: Node, text: str) -> list[Edit] | None:
    """The edits after which a ``string`` or ``concatenated_string`` is ``text``.

    Of strings side by side the first takes the text, and the others go; comments between them stay.
    ``None`` for an f-string with fields, and for what the literal cannot hold.
    """
    strings = _strings(literal)
    if not strings or any(child.type == "interpolation" for string in strings for child in string.children):
        return None
    first, *others = strings
    spelled = _spelled(text, first)
    if spelled is None:
        return None
    edits = [Edit(_inner(first).start, _inner(first).end, spelled)]
    if any(child.type == "comment" for child in literal.children):
        edits += [Edit(_inner(string).start, _inner(string).end, "") for string in others]
    elif others:
        edits.append(Edit(first.end_byte, others[-1].end_byte, ""))
    return edits


def part_becomes(literal: Node, start: int, end: int, text: str) -> list[Edit] | None:
    """The edits that put ``text`` in the place of some characters of a literal.

    Args:
        literal: A ``string`` or ``concatenated_string``.
        start: The first of the characters, as :func:`written_text` counts them.
        end: Behind the last of them; a part that goes over several strings is written in the first.
        text: What it becomes, as a value: it is spelt for the literal here.

    Returns:
        ``None`` where a field or an escape stands among the characters, and for what the literal cannot hold.
    """
    gone = list(_characters(literal))[start:end]
    if not gone or len(gone) < end - start or any(item.is_fixed for item in gone):
        return None
    spelled = _spelled(text, gone[0].string)
    if spelled is None:
        return None
    edits: list[Edit] = []
    for item in gone:
        if edits and edits[-1].end == item.start:
            edits[-1] = edits[-1]._replace(end=item.end)
        else:
            edits.append(Edit(item.start, item.end, "" if edits else spelled))
    return edits


def word_becomes(literal: Node, old: str, text: str, start: int = 0) -> list[Edit] | None:
    """The edits that put ``text`` in the place of the first ``old`` in a literal, from a character on."""
    at = written_text(literal).find(old, start)
    return part_becomes(literal, at, at + len(old), text) if at >= 0 else None


def _strings(literal: Node) -> list[Node]:
    if literal.type == "string":
        return [literal]
    return [child for child in literal.children if child.type == "string"]


def _characters(literal: Node) -> Iterator[_Character]:
    for string in _strings(literal):
        for child in string.children:
            if child.type == "interpolation":
                for brace in _FIELD:
                    yield _Character(brace, child.start_byte, child.end_byte, string, is_fixed=True)
            elif child.type == "string_content":
                yield from _letters(child, string)


def _letters(content: Node, string: Node) -> Iterator[_Character]:
    escapes = [range(child.start_byte, child.end_byte) for child in content.children]
    at = content.start_byte
    for letter in text_of(content):
        while escapes and escapes[0].stop <= at:
            del escapes[0]
        size = len(letter.encode("utf-8", "surrogatepass"))
        yield _Character(letter, at, at + size, string, bool(escapes) and at in escapes[0])
        at += size


class _Inner(NamedTuple):
    """What stands between the quotes."""

    start: int
    end: int


def _inner(string: Node) -> _Inner:
    return _Inner(string.children[0].end_byte, string.children[-1].start_byte)


def _spelled(text: str, string: Node) -> str | None:
    """A text as it is written in a string; ``None`` for one that cannot hold it."""
    opening = text_of(string.children[0])
    quotes = opening.lstrip("rRbBuUfFtT")
    prefix = opening[: -len(quotes)].lower()
    if "b" in prefix and not text.isascii():
        return None
    escaped = "".join(_escaped(letter, quotes[0]) for letter in text)
    if "r" in prefix and escaped != text:
        return None
    if "f" in prefix or "t" in prefix:
        escaped = escaped.replace("{", "{{").replace("}", "}}")
    return escaped


def _escaped(letter: str, quote: str) -> str:
    if letter in (quote, "\\"):
        return f"\\{letter}"
    return letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii")
