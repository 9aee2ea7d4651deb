"""Which variables statements assign, and who reads them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from tree_sitter import Node

from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.text.scopes import reaching
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import enclosing, field, same, start_of, text_of

_TARGETS = ("pattern_list", "tuple_pattern", "list_pattern")


def assigned_in(statements: Sequence[Node]) -> list[str]:
    """The variables that statements assign, in order, each once."""
    return list(dict.fromkeys(text_of(node) for one in statements for node in _targets(one)))


def attributes_assigned_in(statement: Node) -> list[str]:
    """The attributes of ``self`` that a statement assigns, as they are written."""
    found: dict[str, None] = {}
    for node in nodes_in(statement):
        target = field(node, "left") if node.type in ("assignment", "augmented_assignment") else None
        if target is not None:
            parts = [target, *(target.named_children if target.type in _TARGETS else ())]
            texts = (text_of(one) for one in parts if one.type == "attribute")
            found |= dict.fromkeys(text for text in texts if text.startswith("self."))
    return list(found)


def computing(before: Sequence[Node], wanted: set[str], given: Collection[str] = ()) -> list[Node]:
    """Those of some statements that compute some variables, and what these need, but for what is given."""
    chosen: list[Node] = []
    wanted = wanted - set(given)
    for statement in reversed(before):
        if {*assigned_in([statement]), *attributes_assigned_in(statement)} & wanted:
            chosen.insert(0, statement)
            wanted |= {text_of(node) for node in identifiers_in(statement)} - set(given)
    return chosen


def read_before_assigned(statements: Sequence[Node]) -> list[str]:
    """The variables that statements read before they assign them."""
    assigned: set[str] = set()
    found: dict[str, None] = {}
    every = set(assigned_in(statements))
    for part, given in (one for statement in statements for one in _in_order(statement)):
        targets = {node.start_byte for node in given}
        for node in sorted(identifiers_in(part), key=start_of):
            name = text_of(node)
            is_updated = node.start_byte in targets and _is_updated(node)
            if name in every and name not in assigned and (node.start_byte not in targets or is_updated):
                found[name] = None
        assigned |= {text_of(node) for node in given}
    return list(found)


def _in_order(statement: Node) -> Iterator[tuple[Node, list[Node]]]:
    """The parts of a statement as they are run, each with the variables that it assigns."""
    if statement.type == "for_statement":
        target, over, body = (field(statement, name) for name in ("left", "right", "body"))
        if over is not None and target is not None:
            yield over, []
            yield target, list(variables_of(target))
        yield from _in_order(body) if body is not None else ()
    elif statement.type in ("if_statement", "elif_clause", "else_clause", "with_statement", "block"):
        for child in statement.named_children:
            yield from _in_order(child)
    else:
        yield statement, list(_targets(statement))


def bound_before(source: SourceFile, name: str, statement: Node) -> bool:
    """Whether the function around a statement gives a variable a value before it."""
    scope = enclosing(statement, "function_definition", "module")
    found = source.names.bindings_in_scope(name, statement)
    return any(
        scope is not None and scope.start_byte <= one.node.start_byte < statement.start_byte for one in found
    )


def is_read_outside(name: str, statements: Sequence[Node], source: SourceFile) -> bool:
    """Whether what statements give a variable is read anywhere else in its function, or in the module."""
    start, end = statements[0].start_byte, statements[-1].end_byte
    scope = enclosing(statements[0], "function_definition", "module")
    if scope is None:
        return True
    is_filled = any(filled_by(node) is not None for one in statements for node in nodes_in(one))
    for read in source.once((is_read_outside, scope.id), lambda: _reads(scope)).get(name, ()):
        if start <= read.start_byte < end:
            continue
        bindings = source.names.bindings_in_scope(name, read)
        if is_filled or not bindings:
            return True
        if any(start <= one.node.start_byte < end for one in reaching(bindings, read)):
            return True
    return False


def is_needed_behind(name: str, statements: Sequence[Node], source: SourceFile) -> bool:
    """Whether what statements give a variable is read elsewhere, or by themselves in the next turn."""
    return is_read_outside(name, statements, source) or is_carried(name, statements)


def is_carried(name: str, statements: Sequence[Node]) -> bool:
    """Whether statements read in a turn of a loop what they gave a variable in the turn before."""
    loop = enclosing(statements[0], "for_statement", "while_statement", "function_definition", "module")
    body = field(loop, "body")
    if loop is None or body is None or not loop.type.endswith("_statement"):
        return False
    if name not in read_before_assigned(statements):
        return False
    target = field(loop, "left")
    given = {text_of(one) for one in variables_of(target)} if target is not None else set()
    before = [one for one in body.named_children if one.end_byte <= statements[0].start_byte]
    fresh = {text_of(node) for one in before if one.type == "expression_statement" for node in _targets(one)}
    return name not in given | fresh


def _reads(scope: Node) -> dict[str, list[Node]]:
    """Where each variable is read, without the calls of ``backward``."""
    found: dict[str, list[Node]] = {}
    for node in identifiers_in(scope):
        if not is_target(node) and not _is_backward(node):
            found.setdefault(text_of(node), []).append(node)
    return found


def filled_by(statement: Node) -> Node | None:
    """The variable of ``label.fill_(1)``, a statement that gives it another value in place."""
    call = statement.named_children[0] if statement.type == "expression_statement" else None
    function = field(call, "function") if call is not None and call.type == "call" else None
    owner = field(function, "object")
    name = field(function, "attribute")
    if owner is None or name is None or owner.type != "identifier":
        return None
    is_in_place = text_of(name).endswith("_") and not text_of(name).endswith("__")
    return owner if is_in_place and text_of(name) != "requires_grad_" else None


def _targets(statement: Node) -> Iterator[Node]:
    for node in nodes_in(statement):
        filled = filled_by(node)
        if filled is not None:
            yield filled
        if node.type in ("assignment", "augmented_assignment", "for_statement"):
            target = field(node, "left")
            if target is not None:
                yield from variables_of(target)


def variables_of(target: Node) -> Iterator[Node]:
    """The variables among the targets of an assignment."""
    yield from [target] if target.type == "identifier" else _members(target)


def _members(target: Node) -> Iterator[Node]:
    if target.type in _TARGETS:
        for child in target.named_children:
            yield from [child] if child.type == "identifier" else _members(child)


def _is_updated(node: Node) -> bool:
    parent = parent_of(node)
    return parent is not None and parent.type in ("augmented_assignment", "attribute")


def is_target(node: Node) -> bool:
    """Whether a variable is given a value there, by an assignment or a loop."""
    parent = parent_of(node)
    while parent is not None and parent.type in _TARGETS:
        node, parent = parent, parent_of(parent)
    if parent is None or parent.type not in ("assignment", "for_statement"):
        return False
    return same(field(parent, "left"), node)


_PARTS = frozenset({"binary_operator", "parenthesized_expression", "call", "argument_list", "attribute"})


def _is_backward(node: Node) -> bool:
    """Whether it is part of the expression whose gradients a call of ``backward`` takes."""
    parent = parent_of(node)
    while parent is not None and parent.type in _PARTS:
        name = field(parent, "attribute") if parent.type == "attribute" else None
        if name is not None and not same(name, node) and text_of(name) == "backward":
            return True
        node, parent = parent, parent_of(parent)
    return False


def identifiers_in(node: Node) -> Iterator[Node]:
    return (one for one in nodes_in(node) if one.type == "identifier" and not _is_attribute(one))


def _is_attribute(node: Node) -> bool:
    parent = parent_of(node)
    if parent is None:
        return False
    if parent.type == "attribute":
        return same(field(parent, "attribute"), node)
    return parent.type == "keyword_argument" and same(field(parent, "name"), node)
