"""The rows of the table of failures: what a line of a log, or a code, is known as."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from ..tables import rows
from .literals import Candidates

_NUMBER = (
    r"(?:[Ee]rr(?:or)?(?: ?[Cc]ode|[Nn]o)|[Rr]et ?[Cc]ode|aclnnStatus|\bret|\bfailed|\bresult)"
    r"\W{0,3}(?:is\W{0,3})?(?:%s)\b"
)
BY_CLASS = ("likely", "vague")
"""Kinds of rows that know a class of texts: only a line that shows an error is of it."""
_CERTAIN = ("root", "cause")
"""Kinds of rows that know the cause."""
_NAMED = re.compile(r"\b(?:ACL_ERROR|ACLNN_ERR|HCCL_E)_[A-Z_\d]+\b")
_INNER = re.compile(
    r"(?:Error|Exception|Failed)\b[^\n]*[\s:'\"]"
    r"(?P<text>(?:\w+\.)*(?:(?P<module>ImportError|ModuleNotFoundError)|[A-Z]\w*(?:Error|Exception)): "
    r"\S[^\n]*)"
)
"""An exception that another one quotes; ``module``: it says what is missing, whoever asked for it."""
_REPEATED = re.compile(r"(?:failed|error|exception)\b[^\n']{0,40}?(?:with|error|:) ?'(?P<text>[^\n]{12,})")
"""The message of a process that another one repeats, without the name of its exception."""
_FORM = re.compile(
    r"\b(?:(?:Attribute|Type|Import|Name|UnboundLocal)Error: [^\n]{0,200}?|(?=KeyError: '[^'\s]+'\s*$))"
    r"(?P<form>KeyError:|has no attribute|cannot import name|got an unexpected keyword argument"
    r"|missing \d+ required|takes (?:from )?\d+|got multiple values|referenced before assignment"
    r"|is not defined|not associated with a value)"
)
"""What Python itself says of a name: the words in the name are no statement."""
_QUOTED = re.compile(r"'[^'\n]*'|\([^()\n]*\.(?:py|so)\)")
"""Names, and the file of a module."""
_RAISED = re.compile(r"(?:Error|Exception|Failed)\b")
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
    listed = [row["codes"].split(",") if row["codes"] else [] for row in rows("failures")]
    of_class = _codes_by_class(listed)
    return tuple(
        _row(row, [code for one in codes for code in of_class.get(one, [one])], _titled(codes, of_class))
        for row, codes in zip(rows("failures"), listed, strict=True)
    )


def _titled(codes: list[str], classes: Iterable[str]) -> str:
    """A pattern of titles, as a newer CANN writes them before a code: ``Resource_Busy(EL0020): ...``."""
    ways = (
        one[1:]
        + "".join(f"(?!{other[len(one) :]})" for other in classes if other != one and other.startswith(one))
        for one in codes
        if one.startswith("@")
    )
    titles = "|".join(sorted(ways))
    return rf"\b(?:{titles})\w*\([EW][A-Z\d]\d{{4}}\)" if titles else ""


def _codes_by_class(listed: list[list[str]]) -> dict[str, list[str]]:
    """The documented codes of each ``@Title``: those that no row names, under the longest that fits."""
    named = {code for codes in listed for code in codes}
    found: dict[str, list[str]] = {code: [] for code in named if code.startswith("@")}
    for code, title in ((row["code"], row["title"]) for row in rows("documented_codes")):
        fitting = [one for one in found if title.startswith(one[1:])]
        if fitting and code not in named:
            found[max(fitting, key=len)].append(code)
    return found


def _row(row: dict[str, str], codes: list[str], titled: str) -> Row:
    return Row(
        row["id"],
        frozenset(codes),
        _compiled(codes, row["pattern"], titled),
        row["kind"],
        tuple(filter(None, row["rules"].split(","))),
        row["command"],
        row["source"],
    )


def _compiled(codes: list[str], *patterns: str) -> re.Pattern[str]:
    words = [code for code in codes if not code.isdecimal()]
    numbers = [code for code in codes if code.isdecimal()]
    parts = list(filter(None, patterns))
    parts += [rf"\b(?:{'|'.join(words)})(?![A-Za-z0-9])"] if words else []
    parts += [_NUMBER % "|".join(numbers)] if numbers else []
    return re.compile("|".join(parts))


def row_of_code(code: str) -> Row | None:
    """The row of a code such as ``EI0006``, ``507015`` or ``HCCL_E_TCP_CONNECT``; else that of its family."""
    written = code.upper()
    library = "HCCL " if written.startswith("HCCL_E_") else ""
    number = f"{library}error code is {number_of_name(written) or written}"
    return next(filter(None, (first_row(text, shows_error=True) for text in (written, number))), None)


def number_of_name(name: str) -> str:
    """The number of a constant such as ``ACL_ERROR_RT_FEATURE_NOT_SUPPORT``; empty for another word."""
    return _numbers().get(name, "")


@cache
def _numbers() -> dict[str, str]:
    documented = {row["title"]: row["code"] for row in rows("documented_codes")}
    return {**documented, **{row["name"]: row["code"] for row in rows("code_names")}}


def title_of_code(code: str) -> str:
    """The words of the title of a documented code; empty for another code."""
    return _titles().get(code, "").replace("_", " ")


@cache
def _titles() -> dict[str, str]:
    return {row["code"]: row["title"] for row in rows("documented_codes")}


def sentence_of_code(code: str) -> str:
    """What torch_npu prints for a number; empty for another code."""
    return _sentences().get(code, "")


@cache
def _sentences() -> dict[str, str]:
    return {row["code"]: row["text"] for row in rows("error_codes")}


def matching(line: str, shows_error: bool) -> Row | None:
    """The row of a line: of the exception that it quotes, if that is known better, else the first one."""
    found = first_row(line, shows_error)
    quoted = _INNER.search(line) if shows_error else None
    if quoted is not None and (found is None or found.kind not in _CERTAIN or quoted["module"]):
        inner = first_row(quoted["text"], shows_error)
        if inner is not None and (found is None or found.kind == "follows" or inner.kind in _CERTAIN):
            return inner
    if found is not None and found.kind == "follows":
        return _repeated(line) or found
    return found or _of_words(line)


def _repeated(line: str) -> Row | None:
    """The row of a message that a process repeats of another one."""
    repeated = _REPEATED.search(line)
    said = first_row(f"RuntimeError: {repeated['text']}", shows_error=True) if repeated is not None else None
    return said if said is not None and said.kind in (*_CERTAIN, *BY_CLASS) else None


def quoted_in(line: str) -> str:
    """The exception that another one quotes in a line; else the line."""
    quoted = _INNER.search(line)
    return quoted["text"] if quoted is not None else line


def _of_words(line: str) -> Row | None:
    """The row of a code that a line shows by its name, or by the sentence that torch_npu prints for it."""
    named = next(filter(number_of_name, _NAMED.findall(line)), None)
    if named is not None:
        return row_of_code(named)
    said = _SENTENCE.search(line)
    text = said["text"].strip() if said is not None else ""
    code = next((code for code, known in _sentences().items() if text.startswith(known)), None)
    return row_of_code(code) if text and code is not None else None


def first_row(line: str, shows_error: bool) -> Row | None:
    """The first row whose pattern a line has; of a class of texts only for a line that shows an error."""
    rows_here = (table()[number] for number in _candidates().of(line))
    form = form_of(line) if shows_error else None
    return next(
        (row for row in rows_here if (shows_error or row.kind not in BY_CLASS) and fits(row, line, form)),
        None,
    )


def form_of(line: str) -> re.Match[str] | None:
    """What Python says of a name, where that is the exception of the line and no other one quotes it."""
    form = _FORM.search(line)
    return form if form is not None and _RAISED.search(line, 0, form.start()) is None else None


def fits(row: Row, line: str, form: re.Match[str] | None) -> bool:
    """Whether a row is about a line; of one that says something of a name, not only about that name."""
    if form is None:
        return row.pattern.search(line) is not None
    begin, end = form.span("form")
    names = [name.span() for name in _QUOTED.finditer(line, end)]
    return any(
        found.end() > begin and not any(at <= found.start() and found.end() <= to for at, to in names)
        for found in row.pattern.finditer(line)
    )


@cache
def _candidates() -> Candidates:
    return Candidates([row.pattern.pattern for row in table()])
