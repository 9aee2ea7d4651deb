"""A file of a service of continuous integration as a file of its kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from ..settings.places import Setting
from ..shell.places import ShellPlace
from ..shell.reading import places_of
from ..shell.script import parsed
from ..tree_file import TreeFile
from ..yaml.values import Scalar, scalars_of
from ..yaml.yaml_file import TEXTS, YAML
from .masking import of_block, of_flow
from .steps import is_code, setting_of, shells_of, variable_of

_COMMENT = re.compile(rb"(?:^|(?<=[\s;]))#")


class _Code(NamedTuple):
    """A scalar that is shell code."""

    start: int
    end: int
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
    def _codes(self) -> tuple[_Code, ...]:
        shells = shells_of(self._scalars)
        return tuple(self._code(scalar) for scalar in self._scalars if is_code(scalar, shells))

    def _code(self, scalar: Scalar) -> _Code:
        start, end = scalar.node.start_byte, scalar.node.end_byte
        data = self.data[start:end]
        is_block = scalar.node.type == "block_scalar"
        code = of_block(data) if is_block else of_flow(data)
        return _Code(start, end, code, is_block and data.startswith(b"|"))

    def places(self) -> Iterator[ShellPlace | Setting]:
        """Of a file that could not be parsed it is not known what its indentation means."""
        found: list[ShellPlace | Setting] = []
        for code in self._codes:
            inside = places_of(parsed(code.shell).root_node, parsed)
            found += (place.moved(code.start) for place in inside)
        found += (variable for variable in map(variable_of, self._scalars) if variable is not None)
        found += (setting for setting in map(setting_of, self._scalars) if setting is not None)
        yield from sorted(found, key=lambda place: (place.start, place.end))

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
        if code is None or code.is_literal:
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
