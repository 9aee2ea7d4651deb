"""What a fix does, in one line: the text that goes and the text that comes."""

from __future__ import annotations

from ..model.finding import Edit, Fix, Message

DEFAULT_TITLES = frozenset({"fix.replace", "fix.remove"})
"""Of fixes of which the rule says no more than the new text."""
_LONGEST = 60
"""Characters of a text that a title shows."""


def title_of(fix: Fix, data: bytes) -> Message:
    """The title of a fix of a text: the rule's, or else what becomes what."""
    if fix.title.id not in DEFAULT_TITLES or not fix.plan.edits:
        return fix.title
    edits = sorted(fix.plan.edits)
    old, new = _spanned(edits, data)
    if len(edits) > 1 and not (_is_short(old) and _is_short(new)):
        first = edits[0]
        shown = _described(_text(data, first.start, first.end), first.text)
        return Message.of("fix.and-more", first=shown, count=len(edits) - 1)
    return _described(old, new)


def _spanned(edits: list[Edit], data: bytes) -> tuple[str, str]:
    """The text from the first edit to the last, before and after."""
    parts = []
    at = edits[0].start
    for edit in edits:
        parts += [_text(data, at, edit.start), edit.text]
        at = max(at, edit.end)
    return _text(data, edits[0].start, at), "".join(parts)


def _described(old: str, new: str) -> Message:
    if not new.strip():
        return Message.of("fix.remove-text", text=_shown(old)) if old.strip() else Message.of("fix.remove")
    if not old.strip():
        return Message.of("fix.insert", text=_shown(new))
    return Message.of("fix.replace-text", old=_shown(old), new=_shown(new))


def _is_short(text: str) -> bool:
    return len(text) <= _LONGEST and "\n" not in text


def _shown(text: str) -> str:
    """A text in one line, the middle of a long one left out."""
    line = " ".join(text.split())
    if len(line) <= _LONGEST:
        return line
    half = _LONGEST // 2 - 1
    return f"{line[:half]} … {line[-half:]}"


def _text(data: bytes, start: int, end: int) -> str:
    return data[start:end].decode("utf-8", "replace")
