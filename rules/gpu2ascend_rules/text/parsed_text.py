"""The text of a Python file, its syntax tree, and cheap ways to look things up.

Nothing here walks the whole tree. What a rule asks for is found in the text first, by plain substring
search, and only the places found are looked up in the tree. This keeps a check about as fast as the
parse itself, however large the file.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from tree_sitter import Node, Point, Tree

from ..limits.checkpoints import MAX_NESTING, checkpoint
from ..limits.long_runs import long_runs
from ..limits.nesting import Span, deep_parts
from ..limits.open_brackets import open_brackets, with_changes
from ..limits.parents import parent_of
from ..limits.parsing import parse
from .asked import Asked, Sought, has
from .climbing import Enclosing, unfinished_over
from .plain.text_file import TextFile
from .plain.words import WORD, words_in
from .syntax import start_of

_DOT = ord(".")
_IMPORT = b"import"
_ATTRIBUTE = re.compile(rb"\.\s*(\w+)")
"""What follows a name in a dotted word."""
_SEARCHES = 200
"""Words that are searched for singly, which is faster than to find all for as many as rules ask for."""
_WORD_BYTES = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_").union(
    range(128, 256)
)
"""What words are made of; every letter beyond ASCII may be one of an identifier."""


def whole_words(data: bytes, needle: bytes) -> Iterator[int]:
    """The offsets of a word in a text where it is no part of a longer word."""
    find, size, length = data.find, len(data), len(needle)
    offset = find(needle)
    while offset >= 0:
        end = offset + length
        is_end = end == size or data[end] not in _WORD_BYTES
        if is_end and (offset == 0 or data[offset - 1] not in _WORD_BYTES):
            yield offset
        offset = find(needle, offset + 1)


class ParsedText(TextFile):
    """One version of one Python file, without a meaning for its names.

    Args:
        text: The whole text, without a byte order mark.
        path: How the file is named to the project view; empty when it has no name.
        old_tree: The edited tree of an earlier version, for an incremental parse.
    """

    def __init__(self, text: str, path: str = "", old_tree: Tree | None = None) -> None:
        super().__init__(text, path)
        self._old_tree = old_tree
        self._same: ParsedText | None = None
        """The object of the same text that parses it for this one."""
        self.asked = Asked()
        self._words: dict[bytes, tuple[int, ...]] = {}
        self._identifiers: dict[tuple[str, bool], tuple[Node, ...]] = {}

    @cached_property
    def tree(self) -> Tree:
        """The syntax tree; parsed when first asked for."""
        return self._parsed[0]

    @property
    def open_brackets(self) -> tuple[int, ...]:
        """The brackets that nothing closes; the tree has none of them."""
        return self._parsed[1]

    @cached_property
    def _parsed(self) -> tuple[Tree, tuple[int, ...]]:
        """The tree, and the brackets that it does without: in a text that is broken, those that are open."""
        if self._same is not None:
            return self._same._parsed
        old_tree, places = self._old_tree, () if self.hidden else open_brackets(self.data)
        if old_tree is not None and places:
            old_tree = with_changes(old_tree, self.data, places)
        else:
            tree = parse(self.data, old_tree, self.hidden)
            if not places or not tree.root_node.has_error:
                return tree, ()
        return parse(self.data, old_tree, without=places), places

    @cached_property
    def hidden(self) -> tuple[Span, ...]:
        """The long runs of comments and continuations, which are not in the tree."""
        return long_runs(self.data)

    @property
    def known_tree(self) -> Tree | None:
        """The tree, if it was asked for already; else the edited one of an earlier version, if any."""
        parsed: Tree | None = self.__dict__.get("tree")
        if parsed is None:
            return self._old_tree
        places = self.open_brackets
        return with_changes(parsed, self.data, places) if places else parsed

    @property
    def editable_tree(self) -> Tree | None:
        """The known tree, if it is one of the whole text, so that a later version can be parsed from it."""
        return None if self.hidden else self.known_tree

    def after(self, edits: Sequence[tuple[int, int, str]], data: bytes) -> TextFile:
        """What edits make of this text, to be parsed from the tree of this one if that is known."""
        made = super().after(edits, data)
        if isinstance(made, ParsedText):
            made._old_tree = self._tree_after(edits)
        return made

    def _tree_after(self, edits: Sequence[tuple[int, int, str]]) -> Tree | None:
        """The tree, edited; None of a text of which it is not known, or not the whole."""
        if "tree" not in self.__dict__ or self.hidden or self.has_syntax_error or b"\r" in self.raw:
            return None
        tree = self.tree.copy()
        for start, end, text in sorted(edits, reverse=True):
            new = text.encode("utf-8", "surrogatepass")
            first, last = self._point(start), self._point(end)
            column = first.column if b"\n" not in new else -1 - new.rfind(b"\n")
            point = Point(first.row + new.count(b"\n"), column + len(new))
            tree.edit(start, end, start + len(new), first, last, point)
        return tree

    def _point(self, offset: int) -> Point:
        line = self.lines.line_of(offset)
        point: Point = Point(line, offset - self.lines.line_start(line))
        return point

    @cached_property
    def root(self) -> Node:
        """The module node."""
        return self.tree.root_node

    @cached_property
    def attribute_names(self) -> frozenset[bytes]:
        """Every word that follows a dot: all names of attributes, and some words more."""
        return frozenset(_ATTRIBUTE.findall(self.data))

    @cached_property
    def words(self) -> frozenset[bytes]:
        """Every word of the text, in code or anywhere else: what many words are looked for in at once."""
        return frozenset(words_in(self.data))

    @cached_property
    def vocabulary(self) -> bytes:
        """Every word once, in lines: a part of a word is sought here in an eighth of the time."""
        return b"\n".join(self.words)

    @cached_property
    def deep_parts(self) -> tuple[Span, ...]:
        """The parts that nest too deeply to be looked at; no identifier in them is ever found."""
        return deep_parts(self.root, MAX_NESTING)

    def _is_deep(self, offset: int) -> bool:
        index = bisect_right(self.deep_parts, (offset, len(self.data)))
        return index > 0 and offset < self.deep_parts[index - 1][1]

    @property
    def has_syntax_error(self) -> bool:
        """Whether some part of the text did not parse. The other parts are still usable."""
        return bool(self.open_brackets) or self.root.has_error

    def text_of(self, node: Node) -> str:
        """The text of a node."""
        return self.slice(node.start_byte, node.end_byte)

    def has(self, sought: Sought) -> bool:
        """Whether the text has another one, or a pattern, anywhere."""
        known = self.asked.signs.get(sought)
        if known is None:
            known = self.asked.signs[sought] = has(self.data, sought)
        return known

    def has_attribute(self, name: str) -> bool:
        """Whether a word follows a dot somewhere."""
        self.asked.words.add(name)
        return name.encode() in self.attribute_names

    def find_all(self, needle: bytes) -> Iterator[int]:
        """The byte offsets of ``needle``, also within words."""
        self.asked.texts.add(needle)
        return super().find_all(needle)

    def matches(self, pattern: re.Pattern[bytes]) -> Iterator[re.Match[bytes]]:
        """Every match of a pattern, in text order."""
        self.asked.texts.add(pattern)
        return pattern.finditer(self.data)

    def occurrences(self, word: str) -> tuple[int, ...]:
        """Byte offsets at which ``word`` occurs as a whole identifier, in code or anywhere else."""
        self.asked.words.add(word)
        return self.occurrences_in_parts(word)

    def occurrences_in_parts(self, word: str) -> tuple[int, ...]:
        """The :meth:`occurrences` for who looks only at those in parts of the text that it has come to."""
        needle = word.encode("utf-8")
        found = self._words.get(needle)
        if found is None:
            found = self._words[needle] = tuple(self._whole_words(needle))
        return found

    @cached_property
    def _places(self) -> dict[bytes, list[int]]:
        """Where each word of the text is."""
        found: dict[bytes, list[int]] = {}
        for match in WORD.finditer(self.data):
            found.setdefault(match[0], []).append(match.start())
        return found

    def _whole_words(self, needle: bytes) -> list[int]:
        """Where ``needle`` touches no other character of a word. The loop that runs most often of all.

        To search the text for each word of it would take the square of its length: of a file that binds very
        many names, all words are found at once.
        """
        if len(self._words) > _SEARCHES and WORD.fullmatch(needle):
            return self._places.get(needle, [])
        return list(whole_words(self.data, needle))

    def node_at(self, start: int, end: int) -> Node | None:
        """The smallest node that covers the span, named or not; None where the text nests too deeply."""
        if self.deep_parts and self._is_deep(start):
            return None
        checkpoint()
        return self.root.descendant_for_byte_range(start, end)

    def enclosing(self, node: Node, *types: str) -> Node | None:
        """The nearest ancestor of one of the types, for places of which there may be many."""
        return self.once(("enclosing", *types), lambda: Enclosing(*types)).of(node)

    def comment_at(self, start: int, end: int) -> str | None:
        """The comment in which a part of the text lies, if it does."""
        node = self.node_at(start, end)
        if node is None or "string" in node.type:
            return None
        if node.type == "comment":
            return self.text_of(node)
        if any(first <= start and end <= last for first, last in self.hidden):
            return self.slice(*self.lines.line_span(self.lines.line_of(start)))
        return None

    def line_for_comment(self, line: int) -> int:
        """The line, or the first one behind it, at whose end a comment can stand: none can behind a
        backslash, nor where a line ends within a string."""
        while True:
            start, end = self.lines.line_span(line)
            if end >= len(self.data):
                return line
            string = unfinished_over(self.node_at(end, end + 1), end, ("string",))
            if string is not None:
                line = self.lines.line_of(string.end_byte)
            elif self.data[start:end].rstrip().endswith(b"\\"):
                line += 1
            else:
                return line

    def identifiers(self, word: str) -> tuple[Node, ...]:
        """The identifier nodes that are exactly ``word``: no comments, no strings."""
        self.asked.words.add(word)
        return self.identifiers_in_parts(word)

    def identifiers_in_parts(self, word: str) -> tuple[Node, ...]:
        """The :meth:`identifiers` for who looks only at those in parts of the text that it has come to."""
        return self._identifiers_of(word, self.occurrences_in_parts, is_bare=False)

    def known_identifiers(self, word: str) -> frozenset[int]:
        """Where the :attr:`identifiers` of a word begin, if somebody has looked for them."""
        return frozenset(node.start_byte for node in self._identifiers.get((word, False), ()))

    def bare_identifiers(self, word: str) -> tuple[Node, ...]:
        """The :meth:`identifiers_in_parts` of a word but for those of which an attribute is taken: ``x`` in
        ``x.a``.

        Such places bind nothing, but for imports, and are most of all; they are passed over without the tree.
        """
        return self._identifiers_of(word, self._bare_occurrences, is_bare=True)

    def _identifiers_of(
        self, word: str, places: Callable[[str], Iterable[int]], *, is_bare: bool
    ) -> tuple[Node, ...]:
        found = self._identifiers.get((word, is_bare))
        if found is None:
            found = self._identifiers[word, is_bare] = self._identifiers_at(word, places(word))
        return found

    def _identifiers_at(self, word: str, offsets: Iterable[int]) -> tuple[Node, ...]:
        length = len(word.encode("utf-8"))
        at = self.root.descendant_for_byte_range
        checkpoint()
        if self.deep_parts:
            offsets = (offset for offset in offsets if not self._is_deep(offset))
        nodes = [at(offset, offset + length) for offset in offsets]
        return tuple(node for node in nodes if node is not None and node.type == "identifier")

    def _bare_occurrences(self, word: str) -> Iterator[int]:
        """Where a word is without an attribute behind it, or in what may be an import."""
        data, length, size = self.data, len(word.encode("utf-8")), len(self.data)
        line = looked = 0
        is_import = False
        for offset in self.occurrences_in_parts(word):
            end = offset + length
            if end + 1 < size and data[end] == _DOT and data[end + 1] in _WORD_BYTES:
                # A line may have very many of them: no part of it is searched twice.
                start = data.rfind(b"\n", looked, offset) + 1
                if start > line:
                    line, is_import = start, False
                is_import = is_import or data.find(_IMPORT, max(line, looked - len(_IMPORT)), offset) >= 0
                looked = offset
                if not is_import and b"\\" not in data[max(0, line - 3) : line]:
                    continue
            yield offset

    def identifiers_in(self, word: str, node: Node) -> tuple[Node, ...]:
        """The :meth:`identifiers` of a word that are in a node."""
        if parent_of(node) is None:
            self.asked.words.add(word)
        found = self.identifiers_in_parts(word)
        first = bisect_left(found, node.start_byte, key=start_of)
        return found[first : bisect_left(found, node.end_byte, key=start_of)]
