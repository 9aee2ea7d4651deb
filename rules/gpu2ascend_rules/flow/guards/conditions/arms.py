"""The arms of a choice, and what runs before, after and instead of them."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ....limits.below import nodes_below, nodes_through
from ....limits.parents import parent_of
from ....limits.walks import NAME_LIMITS
from ....text.guards import clauses_of_failure, gives_up, goes_on_after_failure
from ....text.source_file import SourceFile
from ....text.syntax import ancestors, field, is_field, last_name, leaves_block, parts_of, same, text_of
from ...subject import SAYS
from .opened import CLAUSES

_OWNERS = frozenset({"function_definition", "class_definition", "lambda"})
_BLOCKS = frozenset({"block", "module"})
_LOOPS = frozenset({"for_statement", "while_statement"})
_FEW_STATEMENTS = 4
"""Of a ``try`` that is about what one of them calls."""


def is_tried(body: Node, statement: Node) -> bool:
    """Whether a ``try`` is about what its body calls, and the program goes on without it: it returns the
    result, or does little with it, once, and no handler raises."""
    if parts_of(body)[-1].type == "return_statement":
        return goes_on_after_failure(statement)
    owner = next((node for node in ancestors(statement) if node.type in _OWNERS | _LOOPS), None)
    is_once = owner is not None and owner.type == "function_definition"
    is_short = is_once and len(parts_of(body)) <= _FEW_STATEMENTS
    return is_short and goes_on_after_failure(statement) and not any(map(_raises, statement.children))


_ENDINGS = SAYS | {"cleanup", "close", "destroy_process_group", "finish", "flush", "save", "success", "time"}
"""Functions and methods that a program calls when its work is done or has failed."""


def fails_program(statement: Node, source: SourceFile) -> bool:
    """Whether a ``try`` is around a whole program, as around all of ``main()``, and its handler does not do
    the same in another way: what fails in it has no other one, also if the handler writes it down."""
    body, handlers = field(statement, "body"), clauses_of_failure(statement)
    if body is None or not handlers or not _taken(handlers[0]).isdisjoint(_taken(body)):
        return False
    return _ends_program(statement, source)


def _taken(part: Node) -> set[str]:
    """The names of values and functions below a node, but in what it only says or puts away."""
    named = (node for node in _working(part) if node.type == "identifier" and not is_field(node, "object"))
    return set(map(text_of, named))


def _working(part: Node) -> list[Node]:
    """The nodes below a node, but calls that only end something, or say or keep what became of it."""
    return [node for node in nodes_through(part, _works) if _works(node)]


def _works(node: Node) -> bool:
    return node.type != "call" or last_name(node) not in _ENDINGS


def _ends_program(statement: Node, source: SourceFile, depth: int = NAME_LIMITS.callers) -> bool:
    """Whether nothing but an ending comes after a statement, up to where the module is run."""
    after = (node for one in statements_after(statement) for node in _working(one))
    if any(node.type == "call" for node in after):
        return False
    outer = next((node for node in ancestors(statement) if node.type in _OWNERS | _LOOPS), None)
    if outer is None or outer.type != "function_definition" or not depth:
        return outer is None
    uses = list(_uses_of(outer, source))
    return bool(uses) and all(_ends_program(use, source, depth - 1) for use in uses)


def _uses_of(owner: Node, source: SourceFile) -> Iterator[Node]:
    """Where a file names one of its functions, or of a method any attribute of its name."""
    name, scope = field(owner, "name"), source.names.scope_of(owner)
    if name is not None and scope.type == "class_definition":
        yield from (use for use in source.identifiers(text_of(name)) if is_field(use, "attribute"))
    elif name is not None:
        yield from source.names.readers(text_of(name), scope)


def _raises(clause: Node) -> bool:
    inside = nodes_below(clause) if clause.type == "except_clause" else ()
    return any(node.type == "raise_statement" for node in inside)


def gives_up_in(statements: list[Node]) -> bool:
    """Whether statements do nothing but raise."""
    return statements[0].type == "raise_statement"


def conditions_before(clause: Node, choice: Node) -> Iterator[Node]:
    """The conditions that are not true where a clause of an ``if`` runs, but for the first."""
    for item in choice.children:
        condition = field(item, "condition") if item.type == "elif_clause" else None
        if condition is not None and item.start_byte < clause.start_byte:
            yield condition


def other_arms(arm: Node, choice: Node) -> list[Node]:
    """The clauses of an ``if`` but for one; where that is a clause, its first arm by the whole statement."""
    others = [child for child in choice.children if child.type in CLAUSES and not same(child, arm)]
    if choice.type == "elif_clause":
        return others + _later_clauses(choice)
    return [*others, choice] if arm.type in CLAUSES else others


def _later_clauses(clause: Node) -> list[Node]:
    choice = parent_of(clause)
    siblings = choice.children if choice is not None else []
    return [item for item in siblings if item.type in CLAUSES and item.start_byte > clause.start_byte]


def is_only_way(arm: Node, choice: Node) -> bool:
    """Whether every other arm of an ``if`` ends in an error: ``if arch == 'net': ... else: raise``."""
    whole = parent_of(choice) if choice.type == "elif_clause" else choice
    if whole is None:
        return False
    items = [whole, *(child for child in whole.children if child.type in CLAUSES)]
    others = [block for item in items if not same(item, arm) for block in _block_of(item, arm)]
    if not all(map(gives_up, others)):
        return False
    if items[-1].type == "else_clause":
        return bool(others)
    following = list(statements_after(whole)) if leaves_block(arm) else []
    return bool(following) and gives_up_in(following)


def _block_of(item: Node, arm: Node) -> Iterator[Node]:
    """The block of an ``if`` or of one of its clauses, unless that is the arm."""
    block = field(item, "consequence") or field(item, "body")
    if block is not None and not same(block, arm):
        yield block


def statements_after(choice: Node) -> Iterator[Node]:
    """What runs after a choice in its function, block by block."""
    node: Node | None = choice
    while node is not None and node.type not in _OWNERS:
        block = parent_of(node)
        if block is not None and block.type in _BLOCKS:
            found = [child for child in parts_of(block) if child.start_byte > node.start_byte]
            yield from found
            if found and found[-1].type in ("return_statement", "raise_statement"):
                return
        node = block


def bound_in(arm: Node) -> Iterator[Node]:
    """The variables that the statements of a block give values, or import."""
    for statement in parts_of(arm):
        inner = statement.named_children[0] if statement.type == "expression_statement" else statement
        target = field(inner, "left") if inner.type == "assignment" else None
        if target is not None and target.type == "identifier":
            yield target
        elif inner.type in ("import_statement", "import_from_statement"):
            for name in inner.children_by_field_name("name"):
                alias = field(name, "alias")
                yield alias or (name.named_children[0] if name.type == "dotted_name" else name)
