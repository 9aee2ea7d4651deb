"""A node with the file it is in: what codemods ask about and change."""

from __future__ import annotations

from typing import NamedTuple

from tree_sitter import Node

from ...text.source_file import SourceFile


class Place(NamedTuple):
    """A node with the file it is in."""

    file: SourceFile
    node: Node

    @property
    def key(self) -> tuple[str, int]:
        """Identifies a place: a node's number means something in its own tree only."""
        return self.file.path, self.node.id

    @property
    def text(self) -> str:
        """The text of the node."""
        return self.file.text_of(self.node)
