"""A shell script as a file of its kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

import tree_sitter_bash
from tree_sitter import Language, Tree

from ...limits.parents import parent_of
from ...limits.parsing import parse
from ...text.lines import ended_by_lf
from ..tree_file import TreeFile
from .nodes import string_over
from .places import ShellPlace

_MARK = re.compile(rb"(?<!<)<<(?P<tabs>-?)[ \t]*(?P<quote>['\"]?)(?P<mark>[\w.-]+)(?P=quote)")
BASH = Language(tree_sitter_bash.language())


def other_beginnings(data: bytes) -> bytes:
    """A script, of the same length, in whose here-documents no line but the last begins with the mark."""
    if _MARK.search(data) is None:
        return data
    lines = list(ended_by_lf(data))
    texts = [line.rstrip(b"\r\n") for line in lines]
    last = {text: number for number, text in enumerate(texts)}
    last_indented = {text.lstrip(b"\t"): number for number, text in enumerate(texts)}
    number = 0
    while number < len(lines):
        marks = list(_MARK.finditer(lines[number]))
        number += 1
        for match in marks:
            mark, has_tabs = match["mark"], bool(match["tabs"])
            if (last_indented if has_tabs else last).get(mark, -1) < number:
                continue  # nothing ends it, as a shift of bits
            while (texts[number].lstrip(b"\t") if has_tabs else texts[number]) != mark:
                lines[number] = _begun_otherwise(lines[number], mark)
                number += 1
            number += 1
    return b"".join(lines)


def _begun_otherwise(line: bytes, mark: bytes) -> bytes:
    at = len(line) - len(line.lstrip())
    return (
        line[:at] + (b"x" if mark[:1] == b"_" else b"_") + line[at + 1 :]
        if line.startswith(mark, at)
        else line
    )


def parsed(data: bytes) -> Tree:
    """The tree of shell code. Raises StoppedError: by a checkpoint."""
    read = other_beginnings(data)
    tree = parse(read, language=BASH)
    # A parse from a tree takes over all of it, and gives its nodes the text that is there.
    return tree if read == data else parse(data, tree, language=BASH)


class ShellFile(TreeFile):
    """One version of one script."""

    language = BASH

    @cached_property
    def tree(self) -> Tree:
        return parsed(self.data)

    @staticmethod
    def as_read(raw: bytes) -> bytes:
        """A shell ends lines at an LF."""
        return raw

    def read_places(self) -> Iterator[ShellPlace]:
        from .reading import places_of  # rules that only name the kind do without

        return places_of(self.tree.root_node, parsed)

    def line_for_comment(self, line: int) -> int:
        """None can be behind a backslash, nor where a line ends within a string; that of a here-document
        stands where it is named."""
        while True:
            start, end = self.lines.line_span(line)
            if end >= len(self.data):
                return line
            string = string_over(self.tree.root_node, end)
            if string is not None and string.type == "heredoc_body":
                return self.lines.line_of((parent_of(string) or string).start_byte)
            if string is not None:
                line = max(line + 1, self.lines.line_of(string.end_byte))
            elif self.data[start:end].rstrip(b"\r\n").endswith(b"\\"):
                line += 1
            else:
                return line
