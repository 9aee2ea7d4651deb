"""The failures that a log shows: rows of a table, each with the place in the code where it was raised.

Causes are separated from their consequences. An error that no row has is a failure, too: the last exception.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

import attrs

from ..tables import rows
from .frames import Frame, frame_of

UNKNOWN = "unknown"
"""The name of a failure that the table does not have."""
_FIRST = ("cause", "last")
"""Kinds of failures that nothing else in the log explains."""
_BY_CLASS = ("likely", "vague")
"""Kinds of rows that know a class of texts: only a line that shows an error is of it."""
_ORDER = {"cause": 0, "last": 0, "likely": 1, "vague": 2, "general": 3}
_LITTLE = ("vague", "general")
"""Kinds that say nothing beside a cause."""
_ASIDE = ("note", "follows")
"""Kinds that explain no other error."""
_LONGEST = 4000
"""Characters of a line that are looked at."""
_FRAMES = 50
_GAP = 200
"""Lines after which a traceback has nothing to do with an error any more."""
_SHAPES = 20_000
"""How many lines are remembered with their rows."""
_NUMBER_IN_LINE = re.compile(r"(?<![.\w])(?P<code>\d{6})(?![.\w])|(?<![A-Za-z_\d])\d+|\.\d+")
_NUMBER = r"(?:error ?code|errno|ret ?code|aclnnStatus|\bret|\bfailed|\bresult)\W{0,3}(?:is\W{0,3})?(?:%s)\b"
_SENTENCE = re.compile(r"\[Error\]\s*:\s*(?P<text>\S[^\n]*)")
_PREFIX = re.compile(
    r"^(?:\([^()\n]{1,120}\)|\[(?!Error\])[^\[\]\n]{1,120}\]:?|E?\d{4}-?\d\d[-\d T:.,+Z]*|\d\d-\d\d"
    r"|\d\d:\d\d:[\d.,]+|ERROR|E(?=\s))\s+"
)
"""What launchers and loggers put before a line: a rank, a process, a time, a file."""
_PREFIXES = 8
_NAME = r"(?:\w+\.)*\w*(?:Error|Exception|Failure|Failed)\b(?::|\s*$|\()"
_EXCEPTION = re.compile(rf"^{_NAME}|^Value error,|^what\(\):")
_LOGGED = re.compile(rf"[\])>:|-]\s+{_NAME}")
"""An exception that a logger writes behind its own columns."""
_SIGN = re.compile(
    r"\[ERROR\]|\[Error\]|\b[Ee]rror (?:code|info|from|in)\b|core dumped|\bFATAL\b|exitcode\s*:\s*-?[1-9]"
    r"|\bfatal error\b|(?:^|[\s\]\"'):])(?:[Ee]rror|ERROR)\s*:|\bERROR \d"
    r"|\b[Ff]ail(?:s|ed|ure)?\b(?!\s*[:=]?\s*0\b)|\berrNo\b"
    r"|\babort(?:ed|ing)\b|\bCheck failed\b|: command not found$|\[type=\w+, input_value="
    r"|\b(?:[Cc]ould not|[Cc]annot|[Uu]nable to) (?:find|locate|load|open|import) [`'\"]"
    r"|Network is unreachable"
)
_WARNING = re.compile(r"\b(?:warn|warning|UserWarning|FutureWarning|INFO|info|DEBUG)\b|\[W\b", re.I)
_STATEMENT = re.compile(r"(?:^|[\])>:|]\s)\s*raise\s+[\w.]+\(")
"""The line of code that a traceback shows before the exception itself."""
_OPEN = re.compile(r"\b[A-Z]\w*(?:Error|Exception):\s*$")
"""An exception whose message begins on the next line."""
_BARE = re.compile(r"\b(?:AssertionError|NotImplementedError)\s*$")
"""An exception without a text: the line of code that raised it says what was expected."""
_OPERATOR = re.compile(
    r"\b(?P<api>aclnn[A-Z]\w+)|\boperator name is (?P<working>\w+)"
    r"|\b(?:[Oo]p(?:erator)?|OpType|opType|op_type|op name)\W{1,3}(?P<name>[A-Z]\w+)"
)


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


@attrs.frozen(kw_only=True)
class Failure:
    """A failure, where the log shows it first."""

    name: str
    """Of its row, or ``unknown``."""
    line: int
    """In the log, from 1."""
    text: str
    """The line."""
    rules: tuple[str, ...] = ()
    frames: tuple[Frame, ...] = ()
    """Of the traceback above, the innermost last."""
    lines: int = 1
    """How many lines show it."""
    command: str = ""
    """What to run next."""
    kind: str = "cause"
    """``cause``, ``likely`` or ``vague`` (by class), ``follows`` (of another), ``general`` or ``note``."""
    operator: str = ""
    """That the log names near an unknown error, or one known by its family."""
    said: Mapping[str, str] = attrs.field(factory=dict)
    """What the pattern of its row takes from the line: a module, a type, a name, a condition ..."""


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


def _matching(line: str, shows_error: bool) -> Row | None:
    rows_here = (row for row in table() if shows_error or row.kind not in _BY_CLASS)
    found = next((row for row in rows_here if row.pattern.search(line)), None)
    said = _SENTENCE.search(line) if found is None else None
    if said is None:
        return found
    text = said["text"].strip()
    code = next((code for code, known in _sentences().items() if text.startswith(known)), None)
    return row_of_code(code) if code is not None else None


def _is_exception(line: str) -> bool:
    """Whether a line is the last one of a traceback of Python, also behind what a launcher puts before it."""
    rest = line.strip()
    for _ in range(_PREFIXES):
        prefix = _PREFIX.match(rest)
        if prefix is None:
            break
        rest = rest[prefix.end() :]
    is_logged = _LOGGED.search(line) is not None and _WARNING.search(line) is None
    return is_logged or _EXCEPTION.match(rest) is not None


def _is_sign(line: str) -> bool:
    """Whether a line speaks of an error that is no exception of Python, and is no warning."""
    return _SIGN.search(line) is not None and _WARNING.search(line) is None


def _shape(line: str) -> str:
    """A line without the numbers that progress changes; codes of six digits stay."""
    return _NUMBER_IN_LINE.sub(lambda match: match[0] if match["code"] else "0", line)


def _said(match: re.Match[str] | None) -> dict[str, str]:
    """What the groups of a pattern found; a name with a number behind it is the same name in another way."""
    groups = match.groupdict().items() if match is not None else ()
    return {name.rstrip("0123456789"): said for name, said in groups if said}


class _Reading:
    """What was seen of a log so far."""

    def __init__(self) -> None:
        self.found: dict[str, Failure] = {}
        self.rows: dict[str, Row | None] = {}
        """Of lines that were looked up: a long log has few shapes of lines."""
        self.frames: deque[tuple[int, Frame]] = deque(maxlen=_FRAMES)
        self.unexplained: Failure | None = None
        """The last exception that no row has, or else the first other sign of an error."""
        self.operator = ""
        self.last = 0
        self.code = ""
        """The last line of code that a traceback shows."""
        self.in_frame = False
        self.opened: tuple[int, str] | None = None
        """The line with the name of an exception whose message begins on the next one."""

    def line(self, number: int, line: str) -> None:
        frame = frame_of(line)
        if frame is not None:
            self.frames.append((number, frame))
            self.in_frame = True
            return
        if self.in_frame:
            self.code = line.strip()
            at, frame = self.frames.pop()
            self.frames.append((at, frame._replace(code=self.code)))
        self.in_frame = False
        if "Traceback (most recent call last)" in line:
            self.frames.clear()
            return
        if _STATEMENT.search(line) is not None:
            return
        self.last = number if line.strip() else self.last
        if _OPEN.search(line) is not None:
            self.opened = (number, line.strip())
        else:
            self._message(number, line)

    def _message(self, number: int, line: str) -> None:
        """A line that may say what failed, behind the name of an exception on the line before it."""
        opened, self.opened = self.opened, None
        text = f"{opened[1]} {line.strip()}" if opened is not None else line
        text = f"{line}: {self.code}" if _BARE.search(line) else text
        is_exception = _is_exception(text)
        shows_error = is_exception or _is_sign(text)
        row = self._row(text, shows_error) or (self._row(line, shows_error) if text is not line else None)
        operator = _OPERATOR.search(line)
        if operator is not None:
            self.operator = next(filter(None, operator.groups()))
        if row is not None:
            self._known(row, number, line, text)
        elif is_exception or (self.unexplained is None and shows_error):
            self.unexplained = Failure(
                name=UNKNOWN, line=number, text=line.strip(), frames=self._near(number)
            )

    def _row(self, line: str, shows_error: bool) -> Row | None:
        key = line if shows_error else _shape(line)
        if key not in self.rows:
            if len(self.rows) > _SHAPES:
                self.rows.clear()
            self.rows[key] = _matching(line, shows_error)
        return self.rows[key]

    def _known(self, row: Row, number: int, line: str, text: str) -> None:
        first = self.found.get(row.name)
        self.found[row.name] = (
            attrs.evolve(first, lines=first.lines + 1)
            if first is not None
            else Failure(
                name=row.name, line=number, text=line.strip(), rules=row.rules, kind=row.kind,
                frames=self._near(number), command=row.command,
                said=_said(row.pattern.search(text)),
            )
        )  # fmt: skip

    def _near(self, number: int) -> tuple[Frame, ...]:
        return tuple(item for at, item in self.frames if number - at <= _GAP)

    def _named(self, failure: Failure) -> Failure:
        """A failure that is known by its family only, with the operator of the log."""
        return attrs.evolve(failure, operator=self.operator) if failure.kind == "general" else failure

    def end(self) -> None:
        """The log has no more lines."""
        if self.opened is not None:
            last, self.opened = self.opened, None
            self._message(*last)

    def result(self) -> list[Failure]:
        """Causes first, then what follows of them, each in the order of the log."""
        found = [one for one in self.found.values() if one.kind != "last" or one.line == self.last]
        unknown = self.unexplained
        if unknown is not None:
            found = [one for one in found if one.kind != "vague" or one.line > unknown.line]
        if any(one.kind in _FIRST for one in found):
            found = [one for one in found if one.kind not in _LITTLE]
        elif unknown is not None and all(one.kind in _ASIDE for one in found):
            found.append(attrs.evolve(unknown, operator=self.operator))
        return sorted(map(self._named, found), key=lambda one: (_ORDER.get(one.kind, 4), one.line))


def failures(lines: Iterable[str]) -> list[Failure]:
    """What goes wrong in a log, each failure once: causes first, then what follows of them."""
    reading = _Reading()
    for number, whole in enumerate(lines, 1):
        reading.line(number, whole.rstrip("\r\n")[:_LONGEST])
    reading.end()
    return reading.result()
