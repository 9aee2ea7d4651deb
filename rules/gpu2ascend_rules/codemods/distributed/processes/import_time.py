"""What is made as a module is read: too early, if the process group is joined on the main path only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tree_sitter import Node

from ....text.syntax import OWN_SCOPES, ancestors, arguments_of, last_name, text_of
from ...change import Change
from ...program import Place
from ..job import Job

_ASKS = ("is_initialized", "is_main_process", "from_main_process", "over_processes", "agreed")
_DEVICES = ("device", "cuda", "npu")
_LATER = frozenset(OWN_SCOPES)


def places(job: Job, changes: Iterable[Change]) -> Iterator[Place]:
    """The statements that are run by an import and want to know of the process group, or of its card.

    They hold a change that asks for the group, move something to a device, or call what does so.
    """
    asking = [change.place for change in changes if _asks(change)]
    moving = [call for call in job.program.places("call") if _moves(call.node)]
    reached = {(place.file.path, owner.id) for place in (*asking, *moving) for owner in _definitions(place)}
    calling = [
        call
        for call in job.program.places("call")
        if _is_read(call)
        and (callee := job.program.callee(call)) is not None
        and (callee.file.path, callee.node.id) in reached
    ]
    early = {place.key: place for place in (*asking, *moving, *calling) if _is_read(place)}
    statements = {(item.file.path, _statement(item.node).id): item for item in early.values()}
    yield from (Place(item.file, _statement(item.node)) for item in statements.values())


def _asks(change: Change) -> bool:
    texts = [text for item in change.operations for text in (item.text, *(step[1] for step in item.steps))]
    return any(name in text for text in texts for name in _ASKS)


def _moves(call: Node) -> bool:
    """Whether something is moved to a device: ``x.cuda()``, ``x.to(device)``, not ``x.to(torch.float16)``."""
    name = last_name(call)
    if name != "to":
        return name in ("cuda", "npu")
    given = arguments_of(call).items
    return bool(given) and any(word in text_of(given[0].value).lower() for word in _DEVICES)


def _definitions(place: Place) -> Iterator[Node]:
    """The functions and classes that a place is in."""
    return (
        node for node in ancestors(place.node) if node.type in ("function_definition", "class_definition")
    )


def _is_read(place: Place) -> bool:
    """Whether a place is run when its module is imported."""
    for node in ancestors(place.node):
        if node.type in _LATER:
            return False
        condition = node.child_by_field_name("condition") if node.type == "if_statement" else None
        if condition is not None and "__name__" in text_of(condition):
            return False
    return True


def _statement(node: Node) -> Node:
    """The statement of the module that a node is a part of."""
    around = (node, *ancestors(node))
    return around[-2] if len(around) > 1 else node
