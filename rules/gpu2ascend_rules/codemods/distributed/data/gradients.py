"""Whether what an expression computes is trained: it flows into what ``backward`` is called of."""

from __future__ import annotations

import re

from tree_sitter import Node

from ....text.source_file import SourceFile
from ....text.syntax import ancestors, arguments_of, called_on, enclosing, field, last_name, text_of
from ..places import below

_NAME = re.compile(
    r"(?<![.\w])(?:([^\W\d]\w*(?:\.[^\W\d]\w*)*)\.[^\W\d]\w*\s*\(|([^\W\d]\w*(?:\.[^\W\d]\w*)*))"
)
_CUT = (".detach(", ".item(")
_ROUNDS = 20
_BACKWARD = ("backward", "manual_backward")


def is_trained(file: SourceFile, call: Node) -> bool:
    """Whether the value of a call is a part of a loss, within the function that the call is in."""
    function = enclosing(call, "function_definition") or file.root
    losses = [node for node in below(function) if node.type == "call" and _is_backward(node)]
    if not losses:
        return _is_returned(call)
    if any(loss.start_byte <= call.start_byte < loss.end_byte for loss in losses):
        return True
    wanted, assignments = _flow(function, losses)
    return any(_gives(node, call) and wanted & set(_targets(node)) for node in assignments)


def loss_values(file: SourceFile, loss: Node, since: int = -1) -> list[Node]:
    """The expressions that a loss is made of within its function, itself first.

    What is given to a name after an offset takes the place of what it was given before.
    """
    function = enclosing(loss, "function_definition") or file.root
    wanted, assignments = _flow(function, [loss], since)
    given = (field(node, "right") for node in assignments if wanted & set(_targets(node)))
    filled = (
        item.value
        for node in below(function)
        if node.type == "call" and last_name(node) == "append" and wanted & set(_names(node))
        for item in arguments_of(node).items
    )
    return [loss, *(node for node in given if node is not None), *filled]


def _flow(function: Node, losses: list[Node], since: int = -1) -> tuple[set[str], list[Node]]:
    """The names that some losses are made of, and the assignments of their function."""
    wanted = {name for loss in losses for name in _names(loss)}
    assignments = _in_force(function, losses[0], since)
    for _ in range(_ROUNDS):
        found = {
            name
            for node in assignments
            if wanted & set(_targets(node)) and not _is_update_of_itself(node)
            for name in _names(field(node, "right"))
        }
        if found <= wanted:
            break
        wanted |= found
    return wanted, assignments


def _in_force(function: Node, loss: Node, since: int) -> list[Node]:
    """The assignments of a function without those that others after an offset replace before a loss."""
    every = [node for node in below(function) if node.type in ("assignment", "augmented_assignment")]
    later = [item for item in every if since < item.start_byte < loss.start_byte] * (since >= 0)
    renewed = {name for item in later if item.type == "assignment" for name in _targets(item)}
    return [one for one in every if one.start_byte > since or not renewed & set(_targets(one))]


def _gives(assignment: Node, call: Node) -> bool:
    """Whether a call is in the value of an assignment, and more than what gives the model itself."""
    right = field(assignment, "right")
    if right is None or not right.start_byte <= call.start_byte < right.end_byte:
        return False
    receiver = called_on(call)
    return receiver is None or text_of(receiver) not in _targets(assignment)


def _is_update_of_itself(assignment: Node) -> bool:
    """``model = model.to(device)``."""
    right = field(assignment, "right")
    return right is not None and any(text_of(right).startswith(f"{name}.") for name in _targets(assignment))


def _is_returned(call: Node) -> bool:
    """Whether a function without ``backward`` hands its value on: to one that has it, perhaps."""
    function = enclosing(call, "function_definition")
    statement = next((item for item in ancestors(call) if item.type.endswith("_statement")), None)
    name = field(function, "name")
    is_step = name is not None and any(word in text_of(name) for word in ("loss", "step", "forward"))
    return is_step and statement is not None and statement.type == "return_statement"


def _is_backward(call: Node) -> bool:
    return text_of(field(field(call, "function"), "attribute")) in _BACKWARD


def _targets(assignment: Node) -> list[str]:
    left = field(assignment, "left")
    return _names(left)


def _names(node: Node | None) -> list[str]:
    """The names in an expression; of a method that is called, what it is called of."""
    found = _NAME.finditer(text_of(node)) if node is not None else ()
    return [match[1] or match[2] for match in found if not match[0].endswith(_CUT)]
