"""The files by which a service of continuous integration runs commands: YAML whose texts are shell code."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from ...text.parts.embedded import Room
from ...text.parts.part import moved
from ..kind import Kind
from ..packages.places import Index
from ..settings import Setting
from ..shell.places import SHELL_NEEDS, SHELL_PLACES, Command, ShellPlace
from ..shell.reading import places_of
from ..shell.script import parsed
from ..tree_file import TreeFile
from ..yaml import TEXTS, YAML, line_of_block
from ..yaml.values import Scalar, scalars_of
from .masking import of_block, of_flow
from .matrix import Matrix
from .steps import is_code, setting_of, shells_of, variable_of

_COMMENT = re.compile(rb"(?:^|(?<=[\s;]))#")


class _Code(NamedTuple):
    """A scalar that is shell code."""

    start: int
    end: int
    keys: tuple[str, ...]
    shell: bytes
    is_literal: bool
    """Whether each line of the scalar is one of the code."""


class WorkflowFile(TreeFile):
    """One version of one file of a service.

    The service's machines are not the project's: what would be changed is only offered.
    """

    language = YAML
    texts = TEXTS
    offers_only = True

    @cached_property
    def _scalars(self) -> tuple[Scalar, ...]:
        return () if self.has_syntax_error else tuple(scalars_of(self.tree.root_node))

    @cached_property
    def _edges(self) -> tuple[int, ...]:
        return tuple(sorted(edge for scalar in self._scalars for edge in scalar.node.byte_range))

    @cached_property
    def _codes(self) -> tuple[_Code, ...]:
        shells = shells_of(self._scalars)
        return tuple(self._code(scalar) for scalar in self._scalars if is_code(scalar, shells))

    @cached_property
    def _matrix(self) -> Matrix:
        return Matrix(self._scalars)

    def _code(self, scalar: Scalar) -> _Code:
        start, end = scalar.node.start_byte, scalar.node.end_byte
        data = self.data[start:end]
        is_block = scalar.node.type == "block_scalar"
        code = of_block(data) if is_block else of_flow(data)
        return _Code(start, end, scalar.keys, code, is_block and data.startswith(b"|"))

    def read_places(self) -> Iterator[ShellPlace | Setting]:
        """Of a file that could not be parsed it is not known what its indentation means."""
        found: list[ShellPlace | Setting] = []
        for code in self._codes:
            inside = places_of(parsed(code.shell).root_node, parsed)
            for place in (moved(place, code.start) for place in inside):
                if isinstance(place, Index):
                    place = place._replace(url=self.slice(place.start, place.end))
                found.append(place)
                if isinstance(place, Command):
                    written = self.slice(place.start, place.end)
                    found += self._matrix.commands(place, written, code.keys)
        found += (variable for variable in map(variable_of, self._scalars) if variable is not None)
        found += self._settings()
        yield from sorted(found, key=lambda place: (place.start, place.end))

    def room_at(self, start: int) -> Room:
        """Lines of a block begin behind its indentation; other texts of YAML have marks of their own."""
        last = bisect_right(self._codes, start, key=lambda code: code.start) - 1
        code = self._codes[last] if last >= 0 else None
        if code is None or start >= code.end:
            return Room()
        return self.once(("room", code.start), lambda: self._room_of(code))

    def _room_of(self, code: _Code) -> Room:
        mark = self.data[code.start : code.start + 1]
        if mark in (b"|", b">"):
            lines = self.data[code.start : code.end].splitlines()[1:]
            margin = min((len(line) - len(line.lstrip(b" ")) for line in lines if line.strip()), default=0)
            return Room(margin) if code.is_literal else Room(forbidden="\r\n")
        return Room(forbidden="\r\n" + {b'"': '"\\', b"'": "'"}.get(mark, "#:"))

    def takes(self, start: int, end: int) -> bool:
        """A command whose words are in several values is not rewritten as a whole."""
        behind = bisect_right(self._edges, start)
        return behind == len(self._edges) or self._edges[behind] >= end

    def _settings(self) -> Iterator[Setting]:
        """What a service gets for containers, with each text that it puts in for a name."""
        for setting in map(setting_of, self._scalars):
            if setting is not None:
                values = tuple(self._matrix.values(setting.value, setting.keys))
                yield from (setting._replace(start=v.start, end=v.end, value=v.text) for v in values)
                if not values:
                    yield setting

    def comment_at(self, start: int, end: int) -> str | None:
        code = self._code_of(self.lines.line_of(start))
        if code is None or not code.is_literal:
            return super().comment_at(start, end)
        first, last = self.lines.line_span(self.lines.line_of(start))
        match = _COMMENT.search(self.data, first, last)
        return self.slice(match.start(), last) if match is not None and match.start() <= start else None

    def line_for_comment(self, line: int) -> int:
        """In lines that are code, a comment of the shell."""
        code = self._code_of(line)
        if code is None or not code.is_literal:
            return super().line_for_comment(line)
        while True:
            start, end = self.lines.line_span(line)
            if end >= code.end or not self.data[start:end].rstrip(b"\r\n").endswith(b"\\"):
                return line
            line += 1

    def line_below_comment(self, line: int) -> int | None:
        """Code whose lines YAML joins has room for a comment only above it."""
        code = self._code_of(line)
        if code is None:
            return line_of_block(self, line)
        if code.is_literal:
            return None
        first = self.lines.line_of(code.start)
        return first if first != self.lines.line_of(max(code.start, code.end - 1)) else None

    def _code_of(self, line: int) -> _Code | None:
        """The code that a line belongs to; the line on which a block begins is YAML's."""
        start, end = self.lines.line_span(line)
        for code in self._codes:
            if code.start < end and start < code.end and (not code.is_literal or code.start < start):
                return code
        return None


KIND = Kind(
    name="workflow",
    file=WorkflowFile,
    places=(*SHELL_PLACES, Setting),
    needs=SHELL_NEEDS,
    patterns=(
        *(".github/workflows/*.yml", ".github/workflows/*.yaml", ".github/actions/*.yml"),
        *(".github/actions/*.yaml", ".gitlab-ci*.yml", "*.gitlab-ci.yml", ".gitlab/*.yml"),
        *(".circleci/*.yml", ".buildkite/*.yml", ".buildkite/*.yaml", ".travis.yml", ".drone.yml"),
        *("azure-*.yml", ".azure*/*.yml", "bitbucket-pipelines.yml"),
    ),
    languages=("github-actions-workflow",),
)
