"""What may be left to one process: calls that compute nothing together with the others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from tree_sitter import Node

from ....data import load_json
from ....limits.below import nodes_below
from ....limits.walks import PROGRAM_WALK_LIMITS
from ....text.syntax import arguments_of, field, last_name, text_of
from ...program import Place, callee_name
from ..job import Job
from ..places import may_hoist
from .opening import opens_for_writing

_LAZY = frozenset({"map", "filter", "open"})
_CHANGED = re.compile(r"state_dict|/|load\(")
"""What other steps of the rule may change, or wait for, where it is."""
_PURE = re.compile(r"torch\.(?:nn\.functional\.|linalg\.)?(\w+)")
"""Where the functions of tensors are that the table names; others may draw random numbers or change one."""
_RANDOM = ("np.random.", "numpy.random.")
_BINDS = frozenset({"named_expression", "yield", "await"})
KEEPS = _BINDS | {
    "global_statement",
    "nonlocal_statement",
    "augmented_assignment",
    "with_statement",
    "raise_statement",
}
"""What a function does not do that only gives a text or a number, as one that gives the path of a file."""


@lru_cache(maxsize=1)
def table() -> dict[str, frozenset[str]]:
    """The names that this and the guards go by."""
    return {key: frozenset(names) for key, names in load_json("main_process").items()}


def computes_nothing(job: Job, call: Place) -> bool:
    """Whether the arguments of a call may be left to one process."""
    return not binds(call.node) and all(
        is_harmless(job, Place(call.file, inner)) for inner in inner_calls(call.node)
    )


def computing_calls(job: Job, call: Place) -> list[Node] | None:
    """The calls in arguments that compute together with the others; None where one cannot be kept apart."""
    arguments = field(call.node, "arguments")
    pending, found = list(arguments.named_children) if arguments is not None else [], list[Node]()
    for node in pending:
        if node.type == "call" and not is_harmless(job, Place(call.file, node)):
            found.append(node)
        else:
            pending += node.named_children
    is_kept_apart = not binds(call.node) and not any(
        not may_hoist(node) or last_name(node) in _LAZY or _CHANGED.search(text_of(node)) for node in found
    )
    return found if found and is_kept_apart else None


def inner_calls(node: Node) -> Iterator[Node]:
    """The calls below a node."""
    return (child for child in nodes_below(node) if child.type == "call")


def is_harmless(job: Job, call: Place, depth: int = 0) -> bool:
    """Whether a call may be left to one process: it computes nothing together with the others."""
    node = call.node
    if last_name(node) == "map" and not _maps_plainly(node):
        return False
    if text_of(node).startswith(_RANDOM) or arguments_of(node).keyword("out") is not None:
        return False
    if last_name(node) in table()["harmless"] or text_of(node).startswith(("os.path.", "np.", "numpy.")):
        return True
    function = _PURE.fullmatch(callee_name(call))
    if function is not None and function[1] in table()["functions_of_tensors"]:
        return True
    if opens_for_writing(call):
        return True
    owner = job.program.callee(call)
    if owner is None or owner.node.type != "function_definition" or depth > PROGRAM_WALK_LIMITS.callers:
        return False
    return not binds(owner.node, KEEPS) and all(
        is_harmless(job, Place(owner.file, inner), depth + 1) for inner in inner_calls(owner.node)
    )


def _maps_plainly(call: Node) -> bool:
    first = arguments_of(call).at(0)
    return first is not None and text_of(first.value).rpartition(".")[2] in table()["harmless"]


def binds(node: Node, kinds: frozenset[str] = _BINDS) -> bool:
    """Whether what one process computes would be missing in the others, or would stop a generator."""
    return any(child.type in kinds for child in nodes_below(node))
