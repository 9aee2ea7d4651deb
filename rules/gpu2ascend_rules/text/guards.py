"""Code that expects a name to be missing: imports that may fail, branches by version, tests of names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import takewhile

from tree_sitter import Node

from ..limits.checkpoints import checkpoint
from ..limits.parents import parent_of
from ..limits.walks import NAME_LIMITS
from .scopes import BindingKind
from .source_file import SourceFile
from .syntax import (
    OWN_SCOPES,
    ancestors,
    arguments_of,
    chain_of,
    field,
    last_name,
    leaves_block,
    operator_of,
    parts_of,
    same,
    text_of,
    without_parentheses,
)

_ASKS_FOR_VERSION = re.compile(r"hasattr|version|TORCH_|torch_(ge|gt|lt|le)|is_torch_\w*greater", re.I)
_VERSION = re.compile(r"version|TORCH_|torch_(ge|gt|lt|le)|is_torch_\w*greater|find_spec|PT_?\d", re.I)
_SWITCH = re.compile(r"fused|flash|sdpa|native|has_|use_|support|available|compil|script|export|enable", re.I)
_MISSING = frozenset({"AttributeError", "ImportError", "ModuleNotFoundError", "NameError"})
_ANY = frozenset({"Exception", "BaseException", "RuntimeError"})
_BLOCKS = frozenset({"block", "module"})
_ENDS = frozenset({"exit", "quit", "_exit", "abort"})
"""Functions that end the program: ``sys.exit``, ``os._exit``."""
_CHOICES = frozenset({"conditional_expression", "elif_clause", "if_statement", "while_statement"})
_FEW_STATEMENTS = 3
"""Statements below a ``try`` that catches anything, for it to be about the one name."""


def is_guarded(statement: Node) -> bool:
    """Whether a program goes on without an import: it is tried and its failure is handled, or it is made for
    type checkers only. A handler that raises, ends the program or imports the same package once more, from
    where another release has it, does not go on."""
    child = statement
    for parent in ancestors(statement):
        if parent.type == "try_statement" and handles_absence(parent) and not _is_retry(statement, child):
            return True
        if _is_branch_for_types(child, parent) or _suppressed_by(parent) & (_MISSING | _ANY):
            return True
        child = parent
    return False


def _is_retry(statement: Node, part: Node) -> bool:
    """Whether an import in a handler is of a package that the ``try`` imports as well, or of the same module
    by another path: ``from .kernels import f`` after ``from kernels import f``."""
    body = field(parent_of(part), "body") if part.type == "except_clause" else None
    tried = parts_of(body) if body is not None else []
    return any(_packages(item) & _packages(statement) or _is_same(item, statement) for item in tried)


def _is_same(statement: Node, other: Node) -> bool:
    """Whether two imports are of one module, by its place in the package and from the top of the path."""
    modules = [field(item, "module_name") for item in (statement, other)]
    relative = [module for module in modules if module is not None and module.type == "relative_import"]
    if None in modules or len(relative) != 1:
        return False
    ends = [f".{text_of(module).lstrip('.')}" for module in modules if module is not None]
    return any(len(end) > 1 and ends[not at].endswith(end) for at, end in enumerate(ends))


def _packages(statement: Node) -> frozenset[str]:
    """The packages that an import names; what ``from . import`` brings of the file's own package."""
    module = field(statement, "module_name")
    if module is not None and text_of(module).strip("."):
        is_relative = module.type == "relative_import"
        return frozenset() if is_relative else frozenset({text_of(module).partition(".")[0]})
    if not statement.type.startswith("import"):
        return frozenset()
    names = (field(item, "name") or item for item in statement.children_by_field_name("name"))
    return frozenset(text_of(name).partition(".")[0] for name in names)


def handles_absence(statement: Node) -> bool:
    """Whether a ``try`` goes on where an import in it fails."""
    clauses = [clause for clause in statement.children if clause.type == "except_clause"]
    return _goes_on(statement, _MISSING | _ANY, otherwise=clauses)


def goes_on_after_failure(statement: Node) -> bool:
    """Whether a ``try`` catches what a missing kernel raises, and does something else."""
    return _goes_on(statement, _MISSING | _ANY)


def _goes_on(statement: Node, errors: AbstractSet[str], otherwise: Sequence[Node] = ()) -> bool:
    """Whether the first clause of a ``try`` that catches one of some errors does something else."""
    catching = clauses_of_failure(statement, errors) or otherwise
    return bool(catching) and not gives_up(catching[0].named_children[-1])


def clauses_of_failure(statement: Node, errors: AbstractSet[str] = _MISSING | _ANY) -> list[Node]:
    """The clauses of a ``try`` that catch what a missing kernel raises, or one of other errors."""
    return [one for one in statement.children if not errors.isdisjoint(_caught_by(one))]


def is_failure_handled(place: Node, error: str) -> bool:
    """Whether a place is in a ``try`` that goes on where it raises an error, or below ``suppress``."""
    inner = place
    for parent in ancestors(place):
        if parent.type in OWN_SCOPES:
            return False
        if {error, *_ANY} & _suppressed_by(parent):
            return True
        is_tried = parent.type == "try_statement" and same(field(parent, "body"), inner)
        if is_tried and _goes_on(parent, {error, *_ANY}):
            return True
        inner = parent
    return False


def _suppressed_by(statement: Node) -> frozenset[str]:
    """The errors that do not leave a statement: ``with contextlib.suppress(KeyError):``."""
    names: list[str] = []
    for clause in statement.named_children if statement.type == "with_statement" else ():
        for item in clause.named_children if clause.type == "with_clause" else ():
            value = field(item, "value")
            if value is not None and value.type == "call" and last_name(value) == "suppress":
                names += re.findall(r"\w+", text_of(field(value, "arguments")))
    return frozenset(names)


def gives_up(block: Node) -> bool:
    """Whether a block ends in an error, or ends the program, whichever way a choice at its end takes."""
    statements = parts_of(block)
    last = statements[-1] if statements else None
    if last is None or last.type == "raise_statement":
        return last is not None
    if last.type == "if_statement":
        arms = [field(last, "consequence"), *(item.named_children[-1] for item in _clauses_of(last))]
        has_else = last.named_children[-1].type == "else_clause"
        return has_else and all(arm is not None and gives_up(arm) for arm in arms)
    if last.type == "assert_statement":
        return text_of(last.named_children[0]) in ("False", "0")
    called = last.named_children[0] if last.type == "expression_statement" else None
    return called is not None and called.type == "call" and last_name(called) in _ENDS


def _clauses_of(choice: Node) -> Iterator[Node]:
    return (child for child in choice.named_children if child.type in ("elif_clause", "else_clause"))


def is_for_types(statement: Node, source: SourceFile) -> bool:
    """Whether an import is below ``if TYPE_CHECKING:``, and is never made at run time."""
    if not source.has(b"TYPE_CHECKING"):
        return False
    known: dict[int, bool] = source.once(is_for_types, dict)
    passed: list[int] = []
    child, answer = statement, False
    while child.id not in known and (parent := parent_of(child)) is not None:
        checkpoint()
        passed.append(child.id)
        answer = _is_branch_for_types(child, parent)
        if answer:
            break
        child = parent
    answer = answer or known.get(child.id, False)
    known.update(dict.fromkeys(passed, answer))
    return answer


def _is_branch_for_types(child: Node, choice: Node) -> bool:
    condition = field(choice, "condition")
    asks = condition is not None and text_of(condition).rpartition(".")[2] == "TYPE_CHECKING"
    return asks and same(field(choice, "consequence"), child)


def other_imports(root: Node, imported: str, source: SourceFile) -> frozenset[str]:
    """What else the imports of a name may bring, one of which brings ``imported``: an older place of it."""
    bindings = source.names.bindings_in_scope(text_of(root), root)
    return frozenset(item.target for item in bindings if item.kind is BindingKind.IMPORT) - {imported}


def is_version_dependent(expression: Node) -> bool:
    """Whether an expression is in a choice that asks for a version, or whether a name exists."""
    conditions = (condition_in(parent) for parent in ancestors(expression) if parent.type in _CHOICES)
    return any(_ASKS_FOR_VERSION.search(text_of(item)) for item in conditions if item is not None)


def is_expected_missing(expression: Node, source: SourceFile) -> bool:
    """Whether a name is used only where its author has thought of its absence: below ``hasattr`` of it or a
    test of a version, also one kept in a variable or function, or left by an early return; or in a ``try``
    that catches its absence."""
    names = _names_in(expression)
    inner = expression
    for parent in ancestors(expression):
        if parent.type == "try_statement" and _catches_absence(parent, inner):
            return True
        if any(_answers(*known, names, source, NAME_LIMITS.conditions) for known in known_at(inner, parent)):
            return True
        inner = parent
    return False


def is_asked_for(expression: Node, source: SourceFile) -> bool:
    """Whether a name is used only where ``hasattr`` of it, or ``getattr`` with a default, has found it."""
    names = _names_in(expression)
    inner = expression
    for parent in ancestors(expression):
        if parent.type in OWN_SCOPES:
            return False
        if any(_finds(*known, names, source, NAME_LIMITS.conditions) for known in known_at(inner, parent)):
            return True
        inner = parent
    return False


def _finds(condition: Node, holds: bool, names: frozenset[str], source: SourceFile, depth: int) -> bool:
    """Whether a condition holds only where an object has one of the names."""
    node = without_parentheses(condition)
    if node.type == "not_operator":
        argument = field(node, "argument")
        return argument is not None and _finds(argument, not holds, names, source, depth)
    if node.type == "boolean_operator" and holds is (operator_of(node) == "and"):
        return any(_finds(part, holds, names, source, depth) for part in node.named_children)
    asked = _asked_for(node)
    if asked is not None:
        return holds and asked in names
    return depth > 0 and any(
        _finds(value, holds, names, source, depth - 1) for value in _behind(node, source)
    )


def has_other_way(expression: Node) -> bool:
    """Whether a name is used in one of two ways, of which a switch such as ``self.fused_attn`` chooses one.

    What the switch is set by, another file may say.
    """
    for parent in ancestors(expression):
        if parent.type == "function_definition":
            return False
        condition = condition_in(parent) if parent.type in _CHOICES else None
        has_two = parent.type == "if_statement" and (
            field(parent, "alternative") is not None or leaves_block(field(parent, "consequence"))
        )
        has_two = has_two or parent.type in ("elif_clause", "conditional_expression")
        if has_two and condition is not None and _SWITCH.search(text_of(condition)):
            return True
    return False


def _names_in(expression: Node) -> frozenset[str]:
    """The parts of a dotted name, or what an import statement names."""
    chain = chain_of(expression)
    if chain is not None:
        return frozenset(chain.attributes or (text_of(chain.root),))
    return frozenset(re.findall(r"\w+", text_of(expression)))


def condition_in(choice: Node) -> Node | None:
    """The condition by which a statement, a clause or an expression chooses."""
    if choice.type != "conditional_expression":
        return field(choice, "condition")
    parts = parts_of(choice)
    return parts[1] if len(parts) == 3 else None


def condition_of(inner: Node, parent: Node) -> tuple[Node | None, bool]:
    """The condition under which a child of a node runs, and whether it holds there."""
    if parent.type in ("if_statement", "elif_clause", "while_statement"):
        condition = field(parent, "condition")
        arm = field(parent, "body" if parent.type == "while_statement" else "consequence")
        return (None, True) if same(condition, inner) else (condition, same(arm, inner))
    if parent.type == "conditional_expression":
        parts = parts_of(parent)
        if len(parts) == 3 and not same(parts[1], inner):
            return parts[1], same(parts[0], inner)
    if parent.type == "boolean_operator" and same(field(parent, "right"), inner):
        operator = field(parent, "operator")
        return field(parent, "left"), operator is not None and operator.type == "and"
    return None, True


def conditions_over(node: Node, *ends: str) -> Iterator[tuple[Node, bool]]:
    """The conditions under which a node runs, each with whether it holds there, the nearest first; up to a
    node of some types."""
    inner = node
    for parent in takewhile(lambda item: item.type not in ends, ancestors(node)):
        condition, holds = condition_of(inner, parent)
        if condition is not None:
            yield condition, holds
        inner = parent


def known_at(inner: Node, parent: Node) -> Iterator[tuple[Node, bool]]:
    """The conditions that decide where a child of a node runs, each with whether it holds there: its own, and
    those that the statements before it in a block leave settled."""
    condition, holds = condition_of(inner, parent)
    if condition is not None:
        yield condition, holds
    for before, is_so, statement in settled_in(parent) if parent.type in _BLOCKS else ():
        if statement.start_byte >= inner.start_byte:
            return
        yield before, is_so


def settled_in(block: Node) -> Iterator[tuple[Node, bool, Node]]:
    """The conditions that statements of a block leave settled for those behind them, by ``assert`` or by
    leaving the block, with what each is settled to and the statement."""
    for statement in block.named_children:
        if statement.type == "assert_statement" and statement.named_children:
            yield statement.named_children[0], True, statement
        for choice in _leading_choices(statement):
            condition = field(choice, "condition")
            if condition is not None:
                yield condition, False, choice


def _leading_choices(statement: Node) -> Iterator[Node]:
    """The arms of an ``if`` that leave the block, up to the first that does not."""
    if statement.type != "if_statement":
        return
    for choice in (statement, *(child for child in statement.children if child.type == "elif_clause")):
        if not leaves_block(field(choice, "consequence")):
            return
        yield choice


def _answers(
    condition: Node, is_positive: bool, names: frozenset[str], source: SourceFile, depth: int
) -> bool:
    """Whether a condition that holds, or does not, settles that one of the names is there, or which of two
    ways a version takes."""
    node = without_parentheses(condition)
    if node.type == "not_operator":
        argument = field(node, "argument")
        return argument is not None and _answers(argument, not is_positive, names, source, depth)
    if node.type in ("boolean_operator", "comparison_operator"):
        return any(_answers(part, is_positive, names, source, depth) for part in node.named_children)
    asked = _asked_for(node)
    if asked is not None:
        return (asked in names) is is_positive
    if _VERSION.search(text_of(node)):
        return True
    return depth > 0 and any(
        _answers(value, is_positive, names, source, depth - 1) for value in _behind(node, source)
    )


def _asked_for(node: Node) -> str | None:
    """What ``hasattr(owner, 'name')`` or ``getattr(owner, 'name', None)`` asks for."""
    if node.type != "call" or last_name(node) not in ("hasattr", "getattr"):
        return None
    second = arguments_of(node).at(1)
    return (
        text_of(second.value).strip("'\"") if second is not None and second.value.type == "string" else None
    )


def _behind(node: Node, source: SourceFile) -> Iterator[Node]:
    """The expressions that a variable of the file is given, or that a function of it returns."""
    name = field(node, "function") if node.type == "call" else node
    if name is None or name.type != "identifier":
        return
    for binding in source.names.bindings_in_scope(text_of(name), name):
        if binding.kind is BindingKind.ASSIGNMENT and binding.value is not None:
            yield binding.value
        elif binding.kind is BindingKind.DEFINITION and node.type == "call":
            yield from _returned(binding.statement)


def _returned(definition: Node) -> Iterator[Node]:
    body = field(definition, "body")
    for statement in body.named_children if body is not None else ():
        if statement.type == "return_statement" and statement.named_children:
            yield statement.named_children[0]


def _catches_absence(statement: Node, inner: Node) -> bool:
    """Whether a ``try`` catches what a missing name raises; a handler has the other way."""
    if inner.type == "finally_clause":
        return False
    caught = {name for clause in statement.children for name in _caught_by(clause)}
    if caught & _MISSING:
        return True
    body = field(statement, "body")
    tried = parts_of(body) if body is not None else []
    return bool(caught & _ANY) and len(tried) <= _FEW_STATEMENTS


def _caught_by(clause: Node) -> Iterator[str]:
    if clause.type != "except_clause":
        return
    header = [child for child in clause.named_children if child.type not in ("block", "comment")]
    yield from re.findall(r"\w+", " ".join(map(text_of, header))) or ("BaseException",)
