"""A function of which nothing is left, as one that only wraps the model, goes with what calls it."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...limits.parents import parent_of, parent_type
from ...text.syntax import arguments_of, call_of, enclosing, field, parts_of, text_of
from ..change import Change
from ..operations import Operation, OperationKind
from ..program import Place, callee_name
from .job import Job
from .places import statement_around

_BASES = frozenset({"object", "torch.nn.Module"})
_ALL_NAMES = frozenset({"globals", "locals", "eval", "exec"})
_NO_CODE = frozenset({"pass_statement", "comment"})


def without_emptied_functions(job: Job, changes: list[Change]) -> list[Change]:
    """The changes, in which a function of the entry script goes as a whole with what they empty.

    Only where all that names it is statements that call it: nothing else needs it then.
    """
    removed = [
        item
        for item in changes
        if item.place.file is job.program.entry
        and [operation.kind for operation in item.operations] == [OperationKind.REMOVE]
    ]
    gone: dict[int, tuple[Operation, ...]] = {}
    for change in removed:
        function = enclosing(change.place.node, "function_definition")
        if function is not None and _is_emptied(function, removed, changes):
            calls = _statements_that_call(job, function)
            if calls is not None and not any(_has_change(changes, change, node) for node in calls):
                gone[id(change)] = tuple(map(_removal, (function, *calls)))
    return [item._replace(operations=gone.get(id(item), item.operations)) for item in changes]


def _removal(statement: Node) -> Operation:
    return Operation.at(OperationKind.REMOVE, statement)


def _is_emptied(function: Node, removed: list[Change], changes: list[Change]) -> bool:
    """Whether one statement is all that a function does, and nothing comes in its place."""
    body = field(function, "body")
    code = [node for node in parts_of(body) if node.type not in _NO_CODE] if body is not None else []
    if code and code[0].type == "expression_statement" and code[0].named_children[0].type == "string":
        code = code[1:]
    gone = {operation.start for change in removed for operation in change.operations}
    return len(code) == 1 and code[0].start_byte in gone and _operations_in(changes, function) == 1


def _operations_in(changes: list[Change], node: Node) -> int:
    return sum(
        node.start_byte <= operation.start < node.end_byte
        for change in changes
        for operation in change.operations
    )


def _has_change(changes: list[Change], own: Change, node: Node) -> bool:
    return _operations_in([item for item in changes if item is not own], node) > 0


def _statements_that_call(job: Job, function: Node) -> list[Node] | None:
    """The statements that call a function and do nothing else; None where anything else may need it."""
    place, word = Place(job.program.entry, function), text_of(field(function, "name"))
    found = list(_called_in(job, place, word))
    mentions = sum(len(file.occurrences(word)) for file in job.program.files)
    is_all = bool(found) and mentions == len(found) + 1
    return found if is_all and not _may_be_called_by_others(job, place) else None


def _may_be_called_by_others(job: Job, function: Place) -> bool:
    """Whether a decorator, another's base class or a name that is put together may lead to a function."""
    owner = parent_of(parent_of(function.node))
    is_method = owner is not None and owner.type == "class_definition"
    bases = field(owner, "superclasses") if is_method else None
    return (
        parent_type(function.node) == "decorated_definition"
        or any(function.file.names.name_of(base) not in _BASES for base in (parts_of(bases) if bases else ()))
        or any(map(_looks_up_a_name, job.program.places("call")))
    )


def _looks_up_a_name(call: Place) -> bool:
    """``getattr(self, "on_" + name)``, ``globals()[name]``: what it comes to is not known."""
    name = callee_name(call)
    if name != "getattr":
        return name in _ALL_NAMES
    owner, word = arguments_of(call.node).at(0), arguments_of(call.node).at(1)
    found = call.file.names.qualified_name(owner.value) if owner is not None else None
    is_of_module = found is not None and found.binding is not None
    return not is_of_module and (word is None or not _is_literal(word.value))


def _is_literal(node: Node) -> bool:
    return node.type == "string" and all(child.type != "interpolation" for child in node.named_children)


def _called_in(job: Job, function: Place, word: str) -> Iterator[Node]:
    for use in function.file.identifiers(word):
        callee = parent_of(use) if parent_type(use) == "attribute" else use
        call = call_of(callee) if callee != field(function.node, "name") else None
        statement = statement_around(use)
        if call is None or statement.named_children[:1] != [call]:
            continue
        arguments = field(call, "arguments")
        is_plain = arguments is not None and not arguments.named_children
        called = job.program.callee(Place(function.file, call))
        if statement.type == "expression_statement" and is_plain and called == function:
            yield statement
