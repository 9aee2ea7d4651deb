"""Making a syntax tree of a text, so that neither its size nor its shape can make it take for ever."""

from __future__ import annotations

import tree_sitter_python
from tree_sitter import Language, Parser, Point, Tree

from .checkpoints import is_asked, long_step
from .long_runs import blanked
from .nesting import Span
from .open_brackets import without as without_brackets

PYTHON = Language(tree_sitter_python.language())

_SMALL = 16_000
"""Bytes up to which the worst of texts takes half a second."""
_CALLS_PER_STEP = 16
"""Of the parser's reports of progress, each after a hundred of its operations: half a ms of real code."""


def parse(
    data: bytes,
    old_tree: Tree | None = None,
    hidden: tuple[Span, ...] = (),
    language: Language = PYTHON,
    without: tuple[int, ...] = (),
) -> Tree:
    """The syntax tree of a text.

    Args:
        old_tree: The edited tree of an earlier version, for an incremental parse.
        hidden: The text's long runs (see :mod:`.long_runs`), of which the parser sees nothing.
        language: What the text is written in.
        without: Brackets that are open (see :mod:`.open_brackets`); the parser sees blanks in their places.

    Raises:
        StoppedError: by a checkpoint.
    """
    if without:
        data = without_brackets(data, without)
    if not hidden:
        return _parsed(data, old_tree, language)
    tree = _parsed(blanked(data, hidden), None, language)
    return _parsed(data, None, language) if _is_in_string(tree, hidden) else tree


def _is_in_string(tree: Tree, hidden: tuple[Span, ...]) -> bool:
    """Whether a part that was hidden means something: strings within strings can deceive."""
    nodes = (tree.root_node.descendant_for_byte_range(start, end - 1) for start, end in hidden)
    return any(node is None or "string" in node.type for node in nodes)


def _parsed(data: bytes, old_tree: Tree | None, language: Language) -> Tree:
    parser = Parser(language)
    if len(data) > _SMALL and is_asked():
        old_tree = _in_steps(parser, data, old_tree)  # with the whole text for what it is now parsed from
    return parser.parse(data, old_tree) if old_tree is not None else parser.parse(data)


def _in_steps(parser: Parser, data: bytes, old_tree: Tree | None) -> Tree:
    """The tree, with a checkpoint every few hundred tokens. Its nodes have no text; a parse from it gives
    them one for a fiftieth of the time.

    tree-sitter never gives back what its reader hands out. So that is a view of the text, which is released
    afterwards: what stays are two hundred bytes a view, not the text.
    """
    stopped: list[BaseException] = []
    calls = 0
    views: list[memoryview] = []

    def read(offset: int, _: Point) -> memoryview:
        views.append(memoryview(data)[offset:])
        return views[-1]

    def is_stopped(_: int, __: bool) -> bool:
        nonlocal calls
        calls += 1
        if calls % _CALLS_PER_STEP:
            return False
        try:
            long_step()
        except BaseException as error:  # must not pass through the parser
            stopped.append(error)
        return bool(stopped)

    try:
        if old_tree is None:
            return parser.parse(read, progress_callback=is_stopped)
        return parser.parse(read, old_tree, progress_callback=is_stopped)
    except ValueError:
        if stopped:
            raise stopped[0] from None
        raise
    finally:
        for view in views:
            view.release()
