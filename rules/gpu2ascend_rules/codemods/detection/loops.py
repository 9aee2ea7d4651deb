"""The loops over batches of a file, each with the detector around what it iterates over."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ...edits.fix_edits import edits_of
from ...edits.offsets import apply_edits
from ...inference.host_classes import is_in_host_class
from ...limits.below import nodes_in
from ...limits.parents import parent_of
from ...model.finding import Applicability, Edit, Fix, Message, Plan, Requirement
from ...text.source_file import SourceFile
from ...text.syntax import ancestors, arguments_of, enclosing, field, is_field, last_name, text_of
from ...text.unit_tests import is_unit_test
from . import DETECTING_PACKAGE, DETECTOR

_LOADER = re.compile(r"(?i)(?:^|[_.])(?:data_?)?(?:loader|dataloader|batches|train_iter)s?\b|loader")
_COUNTERS = frozenset({"range", "trange", "count", "arange"})


class Watched(NamedTuple):
    """A file whose loops are watched."""

    text: str
    lines: tuple[int, ...]
    """Of the loops, counted from 1 in the text as it was given."""


def watched(source: SourceFile) -> Watched | None:
    """The file with the detector; None where it has no loop over batches."""
    if DETECTING_PACKAGE in source.path.split("/") or is_unit_test(source):
        return None
    loops = list(_loops(source))
    loops += _iterators(source, loops)
    if not loops:
        return None
    own: list[Edit] = []
    for _, iterable in loops:
        own.append(Edit(iterable.start_byte, iterable.start_byte, f"{DETECTOR}.start("))
        own.append(Edit(iterable.end_byte, iterable.end_byte, ")"))
    needs = frozenset({Requirement(DETECTING_PACKAGE, name=DETECTOR)})
    plan = Plan(tuple(own), requires=needs)
    edits = edits_of(source, Fix(Message.of("analysis.watched"), Applicability.SAFE, plan))
    text = apply_edits(source.raw, edits).decode("utf-8", "surrogatepass")
    lines = (source.lines.line_of(loop.start_byte) + 1 for loop, _ in loops)
    return Watched(text, tuple(sorted(lines)))


def _loops(source: SourceFile) -> Iterator[tuple[Node, Node]]:
    """Each loop over batches with what it iterates over; of loops in each other the outermost."""
    taken: set[int] = set()
    for word in source.find_all(b"for"):
        node = source.node_at(word, word + 3)
        loop = parent_of(node) if node is not None and node.type == "for" else None
        if loop is None or loop.type != "for_statement" or _is_asynchronous(loop):
            continue
        iterable, body = field(loop, "right"), field(loop, "body")
        if iterable is None or body is None or iterable.type == "expression_list":
            continue
        is_inside = any(parent.id in taken for parent in ancestors(loop))
        if not is_inside and _is_over_batches(loop, iterable, body, source):
            taken.add(loop.id)
            yield loop, iterable


def _iterators(source: SourceFile, taken: list[tuple[Node, Node]]) -> Iterator[tuple[Node, Node]]:
    """Each loader of which an iterator is made, ``iter(loader)``, for loops that draw by ``next``."""
    spans = [(iterable.start_byte, iterable.end_byte) for _, iterable in taken]
    for word in source.identifiers("iter"):
        call = parent_of(word)
        if call is None or call.type != "call" or not is_field(word, "function"):
            continue
        given = arguments_of(call)
        first = given.at(0)
        if first is None or len(given.items) != 1 or _LOADER.search(text_of(first.value)) is None:
            continue
        is_inside = any(start <= call.start_byte < end for start, end in spans)
        is_left = is_inside or is_in_host_class(call, source.names) or _is_of_one_batch(call)
        if not is_left and f"{DETECTOR}.start" not in text_of(first.value):
            yield call, first.value


def _is_of_one_batch(call: Node) -> bool:
    """Whether an iterator gives one batch only, ``next(iter(loader))``: no shape changes in that."""
    drawn = parent_of(parent_of(call)) if parent_of(call) is not None else None
    return drawn is not None and drawn.type == "call" and last_name(drawn) == "next"


def _is_asynchronous(loop: Node) -> bool:
    return any(child.type == "async" for child in loop.children)


def _is_over_batches(loop: Node, iterable: Node, body: Node, source: SourceFile) -> bool:
    text = text_of(iterable)
    if f"{DETECTOR}.start" in text or (iterable.type == "call" and last_name(iterable) in _COUNTERS):
        return _trains(loop, body) and f"{DETECTOR}.start" not in text
    is_of_loader = _LOADER.search(text) is not None and not is_in_host_class(loop, source.names)
    return _trains(loop, body) or is_of_loader


def _trains(loop: Node, body: Node) -> bool:
    """Whether a loop goes backward itself, and no loop within it does."""
    for node in nodes_in(body):
        if node.type == "call" and last_name(node) == "backward":
            owner = enclosing(node, "for_statement", "while_statement", "function_definition")
            if owner is not None and owner.id == loop.id:
                return True
    return False
