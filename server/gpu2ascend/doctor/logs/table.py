"""The rows of the table of failures: what a line of a log, or a code, is known as."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from ..tables import rows
from .literals import Candidates

_NUMBER = r"(?:error ?code|errno|ret ?code|aclnnStatus|\bret|\bfailed|\bresult)\W{0,3}(?:is\W{0,3})?(?:%s)\b"
BY_CLASS = ("likely", "vague")
"""Kinds of rows that know a class of texts: only a line that shows an error is of it."""
_SENTENCE = re.compile(r"\[Error\]\s*:\s*(?P<text>\S[^\n]*)")


class Row(NamedTuple):
    """What one kind of failure looks like."""

    name: str
    """``doctor.log.<name>.cause`` and ``.remedy`` are its messages."""
    codes: frozenset[str]
    pattern: re.Pattern[str]
    kind: str
    rules: tuple[str, ...]
    command: str
    source: str


@cache
def table() -> tuple[Row, ...]:
    """The rows, specific ones first."""
    return tuple(
        Row(
            row["id"],
            frozenset(filter(None, row["codes"].split(","))),
            _compiled(row["codes"], row["pattern"]),
            row["kind"],
            tuple(filter(None, row["rules"].split(","))),
            row["command"],
            row["source"],
        )
        for row in rows("failures")
    )


def _compiled(codes: str, pattern: str) -> re.Pattern[str]:
    words = [code for code in codes.split(",") if code and not code.isdecimal()]
    numbers = [code for code in codes.split(",") if code.isdecimal()]
    parts = [pattern] if pattern else []
    parts += [rf"\b(?:{'|'.join(words)})(?![A-Za-z0-9])"] if words else []
    parts += [_NUMBER % "|".join(numbers)] if numbers else []
    return re.compile("|".join(parts))


def row_of_code(code: str) -> Row | None:
    """The row of a code such as ``EI0006`` or ``507015``; that of its family where it has none itself."""
    written = code.upper()
    own = next((row for row in table() if written in row.codes), None)
    texts = (written, f"error code is {written}")
    return own or next(
        (row for row in table() if row.kind == "general" and any(row.pattern.search(text) for text in texts)),
        None,
    )


def sentence_of_code(code: str) -> str:
    """What torch_npu prints for a number; empty for another code."""
    return _sentences().get(code, "")


@cache
def _sentences() -> dict[str, str]:
    return {row["code"]: row["text"] for row in rows("error_codes")}


def matching(line: str, shows_error: bool) -> Row | None:
    """The first row of a line; rows of a class of texts only for a line that shows an error."""
    rows_here = (table()[number] for number in _candidates().of(line))
    found = next(
        (row for row in rows_here if (shows_error or row.kind not in BY_CLASS) and row.pattern.search(line)),
        None,
    )
    said = _SENTENCE.search(line) if found is None else None
    if said is None:
        return found
    text = said["text"].strip()
    code = next((code for code, known in _sentences().items() if text.startswith(known)), None)
    return row_of_code(code) if code is not None else None


@cache
def _candidates() -> Candidates:
    return Candidates([row.pattern.pattern for row in table()])
