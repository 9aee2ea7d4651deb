"""The rules of texts within names: device texts, entries of tables, and string literals."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tree_sitter import Node

from ..engine.context import Context
from ..flow.words import is_device_text, words_in_pattern
from ..limits.parents import parent_of
from ..model.finding import Edit, Message
from ..text.syntax import text_of
from .letter_counts import recounted

CUDA = "cuda"
NPU = "npu"

NAMES_THE_NPU = Message.of("fix.names_the_npu")
"""The title of a fix that says ``npu`` where a bare number was given."""


def renamed_device(string: Node, offset: int = 0) -> list[Edit]:
    """The edit of the four letters alone, the first from a character of a string literal's text on, of a list
    those of each device, with those of what counts them."""
    text = written_text(string)
    if "," in text and is_device_text(text):
        places = [(item.start(), item.end(), NPU) for item in re.finditer(CUDA, text)]
        return parts_become(string, places) or []
    edits = word_becomes(string, CUDA, NPU, offset) or []
    return [*edits, *recounted(string, CUDA, NPU)] if edits and not offset else edits


def ordinal_or_device(value: Node, ctx: Context) -> list[Edit]:
    """The edits for a name that holds the number of a device in some cases, and a device in others."""
    opening, closing = ordinal_as_device(value, ctx)
    name = text_of(value)
    return [opening, closing._replace(text=f"{closing.text} if isinstance({name}, int) else {name}")]


def ordinal_as_device(value: Node, ctx: Context) -> list[Edit]:
    """The edits that put ``torch.device('npu', ...)`` around the number of a device."""
    device = f"{ctx.spell('torch.device')}({ctx.quoted(NPU, value)}, "
    return [Edit(value.start_byte, value.start_byte, device), Edit(value.end_byte, value.end_byte, ")")]


_HOLDERS = frozenset(
    {"list", "tuple", "set", "expression_list", "dictionary", "subscript", "argument_list", "union_pattern"}
)
"""What holds entries one after the other. A comprehension makes all of its entries of one expression."""


def takes_another(entry: Node) -> bool:
    """Whether one more entry can be inserted behind this node: it is an entry, and no part of one.

    The text of ``[f'cuda:{i}' for i in range(8)]`` is the expression of a comprehension, and that of
    ``['cuda:' + n]`` an operand: with a comma behind it neither means what it did, or is Python at all.
    """
    holder = parent_of(entry)
    if holder is not None and holder.type == "type":  # Literal['cuda'] in an annotation
        holder = parent_of(holder)
        return holder is not None and holder.type == "type_parameter"
    return holder is not None and holder.type in _HOLDERS


_FIELD = "{}"
"""How a field of an f-string counts in the written text, as in :class:`~..engine.events.StringRef`."""


class _Part(NamedTuple):
    """A part of a literal that is written as one piece: plain characters, an escape, or a field."""

    at: int
    """Its place among the characters of the written text."""
    start: int
    text: str
    string: Node
    is_fixed: bool
    """Whether it is one with all its characters: an escape, a field of an f-string."""


def written_text(literal: Node) -> str:
    """What is between the quotes of a literal, escapes as written, fields of an f-string as ``{}``.

    Strings side by side (``concatenated_string``) are one text.
    """
    return "".join(part.text for part in _parts(literal))


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
    """The edits that put ``text`` in the place of some characters of a literal, as :func:`parts_become`."""
    return parts_become(literal, [(start, end, text)])


def parts_become(literal: Node, changes: Iterable[tuple[int, int, str]]) -> list[Edit] | None:
    """The edits that put texts in the place of some parts of a literal.

    Args:
        literal: A ``string`` or ``concatenated_string``.
        changes: Of each part its first character, as :func:`written_text` counts them, the one behind its
            last, and what it becomes, as a value: it is spelt for the literal here. Of a part that goes
            over several strings the text is written in the first.

    Returns:
        ``None`` where a field or an escape is in a part, and for what the literal cannot hold.
    """
    parts = list(_parts(literal))
    edits: list[Edit] = []
    for start, end, text in changes:
        made = _replaced(parts, start, end, text)
        if made is None:
            return None
        edits += made
    return edits


def _replaced(parts: list[_Part], start: int, end: int, text: str) -> list[Edit] | None:
    index = bisect.bisect_right(parts, start, key=lambda part: part.at) - 1
    if index < 0 or start >= end:
        return None
    spelled: str | None = _spelled(text, parts[index].string)
    edits: list[Edit] = []
    at = start
    while at < end and index < len(parts):
        part = parts[index]
        first, last = at - part.at, min(end - part.at, len(part.text))
        if part.is_fixed or spelled is None or first >= last:
            return None
        edits.append(Edit(_byte(part, first), _byte(part, last), spelled))
        at, spelled, index = part.at + last, "", index + 1
    return edits if at == end else None


def word_becomes(literal: Node, old: str, text: str, start: int = 0) -> list[Edit] | None:
    """The edits that put ``text`` in the place of the first ``old`` in a literal, from a character on."""
    at = written_text(literal).find(old, start)
    return part_becomes(literal, at, at + len(old), text) if at >= 0 else None


def _strings(literal: Node) -> list[Node]:
    if literal.type == "string":
        return [literal]
    return [child for child in literal.children if child.type == "string"]


def _parts(literal: Node) -> Iterator[_Part]:
    at = 0
    for string in _strings(literal):
        for start, text, is_fixed in _pieces(string):
            yield _Part(at, start, text, string, is_fixed)
            at += len(text)


def _pieces(string: Node) -> Iterator[tuple[int, str, bool]]:
    """The parts of one string: where each begins, its text, and whether it is one with all its characters."""
    for child in string.children:
        if child.type == "interpolation":
            yield child.start_byte, _FIELD, True
        elif child.type == "string_content":
            data, at = child.text or b"", child.start_byte
            for escape in child.children:
                yield from _plain(data[at - child.start_byte : escape.start_byte - child.start_byte], at)
                yield escape.start_byte, text_of(escape), True
                at = escape.end_byte
            yield from _plain(data[at - child.start_byte :], at)


def _plain(data: bytes, at: int) -> Iterator[tuple[int, str, bool]]:
    """Characters without escapes, lines apart where they are not ASCII, so that bytes are soon counted."""
    for line in [data] if data.isascii() else data.splitlines(keepends=True):
        if line:
            yield at, line.decode("utf-8", "surrogatepass"), False
        at += len(line)


def _byte(part: _Part, index: int) -> int:
    """Where a character of a part is in the file."""
    if part.text.isascii():
        return part.start + index
    return part.start + len(part.text[:index].encode("utf-8", "surrogatepass"))


class _Inner(NamedTuple):
    """What is between the quotes."""

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


def pattern_for(text: str, word: str, target: str) -> str:
    """The regular expression with another word."""
    found, end = [], 0
    for item in words_in_pattern(text, word):
        found += [text[end : item.start()], target]
        end = item.end()
    return "".join((*found, text[end:]))


def pattern_becomes(literal: Node, word: str, target: str) -> list[Edit]:
    """The edits of the literal of a regular expression."""
    found = words_in_pattern(written_text(literal), word)
    return parts_become(literal, [(item.start(), item.end(), target) for item in found]) or []
