"""Justfiles: recipes of shell code with variables of their own, as makefiles have them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from tree_sitter import Tree

from ..text.lines import ended_by_lf
from .kind import Kind
from .makefile import Makefile
from .shell.places import SHELL_NEEDS, SHELL_PLACES, ShellPlace, Use, Variable, Word
from .shell.script import parsed

_ASSIGNMENT = re.compile(
    rb"^(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*:=[ \t]*([\"'])([^\"'\r\n\\]*)\2[ \t]*(?=#|\r|\n|\Z)", re.M
)
_PARAMETER = re.compile(rb"(?<=[ \t])[+*$]?([A-Za-z_]\w*)=([\"'])([^\"'\r\n\\]*)\2(?=[^\r\n]*:)")
_REFERENCE = re.compile(rb"\{\{[ \t]*([A-Za-z_]\w*)[ \t]*\}\}")
_OTHER = re.compile(rb"\{\{[^}\r\n]*\}\}")
_PREFIX = re.compile(rb"([ \t]+)([@-]*)")


class Justfile(Makefile):
    """One version of one justfile."""

    @cached_property
    def _tree(self) -> Tree:
        return parsed(b"".join(map(_recipe, ended_by_lf(self.data))))

    def _assigned(self) -> Iterator[ShellPlace]:
        for pattern in (_ASSIGNMENT, _PARAMETER):
            for match in pattern.finditer(self.data):
                start, end = match.span(3)
                text = match[3].decode("utf-8", "replace")
                if self.data[match.start() : match.start() + 1] not in (b" ", b"\t"):
                    yield Variable(*match.span(1), match[1].decode(), Use.SET, Word(start, end, text, text))

    def _named(self) -> Iterator[Variable]:
        return iter(())


def _recipe(line: bytes) -> bytes:
    """A line of a recipe as a shell has it, with every byte in its place; another line is blank."""
    prefix = _PREFIX.match(line)
    if prefix is None:
        body = line.rstrip(b"\r\n")
        return b" " * len(body) + line[len(body) :]
    text = b" " * prefix.end() + line[prefix.end() :]
    return _OTHER.sub(lambda match: b"x" * len(match[0]), _REFERENCE.sub(_as_variable, text))


def _as_variable(match: re.Match[bytes]) -> bytes:
    name = b"${" + match[1] + b"}"
    return name + b" " * (len(match[0]) - len(name))


KIND = Kind(
    name="justfile",
    file=Justfile,
    places=SHELL_PLACES,
    needs=SHELL_NEEDS,
    patterns=("justfile", ".justfile", "*.just"),
    languages=("just",),
)
