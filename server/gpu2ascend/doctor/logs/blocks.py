"""Blocks of CANN: what torch_npu says of a call, the code of the cause, and the calls that failed of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import attrs

_CODE = re.compile(r"\bE[A-Z\d](?P<number>\d{4})(?=\)?:\s|\[PID)")
_GENERAL = "9999"
"""The end of codes that say nothing of a cause: the first known call of the trace says why."""
_HEAD = re.compile(r"\b(?:error code is|failed ?:|result =) ?\d{6}\b|\[Error\] ?:|\bERR\d{5}\b")
"""What is printed before the code: the number, the sentence and the code of the outermost call."""
_LOGGED = re.compile(r"\[ERROR\] ?(?P<module>\w+)\((?P<pid>\d+)[^\]]*\[[\w.]+:\d+\] ?\[?(?P<thread>\d+)\b")
"""A line of CANN's host log: the errors that one thread writes after its first one repeat that it failed."""
_TRACE = re.compile(r"\[FUNC:|\b(?:Solution|Possible Cause|Reason) ?:|\bTraceBack\b|\bRectify the fault\b")
_FAULTS = ("aicore", "device-memory-error", "device-lost")
"""Rows of faults that make the calls above them in a block fail."""
_EXACT = ("task-timeout", "device-memory-error", "collective-kernel")
"""Rows that say of a fault in a block why it came."""
_BEFORE = 3
"""Lines between two of a head."""


@attrs.define
class _Block:
    begin: int
    code: int
    """The line of the code."""
    end: int
    is_general: bool

    def behind(self, causes: Mapping[int, str]) -> list[int]:
        """Of lines that name a cause, those in the block that are not the first one from its code on.

        The fault of a core is the cause below a code that has none, and what says why it came is before it.
        """
        inside = [line for line in sorted(causes) if self.begin <= line <= self.end]
        below = [line for line in inside if line >= self.code]
        if not below:
            return []
        cause = below[0]
        is_fault = causes[cause] in _FAULTS
        if is_fault:
            cause = next((line for line in inside if causes[line] in _EXACT), cause)
        is_known = self.is_general or is_fault or cause == self.code
        return [line for line in inside if line != cause] if is_known else []


class Blocks:
    """Those of a log, while its lines come."""

    def __init__(self) -> None:
        self._found: list[_Block] = []
        self._head = (0, 0)
        """The first and the last line of what may be the head of a block."""
        self._is_open = False
        self._thread: tuple[str, ...] = ()
        """Whose lines of the host log are a block."""

    def line(self, number: int, text: str) -> None:
        """A line that may be of a block."""
        logged = _LOGGED.search(text)
        if logged is not None:
            self._logged(number, logged.group("module", "pid", "thread"))
            return
        self._thread = ()
        code = _CODE.search(text)
        if code is not None and not (self._is_open and code["number"] == _GENERAL):
            begin, last = self._head
            begin = begin if begin and number - last <= _BEFORE else number
            self._found.append(_Block(begin, number, number, code["number"] == _GENERAL))
            self._is_open, self._head = True, (0, 0)
        elif self._is_open and (code is not None or _TRACE.search(text) is not None):
            self._found[-1].end = number
        elif _HEAD.search(text) is not None:
            begin, last = self._head
            self._head = (begin if begin and number - last <= _BEFORE else number, number)
            self._is_open = False

    def _logged(self, number: int, thread: tuple[str, ...]) -> None:
        if thread != self._thread:
            self._found.append(_Block(number, number, number, is_general=True))
        self._found[-1].end = number
        self._thread, self._is_open, self._head = thread, False, (0, 0)

    def consequences(self, causes: Mapping[int, str]) -> Iterator[int]:
        """Of lines with the rows that know a cause, those that only repeat that of their block."""
        for block in self._found:
            yield from block.behind(causes)
