"""What exceptions say: their whole messages, and which of them was raised because of which."""

from __future__ import annotations

import re

import attrs

from .frames import Frame

_LINES = 8
_LONGEST = 600
"""Lines and characters of a message that are kept."""
_MOST = 10_000
"""Messages of a log that are kept."""
_WORDS = 4
"""A message of fewer words, such as the name of a key, says less than what was raised of it."""
_NAME = re.compile(r"\b[A-Z]\w*(?:Error|Exception|Failure|Failed)\b:? ?")
_SENTENCES = re.compile(r"(?<=[.!?;])\s+")
_ASKS = re.compile(
    r"\b(?:please|pass|use|set|make sure|ensure|install|upgrade|downgrade|remove|hint|try|requires?|must"
    r"|should|you (?:need|can|have to)|needs? to|has to|only one|only supports?|at least)\b"
    r"|请|必须|需要|应(?:为|该)|仅支持|只支持",
    re.IGNORECASE,
)
"""What a message says where it asks for something."""
_ASKS_NOTHING = re.compile(
    r"\b(?:can't|cannot|could not|unable to|failed to)\b"
    r"|\b(?:logs?|log file|traceback|above|report|issues?|more details)\b"
)
_LINK = re.compile(
    r"The above exception was the (?P<direct>direct) cause|During handling of the above exception"
)
_OTHER = re.compile(
    r"Traceback \(most recent call last\)"
    r"|^\s*\[?\(?(?:\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|[EWI]\d{4}\b)|^\s*\[?\(?(?:INFO|WARNING|ERROR|DEBUG)"
    r"|\[end of output\]|^[=*#-]{5,}|^\s*\^+\s*$|^\[(?:ERROR|W|INFO|rank)|^\([A-Z]\w+ pid=|^E[A-Z\d]\d{4}\b"
)
"""The beginning of a line that continues no message."""


def sentence_of(whole: str) -> str:
    """A message without the name of its exception."""
    return _NAME.split(whole, maxsplit=1)[-1].strip() or whole


def asked(whole: str) -> str:
    """The sentence of a message that asks for something; empty where none does."""
    said = (
        one
        for one in _SENTENCES.split(sentence_of(whole))
        if _ASKS.search(one) and not _ASKS_NOTHING.search(one)
    )
    return next(said, "")


@attrs.define
class Statement:
    """What one exception says."""

    line: int
    shown: str
    """The line, as the log has it."""
    prefix: str
    """What a launcher puts before each line."""
    lines: list[str]
    frames: tuple[Frame, ...]
    cause: Statement | None = None
    """The exception of its chain that says why, where that is another one."""

    @property
    def whole(self) -> str:
        """All lines in one."""
        return " ".join(self.lines)[:_LONGEST]

    @property
    def is_sentence(self) -> bool:
        """Whether it says more than a name."""
        return len(self.whole.split()) > _WORDS


class Statements:
    """Those of a log, while its lines come."""

    def __init__(self) -> None:
        self._by_line: dict[int, Statement] = {}
        self._outer: dict[int, str] = {}
        self._latest: Statement | None = None
        self._linked: tuple[Statement, bool] | None = None
        self.is_open = False
        """Whether the next line may continue the message."""

    def line(self, text: str, *, is_frame: bool) -> bool:
        """A line that may continue the message before it; whether it says that one led to another."""
        latest, link = self._latest, _LINK.search(text)
        if latest is not None and link is not None:
            self._linked, self.is_open = (latest, link["direct"] is not None), False
        elif latest is not None and self.is_open:
            self._continue(latest, text, is_frame)
        return link is not None

    def _continue(self, latest: Statement, text: str, is_frame: bool) -> None:
        is_end = not text.startswith(latest.prefix)
        text = text[len(latest.prefix) :]
        is_blank = not text.strip()
        is_end = is_end or is_frame or _OTHER.search(text) is not None or len(latest.lines) >= _LINES
        if is_end or (is_blank and not latest.lines[-1].endswith(":")):
            self.is_open = False
        elif not is_blank:
            latest.lines.append(text.strip())

    def begin(
        self, number: int, shown: str, text: str, frames: tuple[Frame, ...], *, is_exception: bool
    ) -> None:
        """A line that says what failed; ``text``: without what a launcher puts before it."""
        if not is_exception and self._latest is not None and self.is_open:
            return  # It continues the message of an exception.
        if self._latest is not None and len(self._by_line) > _MOST:
            self._by_line.pop(self._latest.line, None)
        prefix = shown[: max(shown.find(text), 0)]
        self._latest = Statement(number, shown.strip(), prefix, [text.strip()], frames, self._cause())
        self._linked, self.is_open = None, is_exception
        self._by_line[number] = self._latest
        if self._latest.cause is not None:
            self._outer[self._latest.cause.line] = self._latest.whole

    def _cause(self) -> Statement | None:
        """What says why of the exceptions that led to the one that begins now."""
        inner, is_direct = self._linked or (None, False)
        if inner is None or not (is_direct or inner.is_sentence):
            return None
        return inner.cause or inner

    def first_of(self, number: int) -> Statement | None:
        """Of the exception in a line, the one that says why; None where that is itself."""
        said = self._by_line.get(number)
        return said.cause if said is not None else None

    def of(self, number: int) -> tuple[str, str]:
        """The whole message that begins in a line, and that of the last exception raised because of it."""
        said = self._by_line.get(number)
        return (said.whole if said is not None else ""), self._outer.get(number, "")
