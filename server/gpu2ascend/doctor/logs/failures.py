"""The failures that a log shows: rows of a table, each with the place in the code where it was raised.

Causes are separated from their consequences. An error that no row has is a failure, too: the last exception.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Mapping

import attrs

from .blocks import Blocks
from .frames import Frame, drawn_code, frame_of
from .statements import Statements, asked
from .table import BY_CLASS, Row, matching

UNKNOWN = "unknown"
"""The name of a failure that the table does not have."""
_FIRST = ("root", "cause", "last")
"""Kinds of failures that nothing else in the log explains."""
_ORDER = {"root": -1, "cause": 0, "last": 0, "likely": 1, "vague": 2, "general": 3}
_WARNED, _AFTER = 1.5, 4
"""Where a cause in a warning stands, and where the other kinds do."""
_LITTLE = ("vague", "general")
"""Kinds that say nothing beside a cause."""
_ASIDE = frozenset({"note", "follows"})
"""Kinds that explain no other error."""
_SILENT = _ASIDE | {"general"}
"""Kinds beside which an exception that no row has still says more."""
_LONGEST = 4000
"""Characters of a line that are looked at."""
_COLOUR = re.compile(r"\x1b\[[\d;]*[A-Za-z]|\ufffd?\[\d{1,2}(?:;\d{1,2})*m")
"""What a terminal shows as a colour, also where pasting lost the sign before it."""
_FRAMES = 50
_GAP = 200
"""Lines after which a traceback has nothing to do with an error any more."""
_SHAPES = 20_000
"""How many lines are remembered with their rows."""
_NUMBER_IN_LINE = re.compile(r"(?<![.\w])(?P<code>\d{6})(?![.\w])|(?<![A-Za-z_\d])\d+|\.\d+")
_PREFIX = re.compile(
    r"^(?:\([^()\n]{1,120}\)|\[(?!Error\])[^\[\]\n]{1,120}\]:?|E?\d{4}-?\d\d[-\d T:.,+Z]*|\d\d-\d\d"
    r"|\d\d:\d\d:[\d.,]+|ERROR|E(?=\s))\s+"
)
"""What launchers and loggers put before a line: a rank, a process, a time, a file."""
_PREFIXES = 8
_NAME = r"(?:\w+\.)*\w*(?:Error|Exception|Failure|Failed)\b(?::|\s*$|\()"
_RAISED = ("Error", "Exception", "Fail", "Value error", "what()")
"""A line without one of these is no exception: the patterns below are slow."""
_EXCEPTION = re.compile(rf"^{_NAME}|^Value error,|^what\(\):")
_ANY_EXCEPTION = re.compile(r"^(?:\[rank\d+\]: ?)?(?:\w+\.)*[A-Z]\w+(?::\s|\s*$)")
"""An exception of any name, where the line stands below the frames of a traceback."""
_INDENTED = re.compile(r"^(?:\[rank\d+\]: \s|\s)")
_LOGGED = re.compile(rf"[\])>:|-]\s+{_NAME}")
"""An exception that a logger writes behind its own columns."""
_SIGN = re.compile(
    r"\[(?:ERROR|[Ee]rror)\]|\b[Ee]rror (?:code|info|from|in)\b|core dumped|\bFATAL\b|exitcode\s*:\s*-?[1-9]"
    r"|\bfatal error\b|\bCMake Error\b|(?:^|[\s\]\"'):])(?:[Ee]rror|ERROR)\s*:|\bERROR \d"
    r"|\b[Ff]ail(?:s|ed|ure)?\b|\berrNo\b|\bE(?:[A-Z]\d{4}|\d{5})(?=[:)\[])"
    r"|\babort(?:ed|ing)\b|\bCheck failed\b|: command not found$|\[type=\w+, input_value="
    r"|\b(?:[Cc]ould not|[Cc]annot|[Uu]nable to) (?:find|locate|load|open|import) [`'\"]"
    r"|^(?:-?\w*sh|\S+\.sh): (?:line \d+: )?\S[^\n]*: (?:No such file|Permission denied|unbound variable)"
    r"|错误[:：]|报错|无法|不支持|版本不|未找到|找不到|(?:显存|内存)[^\n]{0,6}不足|权限不"
    r"|Network is unreachable|(?:^|\[|\) )E\d{3,8} \d\d:\d\d:"
)
_NONE = re.compile(
    r"\b(?:0|no|zero|without)\s+(?:\w+\s+)?(?:fail\w*|errors?|exceptions?|aborted|crashe[sd])\b"
    r"|\b(?:fail\w*|errors|error[ _]\w+|exceptions?|aborted)(?:[ _]\w+)?\W{0,2}[:=]\s*"
    r"(?:0(?:\.0*|/\d+)?|none)(?![\w.])",
    re.IGNORECASE,
)
"""A count of errors that is zero."""
_WARNING = re.compile(r"\b(?:warn|warning|UserWarning|FutureWarning|INFO|info|DEBUG)\b|\[W\b", re.I)
_ERROR_LEVEL = re.compile(r"^\s*\[(?:ERROR|FATAL)\]")
"""How CANN begins a line of an error, which may still speak of `info`."""
_LEVEL = re.compile(r"\b(?:WARN(?:ING)?|INFO|DEBUG)\b|\b[A-Z]\w+Warning:|\[W [\w.]+:\d+\]")
"""What loggers write for a line that shows no error."""
_STATEMENT = re.compile(r"(?:^|[\])>:|]\s)\s*raise\s+[\w.]+\(")
"""The line of code that a traceback shows before the exception itself."""
_OPEN = re.compile(
    r"\b[A-Z]\w*(?:Error|Exception):(?:[^\n]* the following error[^\n]*:)?\s*$|dependency conflicts\.\s*$"
    r"|^CMake Error at [^\n]* \(message\):\s*$"
)
"""An exception, or what pip or CMake says, whose message begins on the next line."""
_BARE = re.compile(r"\b(?:AssertionError|NotImplementedError)\s*$")
"""An exception without a text: the line of code that raised it says what was expected."""
_BY_OPERATOR = re.compile(r"\bERR0100[1237]\b")
"""What torch_npu writes below an exception by which one of its operators refuses an argument."""
_BY_TORCH_NPU = re.compile(r"\bERR0000[1-4789]\b")
"""What it writes below one that its own code raises."""
_REFUSERS = (("operator", _BY_OPERATOR), ("torch-npu", _BY_TORCH_NPU))
_BELOW = 3
"""Lines after an exception that still belong to it."""
_ROOT = "Root Cause (first observed failure)"
_DETAIL = re.compile(r"(?:^|\s)(?:\[\d+\]:|(?:time|host|rank|exitcode|error_file|traceback)\s*:)")
"""Lines of torchrun's summary: how one rank ended."""
_OPERATOR = re.compile(
    r"\b(?P<api>aclnn[A-Z]\w+?)(?=_\d|\b)|\boperator name is (?P<working>\w+)"
    r"|\bkernel_name[\s=:\['\"]{1,3}(?:[\d-]+_)*(?:te_)?(?P<kernel>[A-Za-z]\w*?)(?=_[0-9a-f]{16}|_\d*\b|\b)"
    r"|\b(?P<torch>npu_[a-z]\w+)(?=:| (?:only|must|should|expects?|does)\b)"
    r"|\b(?P<tiled>[A-Z]\w+) do tiling failed"
    r"|\b[Oo]p(?:erator|[ _]?[Tt]ype|[ _]?[Nn]ame)?(?!\])\W{1,3}(?!FUNC:)(?P<name>[A-Z]\w+?)(?=_\d+\b|\b)"
)


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
    """``root``, ``cause``, ``likely`` or ``vague`` (by class), ``follows``, ``general`` or ``note``."""
    operator: str = ""
    """That the log names last."""
    statement: str = ""
    """The whole message, of all its lines."""
    outer: str = ""
    """The exception that the code made of it in the end."""
    asks: str = ""
    """The sentence of its message that asks for something, where no row knows more than its class."""
    warns: bool = False
    """Whether its line is a cause that a logger calls a warning, or less."""
    said: Mapping[str, str] = attrs.field(factory=dict)
    """What the pattern of its row takes from the line: a module, a type, a name, a condition ..."""


def _bare(line: str) -> str:
    """A line without what a launcher and a logger put before it."""
    rest = line.strip()
    for _ in range(_PREFIXES):
        prefix = _PREFIX.match(rest)
        if prefix is None:
            break
        rest = rest[prefix.end() :]
    return rest


def _is_exception(line: str) -> bool:
    """Whether a line is the last one of a traceback of Python, also behind what a launcher puts before it."""
    if not any(word in line for word in _RAISED):
        return False
    is_logged = _LOGGED.search(line) is not None and _WARNING.search(line) is None
    return is_logged or _EXCEPTION.match(_bare(line)) is not None


def _is_sign(line: str) -> bool:
    """Whether a line speaks of an error that is no exception of Python, and is no warning."""
    is_warning = _WARNING.search(line) is not None and _ERROR_LEVEL.search(line) is None
    if _SIGN.search(line) is None or is_warning:
        return False
    return _SIGN.search(_NONE.sub("", line)) is not None


def _shape(line: str) -> str:
    """A line without the numbers that progress changes; zeros and codes of six digits stay."""
    return _NUMBER_IN_LINE.sub(
        lambda match: match[0] if match["code"] else "01"[match[0].strip("0.") != ""], line
    )


def _rank(failure: Failure) -> float:
    """The order of failures: a line that warns may be the cause, but not before an error that says why."""
    return _WARNED if failure.warns else _ORDER.get(failure.kind, _AFTER)


def groups_of(match: re.Match[str] | None) -> dict[str, str]:
    """What the groups of a pattern found; a name with a number behind it is the same name in another way."""
    groups = match.groupdict().items() if match is not None else ()
    return {name.rstrip("0123456789"): said for name, said in groups if said}


class _Reading:
    """What was seen of a log so far."""

    def __init__(self) -> None:
        self.found: dict[str, Failure] = {}
        self.rows: dict[str, Row | None] = {}
        """Of lines that were looked up."""
        self.ordinary: set[str] = set()
        """Shapes of lines that say nothing of a failure: a long log has few of them."""
        self.frames: deque[tuple[int, Frame]] = deque(maxlen=_FRAMES)
        self.latest: Failure | None = None
        """The last exception that is known by its class at most."""
        self.unexplained: Failure | None = None
        """The last exception that no row has, or else the first other sign of an error."""
        self.operator = ""
        self.raised = -_BELOW
        """The last exception whose cause a row knows."""
        self.last = 0
        self.code = ""
        """The last line of code that a traceback shows."""
        self.in_others = False
        """Whether torchrun lists the ranks that did not fail first: it ends those itself."""
        self.in_frame = False
        self.is_below = False
        """Whether the lines before are frames of a traceback, with their code."""
        self.statements = Statements()
        self.blocks = Blocks()
        self.opened: tuple[int, str] | None = None
        """The line with the name of an exception whose message begins on the next one."""

    def line(self, number: int, line: str) -> None:
        """The next line."""
        self.in_others = line.endswith("Failures:") or (self.in_others and _ROOT not in line)
        if _ROOT in line or (self.in_others and _DETAIL.search(line) is not None):
            return
        shape = _shape(line)
        is_inside = self.in_frame or self.is_below or self.opened is not None or self.statements.is_open
        if is_inside or shape not in self.ordinary:
            self._unusual(number, line, shape)
        elif line.strip():
            self.last = number

    def _unusual(self, number: int, line: str, shape: str) -> None:
        """A line that may show where something was raised, or what failed."""
        frame = frame_of(line)
        if self.statements.line(line, is_frame=frame is not None):
            return
        if frame is not None and not _is_exception(line):  # A message may quote a frame.
            self.frames.append((number, frame))
            self.in_frame = True
            return
        self._code(line)
        is_below = (self.in_frame or self.is_below) and _INDENTED.match(line) is None
        self.is_below, self.in_frame = (self.in_frame or self.is_below) and not is_below, False
        if "Traceback (most recent call last)" in line:
            self.frames.clear()
            return
        if _STATEMENT.search(line) is not None:
            return
        self.last = number if line.strip() else self.last
        if _OPEN.search(line) is not None:
            self.opened = (number, line.strip())
        else:
            self._message(number, line, shape, is_below and _ANY_EXCEPTION.match(line) is not None)

    def _code(self, line: str) -> None:
        """A line that may be the code of the frame before it."""
        code = drawn_code(line)
        if self.frames and (code or self.in_frame):
            self.code = code or _bare(line)
            at, frame = self.frames.pop()
            self.frames.append((at, frame._replace(code=self.code)))

    def _states(self, row: Row | None, number: int, line: str, text: str, is_exception: bool) -> None:
        """A line that shows an error, of which no row knows more than the class."""
        if row is None or row.kind in BY_CLASS:
            self.statements.begin(number, line, text, self._near(number), is_exception=is_exception)

    def _message(self, number: int, line: str, shape: str, ends_traceback: bool = False) -> None:
        """A line that may say what failed, behind the name of an exception on the line before it."""
        self.blocks.line(number, line)
        if self._is_of_operator(number, line):
            return
        opened, self.opened = self.opened, None
        text = self._whole(line, opened)
        is_exception = ends_traceback or _is_exception(text)
        shows_error = is_exception or _is_sign(text)
        row = self._row(text, shape, shows_error) or self._row(line, shape, shows_error)
        if shows_error:
            self._states(row, number, line, _bare(text), is_exception)
        operator = _OPERATOR.search(line)
        self.operator = next(filter(None, operator.groups())) if operator is not None else self.operator
        if row is not None:
            self._known(row, number, line, text)
        elif is_exception or (self.unexplained is None and shows_error):
            self.unexplained = self.latest = Failure(
                name=UNKNOWN, line=number, text=line.strip(), frames=self._near(number)
            )
        elif not shows_error and operator is None and opened is None and len(self.ordinary) < _SHAPES:
            self.ordinary.add(shape)

    def _whole(self, line: str, opened: tuple[int, str] | None) -> str:
        """A message with the name of its exception before it, or the line of code behind a name alone."""
        if _BARE.search(line):
            return f"{line}: {self.code}"
        return f"{opened[1]} {line.strip()}" if opened is not None else line

    def _is_of_operator(self, number: int, line: str) -> bool:
        """Whether a line says that torch_npu, or an operator of it, raised the exception just before it."""
        latest = self.latest
        by = next((who for who, code in _REFUSERS if code.search(line)), "")
        if latest is None:
            return bool(by) and number - self.raised <= _BELOW
        if number - latest.line > _BELOW or not by:
            return False
        marked = attrs.evolve(latest, said={**latest.said, "refuser": by})
        if latest is self.unexplained:
            self.unexplained = marked
        else:
            self.found[latest.name] = marked
        self.latest = None
        return True

    def _row(self, line: str, shape: str, shows_error: bool) -> Row | None:
        key = line if shows_error else shape
        if key not in self.rows:
            if len(self.rows) > _SHAPES:
                self.rows.clear()
            self.rows[key] = matching(line, shows_error)
        return self.rows[key]

    def _known(self, row: Row, number: int, line: str, text: str) -> None:
        bare = row.pattern.search(_bare(text)) or row.pattern.search(text)
        said, first = groups_of(bare), self.found.get(row.name)
        self.raised = number if _is_exception(text) else self.raised
        found = Failure(
            name=row.name, line=number, text=line.strip(), rules=row.rules, kind=row.kind,
            frames=self._near(number), command=row.command, said=said,
            warns=row.kind == "cause" and _LEVEL.search(line) is not None and not _is_exception(line),
        )  # fmt: skip
        if first is not None and _rank(found) < _rank(first):
            found = attrs.evolve(found, lines=first.lines + 1, said={**first.said, **said})
        elif first is not None:
            found = attrs.evolve(first, lines=first.lines + 1, said={**said, **first.said})
        self.found[row.name] = found
        self.latest = found if found.line == number and row.kind in BY_CLASS else None

    def _near(self, number: int) -> tuple[Frame, ...]:
        return tuple(item for at, item in self.frames if number - at <= _GAP)

    def _named(self, failure: Failure, steps: str) -> Failure:
        """A failure with its whole message, the operator that the log names, and the steps that it ended."""
        whole, outer = self.statements.of(failure.line)
        operator = failure.operator or self.operator
        is_known = failure.name != UNKNOWN and failure.kind not in BY_CLASS
        asks, said = ("", failure.said) if is_known else (asked(whole), {**failure.said, "within": steps})
        return attrs.evolve(failure, operator=operator, statement=whole, outer=outer, asks=asks, said=said)

    def end(self) -> None:
        """The log has no more lines."""
        if self.opened is not None:
            (number, line), self.opened = self.opened, None
            self._message(number, line, line)

    def result(self) -> list[Failure]:
        """Causes first, then what follows of them, each in the order of the log."""
        found = self._telling()
        steps = " ".join(one.name for one in found if one.kind == "follows")
        return sorted((self._named(one, steps) for one in found), key=lambda one: (_rank(one), one.line))

    def _telling(self) -> list[Failure]:
        """Failures without those that say nothing beside the others."""
        found = [one for one in self._ordered() if one.kind != "last" or one.line == self.last]
        unknown = self._first_of_chain(self.unexplained)
        if unknown is not None:
            found = [one for one in found if one.kind != "vague" or one.line > unknown.line]
        kinds = {one.kind for one in found if not one.warns}
        if not kinds.isdisjoint(_FIRST):
            return [one for one in found if one.kind not in _LITTLE]
        if unknown is None or not kinds <= self._silent(unknown):
            return found
        return [*found, unknown]

    def _ordered(self) -> list[Failure]:
        """What rows know, told apart from what follows of it in a block of CANN."""
        causes = {one.line: one.name for one in self.found.values() if one.kind == "cause"}
        behind = set(self.blocks.consequences(causes))
        return [
            attrs.evolve(one, kind="follows") if one.line in behind else one for one in self.found.values()
        ]

    @staticmethod
    def _silent(unknown: Failure) -> frozenset[str]:
        """Kinds that say less than an error that no row has."""
        return _SILENT if _is_exception(unknown.text) else _ASIDE

    def _first_of_chain(self, failure: Failure | None) -> Failure | None:
        """The one that says why of exceptions raised from each other; None if a row has that."""
        first = self.statements.first_of(failure.line) if failure is not None else None
        if failure is None or first is None or any(first.line == one.line for one in self.found.values()):
            return failure if first is None else None
        return attrs.evolve(failure, line=first.line, text=first.shown, frames=first.frames)


def failures(lines: Iterable[str]) -> list[Failure]:
    """What goes wrong in a log, each failure once: causes first, then what follows of them."""
    reading = _Reading()
    for number, whole in enumerate(lines, 1):
        reading.line(number, _COLOUR.sub("", whole[:_LONGEST]).rstrip("\r\n"))
    reading.end()
    return reading.result()
