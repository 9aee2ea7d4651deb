"""Statements that set the flags of whole models: ``p.requires_grad = False``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node

from gpu2ascend_rules.flow.names.parameters import parameters_of
from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_of, parent_type
from gpu2ascend_rules.text.syntax import (
    ancestors,
    arguments_of,
    call_of,
    enclosing,
    field,
    last_name,
    parts_of,
    same,
    text_of,
)

from ...evidence import Evidence
from .calls import is_within, statements_of

_FLAGS = ("requires_grad", "requires_grad_")
_OF_PARAMETERS = ("parameters", "named_parameters")
_HARMLESS = frozenset({"isinstance", "list", "hasattr", *_OF_PARAMETERS, _FLAGS[1]})
"""What a function may call that does nothing but set flags."""


class Toggle(NamedTuple):
    """A statement that sets the flags of whole models."""

    statement: Node
    models: tuple[Node, ...]
    is_on: bool


def flags_set(evidence: Evidence) -> tuple[list[Node], list[Node], list[Toggle]]:
    """The names of flags, the functions that do nothing but set some, and the statements that set them."""
    flags = [one for name in _FLAGS for one in evidence.source.identifiers(name)]
    functions = [*{one.id: one for flag in flags if (one := _function_around(flag)) is not None}.values()]
    toggles = [one for function in functions for one in _calls(evidence, function)]
    return flags, functions, [*toggles, *_direct(flags, functions)]


def sets_flags(evidence: Evidence, statement: Node) -> bool:
    """Whether a statement sets the flags of whole models."""
    return any(same(one.statement, statement) for one in flags_set(evidence)[-1])


def _direct(flags: Sequence[Node], functions: Sequence[Node]) -> Iterator[Toggle]:
    """The loops, and the calls of modules, that set flags where they stand."""
    done: set[int] = set()
    for flag in flags:
        statement = next((one for one in ancestors(flag) if one.type == "expression_statement"), None)
        while statement is not None and _is_only_of_loop(statement):
            statement = parent_of(parent_of(statement))
        if statement is None or statement.id in done or is_within(flag, functions):
            continue
        done.add(statement.id)
        found = _set_by(statement)
        if found is not None:
            yield Toggle(statement, *found)


def _is_only_of_loop(statement: Node) -> bool:
    """Whether a statement is all that a loop does."""
    block = parent_of(statement)
    is_in_loop = block is not None and parent_type(block) == "for_statement"
    return is_in_loop and len(statements_of(block)) == 1


def _set_by(statement: Node) -> tuple[tuple[Node, ...], bool] | None:
    """The models whose flags a statement sets, and to what."""
    if statement.type != "for_statement":
        value, owner = _set_to(statement)
        return ((owner,), value == "True") if owner is not None and value in ("True", "False") else None
    target, over = field(statement, "left"), field(statement, "right")
    body = statements_of(field(statement, "body"))
    if target is None or over is None or len(body) != 1:
        return None
    inner = body[0]
    return (
        _set_in_each(target, over, inner) if inner.type == "for_statement" else _set_in(target, over, inner)
    )


def _set_in(target: Node, over: Node, inner: Node) -> tuple[tuple[Node, ...], bool] | None:
    """The same of a loop over the parameters of modules."""
    value, owner = _set_to(inner)
    names = [text_of(one) for one in nodes_in(target) if one.type == "identifier"]
    models = (*_models_over(over),)
    is_known = owner is not None and text_of(owner) in names and value in ("True", "False")
    return (models, value == "True") if is_known and models else None


def _set_in_each(target: Node, over: Node, inner: Node) -> tuple[tuple[Node, ...], bool] | None:
    """The same of a loop over modules, with one over the parameters of each: ``for net in (a, b)``."""
    found = _set_by(inner)
    models = parts_of(over) if over.type in ("list", "tuple") else []
    is_each = found is not None and [text_of(one) for one in found[0]] == [text_of(target)]
    return ((*models,), found[1]) if found is not None and is_each and models else None


def _set_to(statement: Node) -> tuple[str, Node | None]:
    """What a statement sets the flag of what to: ``p.requires_grad = True``, ``p.requires_grad_(False)``."""
    inner = statement.named_children[0] if statement.type == "expression_statement" else None
    if inner is None or inner.type not in ("assignment", "call"):
        return "", None
    is_call = inner.type == "call"
    target = field(inner, "function" if is_call else "left")
    if target is None or target.type != "attribute" or text_of(field(target, "attribute")) not in _FLAGS:
        return "", None
    first = arguments_of(inner).get(_FLAGS[0], 0) if is_call else None
    value = first.value if first is not None else field(inner, "right")
    return text_of(value) if value is not None else "True", field(target, "object")


def _models_over(over: Node) -> Iterator[Node]:
    """The modules whose parameters a loop goes over; none where it is anything else."""
    if over.type != "call":
        return
    owner = field(field(over, "function"), "object")
    if last_name(over) in _OF_PARAMETERS and owner is not None:
        yield owner
    elif last_name(over) in ("chain", "list"):
        given = [[*_models_over(one.value)] for one in arguments_of(over).items]
        yield from (one for some in given for one in some) if all(given) else ()


def _function_around(flag: Node) -> Node | None:
    """The function that does nothing but set flags to what it is given; None where it does more."""
    function = enclosing(flag, "function_definition")
    leaf = next((one for one in ancestors(flag) if one.type == "expression_statement"), None)
    value, _ = _set_to(leaf) if leaf is not None else ("", None)
    names = _names(function) if function is not None else []
    if function is None or value not in names or parent_type(function) == "decorated_definition":
        return None
    does_more = any(_does_more(one, names) for one in nodes_in(field(function, "body") or function))
    return None if does_more else function


def _names(function: Node) -> list[str]:
    """The parameters of a function or a method."""
    return [text_of(name) for name, _ in parameters_of(function) if text_of(name) != "self"]


def _does_more(node: Node, names: Sequence[str]) -> bool:
    """Whether a part of a function does anything but set flags, and variables of its own."""
    if node.type == "call":
        return last_name(node) not in _HARMLESS
    if node.type == "assignment":
        left = text_of(field(node, "left"))
        return left not in names and not left.endswith(f".{_FLAGS[0]}")
    return node.type in ("return_statement", "augmented_assignment", "with_statement", "yield")


def _calls(evidence: Evidence, function: Node) -> Iterator[Toggle]:
    """The statements that call such a function; not all of them where it is used in another way, too."""
    names, named = _names(function), field(function, "name")
    parameters = field(function, "parameters")
    default = field(parameters.named_children[-1], "value") if parameters is not None else None
    for use in evidence.source.identifiers(text_of(named)):
        holder = parent_of(use)
        call = call_of(holder) if holder is not None and holder.type == "attribute" else call_of(use)
        statement = parent_of(call)
        if call is None or statement is None or statement.type != "expression_statement" or len(names) != 2:
            continue
        model, flag = (arguments_of(call).get(name, at) for at, name in enumerate(names))
        value = text_of(flag.value if flag is not None else default)
        if model is not None and value in ("True", "False"):
            models = parts_of(model.value) if model.value.type in ("list", "tuple") else [model.value]
            yield Toggle(statement, tuple(models), value == "True")
