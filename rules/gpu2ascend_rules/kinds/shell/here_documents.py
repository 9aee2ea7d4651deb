"""Here-documents: a line that is the mark ends one, not a line that begins with it, as the grammar has it."""

from __future__ import annotations

import re

from ...text.lines import ended_by_lf

_MARK = re.compile(rb"(?<!<)<<(?P<tabs>-?)[ \t]*(?P<quote>['\"]?)(?P<mark>[\w.-]+)(?P=quote)")


def other_beginnings(data: bytes) -> bytes:
    """A script, of the same length, in whose here-documents no line but the last begins with the mark."""
    if _MARK.search(data) is None:
        return data
    lines = list(ended_by_lf(data))
    texts = [line.rstrip(b"\r\n") for line in lines]
    last = {text: number for number, text in enumerate(texts)}
    last_indented = {text.lstrip(b"\t"): number for number, text in enumerate(texts)}
    number = 0
    while number < len(lines):
        marks = list(_MARK.finditer(lines[number]))
        number += 1
        for match in marks:
            mark, has_tabs = match["mark"], bool(match["tabs"])
            if (last_indented if has_tabs else last).get(mark, -1) < number:
                continue  # nothing ends it, as a shift of bits
            while (texts[number].lstrip(b"\t") if has_tabs else texts[number]) != mark:
                lines[number] = _begun_otherwise(lines[number], mark)
                number += 1
            number += 1
    return b"".join(lines)


def _begun_otherwise(line: bytes, mark: bytes) -> bytes:
    at = len(line) - len(line.lstrip())
    return (
        line[:at] + (b"x" if mark[:1] == b"_" else b"_") + line[at + 1 :]
        if line.startswith(mark, at)
        else line
    )
