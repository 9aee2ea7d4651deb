"""What a person does to a file of 2,000 lines: type, paste, undo, format. The same on every run."""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

TYPED = """\
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    model = nn.DataParallel(model.cuda(), device_ids=[0, 1])
    with torch.cuda.amp.autocast(dtype=torch.bfloat16):
        loss = criterion(model(images.cuda(non_blocking=True)), labels)
    torch.cuda.synchronize()
"""
KEY_REPEAT_SECONDS = 0.04
"""Between two keys, faster than anyone types: 25 a second, as a key that is held down repeats."""
FORMATTED = 500
"""Places that the formatter changes: one line in four."""
PAUSE_SECONDS = 0.4
"""Between the other steps."""


class Step(NamedTuple):
    """One ``didChange`` of the session."""

    kind: str
    changes: list[dict[str, Any]]
    text: str
    """The document after it."""
    pause: float
    """Seconds until the next one."""


class _Document:
    """The client's copy of the text; steps are made from edits of it."""

    def __init__(self, text: str) -> None:
        self.text = text

    def replace(self, start: int, end: int, new: str) -> dict[str, Any]:
        """Make an edit, by offsets; gives it as the protocol's content change."""
        span = {"start": self._position(start), "end": self._position(end)}
        self.text = self.text[:start] + new + self.text[end:]
        return {"range": span, "text": new}

    def _position(self, offset: int) -> dict[str, int]:
        line_start = self.text.rfind("\n", 0, offset) + 1
        units = len(self.text[line_start:offset].encode("utf-16-le")) // 2
        return {"line": self.text.count("\n", 0, offset), "character": units}


def fast_typist() -> Iterator[float]:
    """Seconds between two keys, from a fixed seed: 0.12 on average, which is 100 words a minute, in bursts of
    down to 0.05 and with pauses, log-normal as such times are measured to be."""
    rhythm = random.Random(2026)
    while True:
        yield min(max(rhythm.lognormvariate(math.log(0.11), 0.4), 0.05), 0.35)


def session(text: str, pasted: str) -> Iterator[Step]:
    """The steps, from a text on: keys one by one, blocks put in and taken out, the whole file formatted."""
    document = _Document(text)
    yield from _typing(document, fast_typist())
    for part in range(1, 9):
        at = _next_definition(document.text, part * len(document.text) // 9)
        yield Step("paste", [document.replace(at, at, pasted)], document.text, PAUSE_SECONDS)
        yield Step("undo", [document.replace(at, at + len(pasted), "")], document.text, PAUSE_SECONDS)
    for _ in range(4):
        before = document.text
        yield Step("format", _formatting(document), document.text, PAUSE_SECONDS)
        yield Step("undo", [document.replace(0, len(document.text), before)], document.text, PAUSE_SECONDS)


def key_repeat(text: str) -> Iterator[Step]:
    """The typing of a session as quick as keys repeat."""
    return _typing(_Document(text), itertools.repeat(KEY_REPEAT_SECONDS))


def _typing(document: _Document, rhythm: Iterable[float]) -> Iterator[Step]:
    pauses = iter(rhythm)
    at = _line_start(document.text, document.text.count("\n") // 2)
    for offset, key in enumerate(TYPED):
        place = at + offset
        yield Step("type", [document.replace(place, place, key)], document.text, next(pauses))
    for end in range(at + len(TYPED), at, -1):
        yield Step("undo", [document.replace(end - 1, end, "")], document.text, next(pauses))


def _formatting(document: _Document) -> list[dict[str, Any]]:
    """What a formatter sends: an edit for every line that it lays out anew, the last one first."""
    places = [match.span() for match in re.finditer(r"(?<=\w)=(?=\w)|(?<=,) (?=\w)", document.text)]
    return [
        document.replace(start, end, document.text[start:end] + " ")
        for start, end in places[:FORMATTED][::-1]
    ]


def _next_definition(text: str, at: int) -> int:
    """Where the next function or class of the module begins: code is pasted between definitions."""
    found = re.compile(r"\n\n\n(?=@|def |class )").search(text, at)
    return found.end() if found is not None else len(text)


def _line_start(text: str, line: int) -> int:
    at = 0
    for _ in range(line):
        at = text.index("\n", at) + 1
    return at
