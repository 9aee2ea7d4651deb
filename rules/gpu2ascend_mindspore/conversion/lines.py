"""Statements that go with their lines, blocks that keep one, and bodies that move to the left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node

from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import parts_of


def removed(data: bytes, statement: Node) -> Edit:
    """The edit that takes a statement out with its line; ``pass`` where its block or its line needs one.

    A comment behind it stays, in a line of its own.
    """
    start = statement.start_byte - statement.start_point[1]
    end = data.find(b"\n", statement.end_byte)
    end = end if end != -1 else len(data)
    block = parent_of(statement)
    alone = block is not None and block.type == "block" and len(parts_of(block)) == 1
    behind = data[statement.end_byte : end].lstrip()
    is_comment = behind.startswith(b"#")
    if alone or data[start : statement.start_byte].strip() or (behind and not is_comment):
        return Edit(statement.start_byte, statement.end_byte, "pass")
    if is_comment:
        return Edit(statement.start_byte, end - len(behind), "")
    return Edit(start, min(end + 1, len(data)), "")


def in_place_of_emptied_blocks(source: SourceFile, edits: Iterable[Edit]) -> dict[Edit, Edit]:
    """Of edits that together take all statements out of a block, the first, with one that leaves ``pass``."""
    by_block: dict[int, dict[int, tuple[Edit, Node]]] = {}
    blocks: dict[int, Node] = {}
    for edit in edits:
        statement = _statement_gone(source, edit) if not edit.text.strip() else None
        block = parent_of(statement)
        if statement is not None and block is not None:
            blocks[block.id] = block
            by_block.setdefault(block.id, {})[statement.id] = (edit, statement)
    return {
        edit: Edit(statement.start_byte, statement.end_byte, "pass")
        for key, gone in by_block.items()
        if all(one.id in gone for one in parts_of(blocks[key]))
        for edit, statement in (gone[parts_of(blocks[key])[0].id],)
    }


def _statement_gone(source: SourceFile, edit: Edit) -> Node | None:
    """The statement of a block that an edit takes out as a whole."""
    text = source.data[edit.start : edit.end]
    start = edit.start + len(text) - len(text.lstrip())
    node = source.node_at(start, start)
    while node is not None and (parent := parent_of(node)) is not None and parent.type != "block":
        node = parent
    is_whole = node is not None and node.start_byte == start and node.end_byte <= edit.end
    return node if is_whole else None


def has_own_lines(statement: Node) -> bool:
    """Whether no other statement stands in the lines of one."""
    before, behind = statement.prev_named_sibling, statement.next_named_sibling
    return (before is None or before.end_point[0] < statement.start_point[0]) and (
        behind is None or behind.type == "comment" or behind.start_point[0] > statement.end_point[0]
    )


def with_comment(data: bytes, statement: Node) -> tuple[int, int]:
    """The span of the lines of a statement, with a comment right above it."""
    start, end = statement.start_byte - statement.start_point[1], data.find(b"\n", statement.end_byte)
    above = data.rfind(b"\n", 0, max(start - 1, 0)) + 1
    first = above if data[above:start].lstrip().startswith(b"#") else start
    return first, end + 1 if end != -1 else len(data)


def moved_up(
    data: bytes, edits: Sequence[Edit], lines: tuple[int, int], place: int
) -> dict[Edit, list[Edit]]:
    """For some edits those in their stead, where lines move before a function that one of them begins."""
    start, end = lines
    head = next((one for one in edits if one.start == place and "def " in one.text), None)
    inner = sorted(one for one in edits if start <= one.start < end)
    text = data[start:end]
    for one in reversed(inner):
        text = text[: one.start - start] + one.text.encode() + text[one.end - start :]
    if head is None or not text.strip():
        return {}
    before, definition, behind = head.text.partition("def ")
    indent = " " * (place - data.rfind(b"\n", 0, place) - 1) or before
    moved = f"{before}{text.decode().strip()}\n{indent}{definition}{behind}"
    return {**{one: [] for one in inner}, head: [Edit(place, head.end, moved), Edit(start, end, "")]}


def line_starts(data: bytes, start: int, end: int) -> Iterator[int]:
    """The beginnings of the lines within a span that hold anything."""
    place = data.find(b"\n", start, end)
    while place != -1:
        if data[place + 1 : place + 2] not in (b"\n", b"\r"):
            yield place + 1
        place = data.find(b"\n", place + 1, end)


class Unwrapped(NamedTuple):
    """A compound statement of which only the body stays, in the place of the statement."""

    head: Edit
    """What takes its first line out; comments between that and the body stay."""
    starts: tuple[int, ...]
    """Where the lines of the body begin."""
    columns: int
    """By how many columns they move to the left."""

    @property
    def edits(self) -> list[Edit]:
        """All of it, where nothing else changes these lines."""
        return [self.head, *(Edit(start, start + self.columns, "") for start in self.starts)]


def unwrapped(data: bytes, statement: Node, body: Node, deeper: int = 0) -> Unwrapped | None:
    """What leaves the body of a compound statement in its place; None where its text would change.

    A string over several lines would, and so would a body in the line of its statement. Comments between the
    head and the body stay, by ``deeper`` columns deeper than the statement.
    """
    if body.start_point[0] == statement.start_point[0] or has_line_string(body):
        return None
    shift = body.start_point[1] - statement.start_point[1]
    first = body.start_byte - body.start_point[1]
    starts = (first, *line_starts(data, body.start_byte, body.end_byte))
    colon = next((one.end_byte for one in statement.children if one.type == ":"), None)
    if colon is None or b"#" in data[statement.start_byte : colon] or shift <= 0:
        return None
    if any(data[start : start + shift].strip() for start in starts):
        return None
    indent = " " * (statement.start_point[1] + deeper)
    comments = [one.strip().decode() for one in data[colon:first].splitlines() if one.strip()]
    kept = "".join(f"{indent}{one}\n" for one in comments)
    return Unwrapped(Edit(statement.start_byte - statement.start_point[1], first, kept), starts, shift)


def moved_left(data: bytes, found: Sequence[Unwrapped], edits: Sequence[Edit]) -> dict[Edit, list[Edit]]:
    """For some edits those in their stead, where bodies move to the left with what is written in them.

    What an edit writes in several lines is indented for the place where the body was.
    """
    columns: dict[int, int] = {}
    heads: dict[int, Edit] = {}
    for one in found:
        for start in one.starts:
            columns[start] = columns.get(start, 0) + one.columns
            heads[start] = one.head
    changed: dict[Edit, list[Edit]] = {}
    gone: set[int] = set()
    for edit in edits:
        shift = columns.get(data.rfind(b"\n", 0, edit.start) + 1, 0)
        text = edit.text.replace("\n" + " " * shift, "\n") if shift else edit.text
        changed[edit] = [edit._replace(text=text)]
        if edit.end > edit.start:
            gone.update(start for start in line_starts(data, edit.start - 1, edit.end) if start < edit.end)
    for start, shift in columns.items():
        if start not in gone and heads[start] in changed:
            changed[heads[start]].append(Edit(start, start + shift, ""))
    return changed


def has_line_string(node: Node) -> bool:
    """Whether a string goes over several lines: its text would move with its lines."""
    return any(one.type == "string" and one.start_point[0] != one.end_point[0] for one in nodes_in(node))
