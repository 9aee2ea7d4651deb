"""A makefile as a file of its kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from tree_sitter import Tree

from ...text.parts.embedded import Room
from ..kind import KindFile
from ..shell.places import Command, ShellPlace, Use, Variable, Word
from ..shell.reading import places_of
from ..shell.script import parsed
from ..shell.words import given_to_make
from .masking import as_shell, recipes

_ASSIGNMENT = re.compile(
    rb"^[ ]*(?:(?:export|override)[ \t]+)*([A-Za-z_]\w*)[ \t]*(?:::?:?|\?|\+|!)?=[ \t]*([^#\r\n\\]*)", re.M
)
_NAMES = re.compile(rb"^[ ]*(?:un)?export((?:[ \t]+[A-Za-z_]\w*)+)[ \t]*(?=#|\r|\n|\Z)", re.M)
_NAME = re.compile(rb"\w+")


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
                yield place.moved(start)

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
