"""Which optimizers a file makes, and the modules whose parameters they have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from gpu2ascend_rules.flow.names.parameters import parameters_of
from gpu2ascend_rules.limits.below import nodes_in, nodes_of
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.text.syntax import (
    arguments_of,
    called_on,
    enclosing,
    field,
    is_field,
    last_name,
    parts_of,
    same,
    text_of,
    value_given,
)
from gpu2ascend_rules.text.uses import assigned_value

from ..evidence import Evidence
from .identities import identity

_OPTIMIZERS = "torch.optim."


def trained_by(evidence: Evidence, optimizer: Node, statements: Sequence[Node] = ()) -> str | None:
    """The text of the module whose parameters an optimizer has, as statements call it.

    None where the file does not show it.
    """
    owner = owner_trained_by(evidence, optimizer)
    if owner is None:
        return None
    whole = identity(evidence, owner)
    functions = (
        field(one, "function")
        for statement in statements
        for one in nodes_in(statement)
        if one.type == "call" and whole
    )
    called = (one for one in functions if one is not None and one.type in ("identifier", "attribute"))
    return next((text_of(one) for one in called if identity(evidence, one) == whole), text_of(owner))


def owner_trained_by(evidence: Evidence, optimizer: Node) -> Node | None:
    """The module whose parameters an optimizer has, as it is named there; None where it is not shown."""
    owners = owners_trained_by(evidence, optimizer)
    return owners[0] if len(owners) == 1 else None


def owners_trained_by(evidence: Evidence, optimizer: Node) -> list[Node]:
    """The modules all of whose parameters an optimizer has; none where they are not shown."""
    found = {
        tuple(map(text_of, owners)): owners
        for call in made_by(evidence, optimizer)
        if (owners := _owners_seen_from(evidence, optimizer, call))
    }
    return next(iter(found.values())) if len(found) == 1 else []


def _owners_seen_from(evidence: Evidence, optimizer: Node, call: Node) -> list[Node]:
    """The modules of a call of an optimizer's class, as they are named where the optimizer is used.

    ``self`` of another class is the module whose method makes it.
    """
    owners = _owners_of_parameters(evidence, call)
    is_elsewhere = not same(*(enclosing(one, "class_definition") for one in (call, optimizer)))
    if not is_elsewhere or [text_of(one) for one in owners] != ["self"]:
        return owners
    makers = _makers(evidence, optimizer)
    return [*makers[:1]] if len(set(map(text_of, makers))) == 1 else []


def all_trained_by(evidence: Evidence, optimizer: Node) -> list[str]:
    """The texts of the modules whose parameters an optimizer has; none where the file does not show them."""
    owner = trained_by(evidence, optimizer) or root_of(evidence, optimizer)
    return [owner] if owner is not None else [*map(text_of, owners_trained_by(evidence, optimizer))]


def made_by(evidence: Evidence, optimizer: Node) -> tuple[Node, ...]:
    """The calls of optimizers' classes that a variable is given in its scope; else all that its name is.

    Those of a name are looked up once.
    """
    name = text_of(optimizer).rpartition(".")[2]
    is_variable = optimizer.type == "identifier"
    bindings = evidence.source.names.bindings_in_scope(name, optimizer) if is_variable else ()
    values = (assigned_value(one) for one in bindings)
    own = tuple(
        one for one in values if one is not None and one.type == "call" and is_optimizer(evidence, one)
    )
    return own or evidence.source.once((made_by, name), lambda: tuple(_all_made(evidence, name)))


def _all_made(evidence: Evidence, name: str) -> Iterator[Node]:
    """The calls of optimizers' classes that the file assigns to a name."""
    for identifier in evidence.source.identifiers(name):
        holder = parent_of(identifier)
        target = holder if holder is not None and holder.type == "attribute" else identifier
        value = value_given(target)
        if value is not None and value.type == "call" and is_optimizer(evidence, value):
            yield value


def is_optimizer(evidence: Evidence, call: Node) -> bool:
    """Whether a call makes an optimizer of torch."""
    function = field(call, "function")
    resolution = evidence.source.names.qualified_name(function) if function is not None else None
    return resolution is not None and resolution.qualified_name.startswith(_OPTIMIZERS)


def behind_optimizers(evidence: Evidence, statements: Sequence[Node]) -> list[Node]:
    """The statements behind the last one that makes an optimizer, which a function of the loss cannot do."""
    plain = ((at, one) for at, one in enumerate(statements) if one.type == "expression_statement")
    makes = (at for at, one in plain if any(is_optimizer(evidence, it) for it in nodes_of(one, "call")))
    return list(statements[max(makes, default=-1) + 1 :])


def root_of(evidence: Evidence, optimizer: Node) -> str | None:
    """The text of the module of which an optimizer has some of the parameters; None where it is not shown."""
    found: set[str] = set()
    for call in made_by(evidence, optimizer):
        first = arguments_of(call).get("params", 0)
        owners = _owners_in(evidence, first.value) if first is not None else ()
        found |= {_first_module(text_of(one)) for one in owners}
    if not found:
        found = {text_of(one) for one in _makers(evidence, optimizer) if _is_seen(evidence, one, optimizer)}
    return found.pop() if len(found) == 1 and "self" not in found else None


def _owners_in(evidence: Evidence, value: Node) -> Iterator[Node]:
    """The modules of which a value has parameters, also by a function of the file that groups them."""
    for node in nodes_in(value):
        owner = _owner(node)
        if owner is not None:
            yield owner
        function = _function_called(evidence, node) if node.type == "call" else None
        names = [name for name, _ in parameters_of(function)] if function is not None else []
        read = {text_of(one) for part in nodes_in(function) if (one := _owner(part))} if function else set()
        for position, name in enumerate(names):
            given = arguments_of(node).get(text_of(name), position) if text_of(name) in read else None
            if given is not None:
                yield given.value


def _function_called(evidence: Evidence, call: Node) -> Node | None:
    """The function of the file that a call calls by its name."""
    function = field(call, "function")
    if function is None or function.type != "identifier":
        return None
    bindings = evidence.source.names.bindings_in_scope(text_of(function), function)
    found = bindings[0].statement if len(bindings) == 1 else None
    return found if found is not None and found.type == "function_definition" else None


def _first_module(owner: str) -> str:
    """``net`` of ``net.body.layers`` and ``net[0]``, ``self.net`` of ``self.net.body``."""
    first, *more = re.split(r"\.|(?=\[)", owner)
    return f"self.{more[0]}" if first == "self" and len(more) > 1 else first


def _makers(evidence: Evidence, optimizer: Node) -> tuple[Node, ...]:
    name = text_of(optimizer).rpartition(".")[2]
    return evidence.source.once((_makers_of, name), lambda: tuple(_makers_of(evidence, name)))


def _is_seen(evidence: Evidence, name: Node, place: Node) -> bool:
    """Whether a variable is called the same at another place: not where another function has it."""
    bound = evidence.source.names.bindings_in_scope
    return bound(text_of(name), name) == bound(text_of(name), place)


def _makers_of(evidence: Evidence, name: str) -> Iterator[Node]:
    """What an optimizer is made by a method of: ``optimizer = model.configure_optimizers(config)``.

    It may be one of several that the method gives.
    """
    for identifier in evidence.source.identifiers(name):
        holder = parent_of(identifier)
        target = holder if holder is not None and holder.type == "attribute" else identifier
        outer = parent_of(target)
        value = value_given(outer if outer is not None and outer.type == "pattern_list" else target)
        owner = called_on(value)
        if value is None or owner is None or owner.type != "identifier":
            continue
        if _returns_optimizer(evidence, last_name(value)):
            yield owner


def _returns_optimizer(evidence: Evidence, method: str) -> bool:
    """Whether the file defines a method of a name, in which an optimizer of the module's own is made."""
    for identifier in evidence.source.identifiers(method):
        function = parent_of(identifier)
        if function is None or function.type != "function_definition" or not is_field(identifier, "name"):
            continue
        if enclosing(function, "class_definition") is None:
            return False
        return any(node.type == "call" and is_optimizer(evidence, node) for node in nodes_in(function))
    return False


def _owner(call: Node) -> Node | None:
    """The module of ``module.parameters()``."""
    if call.type != "call" or last_name(call) not in ("parameters", "named_parameters"):
        return None
    function = field(call, "function")
    return field(function, "object")


def _owners_of_parameters(evidence: Evidence, call: Node) -> list[Node]:
    """The modules all of whose parameters that are trained a call of an optimizer's class is given."""
    first = arguments_of(call).get("params", 0)
    if first is None:
        return []
    groups = [owners_of_all(evidence, one) for one in _groups(given_value(evidence, first.value))]
    return [owner for owners in groups for owner in owners] if all(groups) else []


def _groups(value: Node) -> list[Node]:
    """The parameters of each group that an optimizer is given; the value itself where it has no groups."""
    parts = parts_of(value) if value.type in ("list", "tuple") else []
    if {one.type for one in parts} != {"dictionary"}:
        return [value]
    given = [_params_of(one) for one in parts]
    return [one for one in given if one is not None] if None not in given else []


def owners_of_all(evidence: Evidence, value: Node) -> list[Node]:
    """The modules of which a value is all parameters: one, or several whose parameters it joins."""
    one = owner_of_all(evidence, value)
    if one is not None:
        return [one]
    several = [owners_of_all(evidence, part) for part in _joined(given_value(evidence, value))]
    return [owner for owners in several for owner in owners] if all(several) else []


def given_value(evidence: Evidence, value: Node) -> Node:
    """The only value of a variable; anything else is its own."""
    is_name = value.type == "identifier"
    bindings = evidence.source.names.bindings_in_scope(text_of(value), value) if is_name else ()
    only = bindings[0].value if len(bindings) == 1 else None
    return only if only is not None and only.type != "identifier" else value


def _joined(value: Node) -> Sequence[Node]:
    """What a value joins: ``chain(a, b)``, ``list(a) + list(b)``, ``[*a, *b]``."""
    if value.type == "call" and last_name(value) == "chain":
        given = arguments_of(value)
        return [] if given.unpacked else [one.value for one in given.items]
    if value.type == "binary_operator" and text_of(field(value, "operator")) == "+":
        return value.named_children
    is_display = value.type in ("list", "tuple")
    parts = parts_of(value) if is_display else []
    return [one.named_children[0] for one in parts] if {one.type for one in parts} == {"list_splat"} else []


def _params_of(group: Node) -> Node | None:
    """The parameters of a group of an optimizer: ``{"params": net.parameters(), "lr": 0.1}``."""
    pairs = [one for one in parts_of(group) if text_of(field(one, "key")).strip("'\"") == "params"]
    return field(pairs[0], "value") if len(pairs) == 1 else None


def _filtered(comprehension: Node) -> Node | None:
    """What a comprehension takes all elements of that are trained: ``[p for p in ps if p.requires_grad]``."""
    body = comprehension.named_children[0]
    clauses = [one for one in comprehension.named_children if one.type == "for_in_clause"]
    tests = [one for one in comprehension.named_children if one.type == "if_clause"]
    target = field(clauses[0], "left")
    is_plain = len(clauses) == 1 and target is not None and text_of(body) == text_of(target)
    asked = all(text_of(one).strip() == f"if {text_of(body)}.requires_grad" for one in tests)
    return field(clauses[0], "right") if is_plain and asked else None


def owner_of_all(evidence: Evidence, value: Node) -> Node | None:
    """The module of which a value is all parameters that are trained."""
    value = given_value(evidence, value)
    if value.type == "call" and last_name(value) in ("list", "filter", "tuple"):
        given = arguments_of(value).items
        is_all = last_name(value) != "filter" or (bool(given) and _asks_for_trained(given[0].value))
        return owner_of_all(evidence, given[-1].value) if given and is_all else None
    if value.type in ("list_comprehension", "generator_expression"):
        over = _filtered(value)
        return owner_of_all(evidence, over) if over is not None else None
    return _owner(value) if last_name_of(value) == "parameters" else None


def last_name_of(value: Node) -> str:
    """The last name of what a call calls; empty for anything else."""
    return last_name(value) if value.type == "call" else ""


def _asks_for_trained(test: Node) -> bool:
    """``lambda p: p.requires_grad``"""
    body = field(test, "body") if test.type == "lambda" else None
    return body is not None and text_of(body).endswith(".requires_grad")


def optimizers_made(evidence: Evidence) -> int:
    """How many optimizers the file makes."""
    return sum(
        one.type == "call" and is_optimizer(evidence, one) and "lr_scheduler" not in text_of(one)
        for one in nodes_in(evidence.source.root)
    )
