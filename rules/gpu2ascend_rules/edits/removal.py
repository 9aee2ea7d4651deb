"""Taking a statement, a decorator or an argument out of the text, and nothing else with it."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from tree_sitter import Node

from ..limits.below import nodes_below
from ..limits.parents import parent_of
from ..model.finding import Edit
from ..model.project.other_files import may_be_imported_elsewhere
from ..model.project.project_view import ProjectView
from ..text.lines import LineIndex
from ..text.scopes import Binding
from ..text.source_file import SourceFile
from ..text.syntax import Argument, field, parts_of, text_of

_TORCH_SWITCHES = ("torch.cuda.", "torch.backends.")
"""Bare calls below these modules are what rules remove; any of them may go at the same time."""


def is_call_statement(call: Node) -> bool:
    """Whether a call stands alone as a statement, so that nothing reads its result."""
    parent = parent_of(call)
    return parent is not None and parent.type == "expression_statement" and len(parent.named_children) == 1


def holds_comment(node: Node) -> bool:
    """Whether comments stand anywhere in what is to be replaced or removed, and would go with it."""
    return any(part.type == "comment" for part in nodes_below(node))


def statement_removal(source: SourceFile, statement: Node) -> Edit:
    """The edit that removes a simple statement.

    A comment behind it stays. Where the block would be left empty, ``pass`` takes its place.
    """
    if not _may_leave(source, statement):
        return Edit(statement.start_byte, statement.end_byte, "pass")
    lines = source.lines
    first, last = lines.line_of(statement.start_byte), lines.line_of(max(statement.end_byte - 1, 0))
    start, end = lines.line_span(first)[0], lines.line_span(last)[1]
    before = source.slice(start, statement.start_byte)
    after = source.slice(statement.end_byte, end).strip()
    if before.strip() or (after and not after.startswith("#")):
        return _from_shared_line(statement, first, last, lines)
    if after:
        return Edit(statement.start_byte, end - len(after.encode("utf-8", "surrogatepass")), "")
    if last + 1 < lines.line_count:
        return Edit(start, lines.line_start(last + 1), "")
    return Edit(lines.line_span(first - 1)[1] if first else start, end, "")


def _from_shared_line(statement: Node, first: int, last: int, lines: LineIndex) -> Edit:
    """The edit that takes a statement out of a line that has others: ``a; b``."""
    following, before = statement.next_named_sibling, statement.prev_named_sibling
    if following is not None and lines.line_of(following.start_byte) == last and following.type != "comment":
        return Edit(statement.start_byte, following.start_byte, "")
    if before is not None and lines.line_of(before.end_byte) == first:
        return Edit(before.end_byte, statement.end_byte, "")
    return Edit(statement.start_byte, statement.end_byte, "pass")


def _may_leave(source: SourceFile, statement: Node) -> bool:
    """Whether the block of a statement keeps another one, even if every removable one is removed."""
    parent = parent_of(statement)
    if parent is None or parent.type == "module":
        return True
    block = source.once(("block", parent.id), lambda: _block(source, parent))
    return any(item != statement.id for item in block.kept) or block.first not in (None, statement.id)


class _Block(NamedTuple):
    """The statements of a block, of which many may be asked about: each is looked at once for all."""

    first: int | None
    """The first one's id."""
    kept: tuple[int, ...]
    """The ids of those that no rule removes; two at most, for that is enough to know."""


def _block(source: SourceFile, block: Node) -> _Block:
    statements = parts_of(block)
    kept = (child.id for child in statements if not _is_removable(source, child))
    return _Block(statements[0].id if statements else None, tuple(islice(kept, 2)))


def _is_removable(source: SourceFile, statement: Node) -> bool:
    """Whether some rule may take the statement out as well: an import, or a switch of torch's."""
    if statement.type in ("import_statement", "import_from_statement"):
        return True
    call = statement.named_children[0] if statement.named_children else None
    if statement.type != "expression_statement" or call is None or call.type != "call":
        return False
    return source.names.name_of(_innermost_callee(call)).startswith(_TORCH_SWITCHES)


def _innermost_callee(call: Node) -> Node | None:
    """What is called first in a chain of calls: ``a.b`` in ``a.b().c()``."""
    callee = field(call, "function")
    while callee is not None and callee.type == "attribute":
        receiver = field(callee, "object")
        if receiver is None or receiver.type != "call":
            break
        callee = field(receiver, "function")
    return callee


def decorator_removal(source: SourceFile, decorator: Node) -> Edit | None:
    """The edit that removes a decorator with its line; ``None`` when a comment is on the line."""
    lines = source.lines
    first, last = lines.line_of(decorator.start_byte), lines.line_of(decorator.end_byte - 1)
    start, end = lines.line_span(first)[0], lines.line_span(last)[1]
    has_comment = any(child.type == "comment" for child in decorator.children)
    shares_line = has_comment or source.slice(start, end).strip() != text_of(decorator)
    if shares_line or last + 1 >= lines.line_count:
        return None
    return Edit(start, lines.line_start(last + 1), "")


def argument_removals(call: Node, arguments: Iterable[Argument]) -> list[Edit]:
    """The edits that remove some arguments of a call, with the commas that belong to them.

    Comments between the arguments stay.
    """
    holder = field(call, "arguments")
    gone = {argument.node.id for argument in arguments}
    if holder is None or not gone:
        return []
    written = parts_of(holder)
    if len(written) != len(holder.named_children):
        return [edit for child in written if child.id in gone for edit in _with_comma(child)]
    if all(child.id in gone for child in written):
        return [Edit(holder.start_byte + 1, holder.end_byte - 1, "")]
    edits: list[Edit] = []
    kept_end = 0
    first: Node | None = None
    for child in written:
        if child.id in gone:
            first = first or child
            continue
        if first is not None:
            edits.append(Edit(first.start_byte, child.start_byte, ""))
            first = None
        kept_end = child.end_byte
    if first is not None:
        edits.append(Edit(kept_end, written[-1].end_byte, ""))
    return edits


def _with_comma(argument: Node) -> Iterator[Edit]:
    """The edits that remove an argument and the comma behind it, and no comment between the two."""
    following = argument.next_sibling
    while following is not None and following.type == "comment":
        following = following.next_sibling
    if following is None or following.type != ",":
        yield Edit(argument.start_byte, argument.end_byte, "")
    elif following.start_byte == argument.end_byte:
        yield Edit(argument.start_byte, following.end_byte, "")
    else:
        yield Edit(argument.start_byte, argument.end_byte, "")
        yield Edit(following.start_byte, following.end_byte, "")


def is_imported_name_used(source: SourceFile, binding: Binding, project: ProjectView) -> bool:
    """Whether a file reads an imported name, or others may import it: from ``__init__``, by ``__all__``."""
    if is_imported_name_read(source, binding) or source.path.endswith("__init__.py"):
        return True
    if source.occurrences("__all__"):
        return True
    return may_be_imported_elsewhere(project, source.path, binding.name)


def is_imported_name_read(source: SourceFile, binding: Binding) -> bool:
    """Whether a file itself reads an imported name."""
    return any(source.names.is_reference(use) for use in source.identifiers(binding.name))


def imported_name_removal(source: SourceFile, binding: Binding) -> Edit:
    """The edit that removes one name from an import, and the statement with its last name.

    Comments among the names stay, unless the statement goes.
    """
    imported = source.names.imported_by(binding.statement)
    if len(imported) == 1:
        return statement_removal(source, binding.statement)
    following = binding.node.next_sibling
    if holds_comment(binding.statement) and (following is None or following.type != "comment"):
        last = following if following is not None and following.type == "," else binding.node
        return Edit(binding.node.start_byte, last.end_byte, "")
    index = bisect.bisect_left(imported, binding.node.start_byte, key=lambda item: item.node.start_byte)
    if index + 1 < len(imported):
        return Edit(binding.node.start_byte, imported[index + 1].node.start_byte, "")
    return Edit(imported[index - 1].node.end_byte, binding.node.end_byte, "")
