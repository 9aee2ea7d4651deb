"""JSON: configurations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

import tree_sitter_json
from tree_sitter import Language, Node, Tree

from ..limits.checkpoints import MAX_NESTING, checkpoint
from ..limits.parsing import parse
from .kind import Kind
from .settings import Near, Setting, Unread, is_broken_text, near, text_of, unread
from .tree_file import TreeFile

_LAST_COMMA = re.compile(rb",(?=\s*(?://[^\n]*\n\s*)*[}\]])")
_RECORDS = re.compile(rb"\s*\{[^\n]*\}[ \t\r]*\n\s*\{[^\n]")
"""Two objects on lines of their own, with which a file of JSON Lines begins."""
JSON = Language(tree_sitter_json.language())


class JsonFile(TreeFile):
    """One version of one JSON file. The language has no comments, so that nothing can be ignored in it."""

    comment_mark = ""
    language = JSON

    @cached_property
    def tree(self) -> Tree:
        """Its syntax tree; of a file with commas behind last items, as editors take them, without those."""
        tree = parse(self.data, language=JSON)
        if tree.root_node.has_error and b"," in self.data:
            bare = parse(_LAST_COMMA.sub(b" ", self.data), language=JSON)
            return tree if bare.root_node.has_error else bare
        return tree

    @property
    def is_broken(self) -> bool:
        return self.has_syntax_error and not self._is_data and is_broken_text(self.data)

    @property
    def _is_data(self) -> bool:
        """Whether each line is a record, as in JSON Lines, which no program takes its settings from."""
        return _RECORDS.match(self.data) is not None

    def read_places(self) -> Iterator[Setting | Unread]:
        return self._settings(None)

    def places_about(self, words: Iterable[bytes]) -> Iterator[Setting | Unread]:
        return self._settings(near(self.data, words))

    def _settings(self, is_near: Near | None) -> Iterator[Setting | Unread]:
        if self._is_data:
            return
        if self.has_syntax_error:
            yield from unread(self.data)
            return
        for child in self.tree.root_node.named_children:
            yield from _settings_below(child, (), 0, is_near)

    def comment_at(self, start: int, end: int) -> str | None:
        return None


def _settings_below(node: Node, keys: tuple[str, ...], depth: int, is_near: Near | None) -> Iterator[Setting]:
    checkpoint()
    if depth > MAX_NESTING or not (is_near is None or is_near(node.start_byte, node.end_byte)):
        return
    if node.type == "object":
        for pair in node.named_children:
            key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
            if key is not None and value is not None:
                is_whole = is_near is None or is_near(key.start_byte, key.end_byte)
                below = (*keys, text_of(key)[1:-1])
                yield from _settings_below(value, below, depth + 1, None if is_whole else is_near)
    elif node.type == "array":
        for item in node.named_children:
            yield from _settings_below(item, (*keys, "[]"), depth + 1, is_near)
    elif node.type == "string":
        yield Setting(node.start_byte + 1, node.end_byte - 1, keys, text_of(node)[1:-1])
    elif node.type in ("number", "true", "false"):
        yield Setting(node.start_byte, node.end_byte, keys, text_of(node))


KIND = Kind(
    name="json",
    file=JsonFile,
    places=(Setting, Unread),
    patterns=("*.json", "*.jsonc", "*.json5"),
    languages=("json", "jsonc"),
)
