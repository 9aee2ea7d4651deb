"""INI files: setup.cfg's lists of dependencies, and configurations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..limits.checkpoints import checkpoint
from .kind import Kind, KindFile
from .packages.places import InsertionPoint, Requirement
from .packages.requirement import read_requirement
from .settings import Setting

_SECTION = re.compile(rb"\[([^\]]+)\]")
_PAIR = re.compile(rb"([^\s=:#;\[][^=:]*?)[ \t]*[=:][ \t]*")
_BEHIND = re.compile(rb"[ \t]+[#;].*$")
_EXTRAS = "options.extras_require"
_LISTS = ("install_requires", "tests_require")


class _Line(NamedTuple):
    """A line of a value: which option's, and what is on it."""

    start: int
    end: int
    line_end: int
    section: str
    option: str
    text: bytes
    is_continued: bool


class IniFile(KindFile):
    """One version of one INI file."""

    def read_places(self) -> Iterator[Requirement | Setting]:
        is_setup = self.path.lower().endswith("setup.cfg")
        for line in self._value_lines():
            checkpoint()
            if is_setup and line.is_continued and _is_list(line):
                requirement = self._requirement(line)
                if requirement is not None:
                    yield requirement
            elif not line.is_continued and not is_setup:
                text = line.text.decode("utf-8", "replace")
                start, quotes = line.start, 0
                if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
                    quotes, text = 1, text[1:-1]
                yield Setting(start + quotes, line.end - quotes, (line.section, line.option), text)

    def _value_lines(self) -> Iterator[_Line]:
        section = option = ""
        for number in range(self.lines.line_count):
            start, end = self.lines.line_span(number)
            raw = self.data[start:end]
            text = raw.strip()
            if not text or text[:1] in (b"#", b";"):
                continue
            header = _SECTION.match(text)
            is_continued = raw[:1] in (b" ", b"\t") and option != ""
            if header is not None and not is_continued:
                section, option = header[1].decode("utf-8", "replace"), ""
                continue
            pair = _PAIR.match(raw) if not is_continued else None
            if pair is not None:
                option = pair[1].decode("utf-8", "replace")
                start += pair.end()
            elif not is_continued:
                continue
            else:
                start += len(raw) - len(raw.lstrip())
            value = _BEHIND.sub(b"", self.data[start:end]).rstrip()
            if value:
                yield _Line(start, start + len(value), end, section, option, value, is_continued)

    def _requirement(self, line: _Line) -> Requirement | None:
        start = line.start
        written = read_requirement(line.text.decode("utf-8", "replace"), start)
        if written is None:
            return None
        margin = self.data[self.lines.line_start(self.lines.line_of(start)) : start].decode()
        insertion = InsertionPoint(line.line_end, self.newline + margin, "")
        return written._replace(
            end=line.end, line=(start, line.line_end), insertion=insertion, is_plain=not written.is_url,
            is_optional=line.section == _EXTRAS,
        )  # fmt: skip

    def comment_at(self, start: int, end: int) -> str | None:
        first, last = self.lines.line_span(self.lines.line_of(start))
        match = re.search(rb"(?:^|[ \t])[#;]", self.data[first:last])
        if match is None or first + match.start() > start or end > last:
            return None
        return self.slice(first + match.start(), last).strip()

    def line_below_comment(self, line: int) -> int:
        """Behind a value, configparser reads a comment as part of it."""
        return line


def _is_list(line: _Line) -> bool:
    return (line.section == "options" and line.option in _LISTS) or line.section == _EXTRAS


KIND = Kind(
    name="ini",
    file=IniFile,
    places=(Requirement, Setting),
    patterns=("*.ini", "*.cfg", "*.gin"),
    languages=("ini",),
)
