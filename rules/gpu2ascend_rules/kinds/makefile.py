"""Makefiles: their recipes are shell code, and their variables may be those of the environment."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from tree_sitter import Tree

from ..limits.checkpoints import checkpoint
from ..text.lines import ended_by_lf
from ..text.parts.embedded import Room
from ..text.parts.part import moved
from .kind import Kind, KindFile
from .shell.places import SHELL_NEEDS, SHELL_PLACES, Command, ShellPlace, Use, Variable, Word
from .shell.reading import places_of
from .shell.script import parsed
from .shell.words import given_to_make

_REFERENCE = re.compile(rb"\$\(([A-Za-z_]\w*)\)|\$\{([A-Za-z_]\w*)\}")
_SHELL = re.compile(rb"\$\(shell[ \t]")
_CALL = re.compile(rb"(?P<run>\$\( {6})|\$[({][a-z-]+[ \t,]")
"""A function of make's, or what a shell runs, once make's name for that is written over."""
_BRACKET = re.compile(rb"[(){}]|(?<![\\\r])[\r\n]")
"""What opens or closes a call of make's, or ends the line in which it must be closed."""
_OPENED_BY = {b")": b"(", b"}": b"{"}
_INSIDE = re.compile(rb"(?!\\\r?\n|\r?\n)[\x00-\xff]")
"""What is written over: ends of lines stay, with the backslash before them."""
_AUTOMATIC = re.compile(rb"\$[@<^+?*%|]|\$\([@<^+?*%|][DF]?\)")
_PREFIX = re.compile(rb"[@+-]+")
_ASSIGNMENT = re.compile(
    rb"^[ ]*(?:(?:export|override)[ \t]+)*([A-Za-z_]\w*)[ \t]*(?:::?:?|\?|\+|!)?=[ \t]*([^#\r\n\\]*)", re.M
)
_NAMES = re.compile(rb"^[ ]*(?:un)?export((?:[ \t]+[A-Za-z_]\w*)+)[ \t]*(?=#|\r|\n|\Z)", re.M)
_NAME = re.compile(rb"\w+")


def recipes(data: bytes) -> bytes:
    """The recipes of a makefile: everything else but ends of lines is blank."""
    lines = []
    goes_on = in_recipe = False
    for line in ended_by_lf(data):
        if not goes_on:
            in_recipe = line.startswith(b"\t")
        lines.append(_recipe(line, is_first=not goes_on) if in_recipe else _blank(line))
        goes_on = line.rstrip(b"\r\n").endswith(b"\\")
    return _without_functions(b"".join(lines))


def as_shell(text: bytes) -> bytes:
    """Make's own parts of a text, written so that a shell's parser understands them."""
    return _without_functions(_with_references(text))


def _with_references(text: bytes) -> bytes:
    text = text.replace(b"$$", b" $")
    text = _AUTOMATIC.sub(lambda match: b"x" * len(match[0]), text)
    text = _REFERENCE.sub(lambda match: b"${" + (match[1] or match[2]) + b"}", text)
    return _SHELL.sub(lambda match: b"$(" + b" " * (len(match[0]) - 2), text)


def _without_functions(text: bytes) -> bytes:
    """The text with the calls of make's functions written over, also those that go on behind a backslash;
    what a shell runs within them stays."""
    calls = list(_CALL.finditer(text))
    ends, done = _ends_of_calls(text) if calls else {}, bytearray(text)
    for call in calls:
        checkpoint()
        start, end = call.start(), ends[call.start() + 1]
        if call["run"] is not None:
            done[start:end] = text[start:end]
        elif done[start] == text[start]:  # else it is within another
            done[start:end] = _INSIDE.sub(b"x", text[start:end])
    return bytes(done)


def _ends_of_calls(text: bytes) -> dict[int, int]:
    """Where what each bracket opens is closed, or the line ends for make."""
    ends: dict[int, int] = {}
    opened: dict[bytes, list[int]] = {b"(": [], b"{": []}
    for match in _BRACKET.finditer(text):
        if match[0] in opened:
            opened[match[0]].append(match.start())
        elif match[0] in _OPENED_BY:
            if opened[_OPENED_BY[match[0]]]:
                ends[opened[_OPENED_BY[match[0]]].pop()] = match.end()
        else:
            ends |= {start: match.start() for starts in opened.values() for start in starts}
            opened = {b"(": [], b"{": []}
    return ends | {start: len(text) for starts in opened.values() for start in starts}


def _recipe(line: bytes, *, is_first: bool) -> bytes:
    body = line[1:] if is_first else line
    head = b" " if is_first else b""
    prefix = _PREFIX.match(body) if is_first else None
    if prefix is not None:
        body = b" " * prefix.end() + body[prefix.end() :]
    return head + _with_references(body)


def _blank(line: bytes) -> bytes:
    body = line.rstrip(b"\r\n")
    return b" " * len(body) + line[len(body) :]


class Makefile(KindFile):
    """One version of one makefile."""

    joins_lines = True

    @staticmethod
    def as_read(raw: bytes) -> bytes:
        """make ends lines at an LF."""
        return raw

    @cached_property
    def _tree(self) -> Tree:
        return parsed(recipes(self.data))

    @property
    def has_syntax_error(self) -> bool:
        return self._tree.root_node.has_error

    def room_at(self, start: int) -> Room:
        """A line that ends ends the recipe, and a dollar sign is make's."""
        return Room(forbidden="\r\n$")

    def read_places(self) -> Iterator[ShellPlace]:
        own: list[ShellPlace] = [*self._assigned(), *self._named()]
        inside = list(places_of(self._tree.root_node, parsed))
        own += (
            variable for place in inside if isinstance(place, Command) for variable in given_to_make(place)
        )
        yield from sorted((*own, *inside), key=lambda place: (place.start, place.end))

    def _assigned(self) -> Iterator[ShellPlace]:
        for match in _ASSIGNMENT.finditer(self.data):
            if self.data[match.start() : match.start() + 1] == b"\t":
                continue
            raw = match[2].rstrip()
            text = raw.decode("utf-8", "replace")
            start = match.start(2)
            value = Word(start, start + len(raw), None if b"$" in raw else text, text) if raw else None
            yield Variable(match.start(1), match.end(1), match[1].decode(), Use.SET, value)
            for place in places_of(parsed(as_shell(raw)).root_node, parsed) if b"$" in raw else ():
                yield moved(place, start)

    def _named(self) -> Iterator[Variable]:
        for match in _NAMES.finditer(self.data):
            for name in _NAME.finditer(match[1]):
                start = match.start(1) + name.start()
                yield Variable(start, start + len(name[0]), name[0].decode(), Use.NAME)

    def comment_at(self, start: int, end: int) -> str | None:
        first, last = self.lines.line_span(self.lines.line_of(start))
        mark = self.data.find(b"#", first, end)
        return self.slice(mark, last) if mark >= 0 else None

    def line_below_comment(self, line: int) -> int | None:
        """Blanks before a comment belong to the value of a variable."""
        start, end = self.lines.line_span(line)
        is_set = _ASSIGNMENT.match(self.data, start, end) and not self.data.startswith(b"\t", start)
        return line if is_set else None


KIND = Kind(
    name="makefile",
    file=Makefile,
    places=SHELL_PLACES,
    needs=SHELL_NEEDS,
    patterns=("makefile", "gnumakefile", "makefile.am", "makefile.in", "*.mk", "*.mak"),
    languages=("makefile",),
)
