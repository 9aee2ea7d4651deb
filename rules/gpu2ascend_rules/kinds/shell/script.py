"""A shell script as a file of its kind."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import tree_sitter_bash
from tree_sitter import Language, Tree

from ...limits.parents import parent_of
from ...limits.parsing import parse
from ..tree_file import TreeFile
from .nodes import string_over
from .places import ShellPlace
from .reading import places_of

BASH = Language(tree_sitter_bash.language())


def parsed(data: bytes) -> Tree:
    """The tree of shell code.

    Raises:
        StoppedError: by a checkpoint.
    """
    from .here_documents import other_beginnings  # what checks Python parses no script

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
        return places_of(self.tree.root_node, parsed)

    def line_for_comment(self, line: int) -> int:
        """None can stand behind a backslash, nor where a line ends within a string; that of a here-document
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
