"""Statements that only prepare a batch: they stay before the function of which gradients are taken."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Sequence

from tree_sitter import Node

from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_of, parent_type
from gpu2ascend_rules.text.scopes import Binding, BindingKind
from gpu2ascend_rules.text.syntax import (
    ancestors,
    arguments_of,
    field,
    is_field,
    last_name,
    start_of,
    text_of,
)

from ...evidence import ROOTS, Evidence
from ...lines import has_own_lines, with_comment
from ...values.arguments import names_device
from ...values.parameters import is_parameter
from ..graphs import OF_DATA, may_have_graph, models_in
from ..identities import identity
from ..variables import assigned_in, identifiers_in

_LITERALS = ("integer", "float", "string", "true", "false", "none", "list", "tuple")
_LOOPS = ("for_statement", "for_in_clause")
_LOADER = "torch.utils.data.DataLoader"
_PASSING = frozenset({"zip", "enumerate", "list", "tuple", "sorted", "reversed", "iter", "tqdm"})
"""Calls that give what they are given, one after the other."""
_OF_WEIGHTS = frozenset({"parameters", "named_parameters", "items", "values", "state_dict"})
"""Methods whose results may be, or hold, weights."""
_WRITES = re.compile(r"\b(\w+)(?:\[[^\]]*\])?(?:\.\w+_\(|\[[^\]]*\]\s*[-+*/]?=(?!=))")
_ORDERED = re.compile(r"\b(?:time|perf_counter|datetime|next|pop|popleft|read|get)\b")
_DEPTH = 6
"""How many variables that are made of each other are looked into."""


def without_data(evidence: Evidence, statements: list[Node]) -> list[Node]:
    """Statements that compute a loss, without the first ones that certainly read nothing but data.

    What is assigned again by those that are left stays with them: they go on with it.
    """
    data: set[str] = set()
    count = 0
    for index, one in enumerate(statements[:-1], 1):
        if not _is_data(evidence, one, data):
            break
        data |= {*assigned_in([one])}
        count = count if data & {*assigned_in(statements[index:])} else index
    return statements[count:]


def with_data_before(
    evidence: Evidence, statements: Sequence[Node], apart: Sequence[Node] = (), *, place: int
) -> tuple[Node, ...]:
    """The statements of a function without those that only make data: their lines move before it.

    Args:
        apart: Others that may move.
        place: Where the function begins.
    """
    data = _before_others(evidence, statements, apart)
    evidence.prepared += [(*with_comment(evidence.source.data, one), place) for one in data]
    return tuple(one for one in statements if one not in data)


def staying(evidence: Evidence, needed: Sequence[Node], others: Sequence[Node]) -> list[Node]:
    """Of other statements, those behind the first that a loss needs that cannot come before it."""
    moved = _before_others(evidence, sorted([*needed, *others], key=start_of), others)
    return [one for one in others if one not in moved and needed and one.start_byte > needed[0].start_byte]


def _before_others(evidence: Evidence, statements: Sequence[Node], apart: Sequence[Node] = ()) -> list[Node]:
    """Of statements that compute a loss, those behind the first that may come before it.

    They only make data, or are apart anyway. The others give no value to what these read, change nothing
    that these make, and have no use for what the variables held before.
    """
    found: list[Node] = []
    known: set[str] = set()
    for one in statements[1:-1]:
        others = [each for each in statements if each not in found and each.id != one.id]
        if not has_own_lines(one) or not _is_free(one, others):
            continue
        if _is_data(evidence, one, known) or (one in apart and _is_only_caller(evidence, one, others)):
            known |= {*assigned_in([one])}
            found.append(one)
    return found


def _is_free(statement: Node, others: Sequence[Node]) -> bool:
    """Whether a statement may come before others, by the variables of all."""
    names = {*assigned_in([statement])}
    changed = _changed_by(others)
    earlier = [one for one in others if one.end_byte <= statement.start_byte]
    read = {text_of(name) for one in earlier for name in identifiers_in(one)}
    given = {text_of(name) for name in identifiers_in(statement)} - names
    is_apart = bool(names) and not names & (read | changed) and not given & _changed_by(earlier)
    return is_apart and not _is_ordered(statement)


def _is_only_caller(evidence: Evidence, statement: Node, others: Sequence[Node]) -> bool:
    """Whether others do not call the models that a statement calls: they would see its batch before."""
    every = [
        {identity(evidence, one) for one in called_models(evidence, some)} for some in ([statement], others)
    ]
    return not every[0] & every[1]


def called_models(evidence: Evidence, statements: Sequence[Node]) -> list[Node]:
    """What statements call that may be a model."""
    names = set(models_in(evidence, statements))
    calls = (node for one in statements for node in nodes_in(one) if node.type == "call")
    functions = (field(one, "function") for one in calls)
    return [one for one in functions if one is not None and text_of(one) in names]


def _is_ordered(statement: Node) -> bool:
    """Whether what a statement gives goes with its turn: the time, the next of several batches."""
    return _ORDERED.search(text_of(statement)) is not None


def _changed_by(statements: Sequence[Node]) -> set[str]:
    """The variables that statements assign, or write into."""
    written = {match[1] for one in statements for match in _WRITES.finditer(text_of(one))}
    return {*assigned_in(statements), *written}


def reads_weights(evidence: Evidence, statement: Node, models: Collection[str]) -> bool:
    """Whether a statement reads a part of a model, or what a loop gives that may be a weight.

    Args:
        models: The roots of what the step calls: ``net`` of ``net.body(x)``.
    """
    names = evidence.source.names
    return any(
        (parent_type(one) in ("attribute", "subscript") and text_of(one) in models)
        or any(
            binding.kind is BindingKind.LOOP
            and any(loop.type == "for_statement" for loop in ancestors(binding.node))
            and not _is_of_data(evidence, binding)
            for binding in names.bindings_in_scope(text_of(one), one)
        )
        for one in identifiers_in(statement)
        if not _is_within_other(evidence, one, statement)
    )


def _is_within_other(evidence: Evidence, name: Node, statement: Node) -> bool:
    """Whether a name is an argument of what another library makes, which has no graph."""
    around = itertools.takewhile(lambda one: one.id != statement.id, ancestors(name))
    return any(one.type == "call" and evidence.others.made(one) for one in around)


def _is_data(evidence: Evidence, statement: Node, known: Collection[str]) -> bool:
    """Whether a statement calls no model, and reads nothing that may be one or a parameter."""
    if statement.type != "expression_statement" or may_have_graph(evidence, statement):
        return False
    assignment = statement.named_children[0]
    value = field(assignment, "right")
    if assignment.type != "assignment" or value is None:
        return False
    own = {*assigned_in([statement])}
    place = statement.id
    return all(
        text_of(one) in known or _holds_data(evidence, one, own, place) for one in identifiers_in(value)
    )


def _holds_data(evidence: Evidence, name: Node, own: Collection[str], place: int) -> bool:
    """Whether a variable certainly holds data: what a loader gives, what other libraries made, a number.

    It may also have been computed of such by the statement at the place itself, in an earlier turn.
    """
    if names_device(_whole(name)):
        return True
    if is_parameter(name):
        return False
    bindings = evidence.source.names.bindings_in_scope(text_of(name), name)
    reaching = evidence.reaching(name) if text_of(name) in own else bindings
    return all(_is_of_data(evidence, one) for one in reaching if not _is_in(one.node, place))


def _whole(name: Node) -> Node:
    """The attribute of an attribute of a name: ``self.args.device`` of ``self``."""
    while (parent := parent_of(name)) is not None and is_field(name, "object"):
        name = parent
    return name


def _is_in(node: Node, place: int) -> bool:
    return any(one.id == place for one in ancestors(node))


def _is_of_data(evidence: Evidence, binding: Binding, depth: int = _DEPTH) -> bool:
    if binding.kind is BindingKind.IMPORT:
        root = binding.target.partition(".")[0]
        return root in ROOTS or root in OF_DATA or evidence.others.made(binding.node)
    if binding.kind is BindingKind.DEFINITION:
        return True
    if binding.kind is BindingKind.LOOP:
        return _is_of_loop(evidence, binding, depth)
    value = binding.value if binding.kind is BindingKind.ASSIGNMENT else None
    return value is not None and _is_value(evidence, value, depth)


def _is_value(evidence: Evidence, value: Node, depth: int) -> bool:
    """Whether an expression is of other libraries or a literal, with nothing in it that may be a weight."""
    if not depth or not (value.type in _LITERALS or evidence.others.made(value)):
        return False
    names = evidence.source.names
    bindings = (one for name in identifiers_in(value) for one in names.bindings_in_scope(text_of(name), name))
    return all(_is_of_data(evidence, one, depth - 1) for one in bindings)


def _is_of_loop(evidence: Evidence, binding: Binding, depth: int) -> bool:
    """Whether a loop gives a variable data, not a weight: ``for alpha in net.alphas`` does not."""
    loop = next((one for one in ancestors(binding.node) if one.type in _LOOPS), None)
    target, over = field(loop, "left"), field(loop, "right")
    return target is not None and over is not None and _is_given(evidence, binding.node, target, over, depth)


def _is_given(evidence: Evidence, name: Node, target: Node, over: Node, depth: int) -> bool:
    """Whether data comes into a variable of a target: of a loader, or beside others that no list pairs."""
    called = last_name(over) if over.type == "call" else ""
    parts = target.named_children
    inner = _position(name, parts)
    if called in _PASSING:
        given = [one.value for one in arguments_of(over).items]
        if called not in ("zip", "enumerate"):
            return bool(given) and _is_given(evidence, name, target, given[0], depth)
        if inner is None or (called == "enumerate" and inner == 0):
            return inner is not None
        at = inner if called == "zip" else 0
        return at < len(given) and _is_given(evidence, name, parts[inner], given[at], depth)
    if _is_of_loader(evidence, over, depth):
        return True
    return inner is not None and depth > 0 and _are_batches(evidence, name, target, over, depth - 1)


def _position(name: Node, parts: list[Node]) -> int | None:
    """Which of several targets a variable is, or is in."""
    return next((index for index, one in enumerate(parts) if name.id == one.id or _is_in(name, one.id)), None)


def _is_of_loader(evidence: Evidence, over: Node, depth: int) -> bool:
    """Whether a loop goes over a loader, or over what certainly holds data."""
    found = evidence.instance(over)
    return _is_value(evidence, over, depth) or (found is not None and found.class_name == _LOADER)


def _are_batches(evidence: Evidence, name: Node, target: Node, over: Node, depth: int) -> bool:
    """Whether what gives several variables at once is handed in, or made by a call that pairs no weights."""
    if over.type == "call":
        return last_name(over) not in _OF_WEIGHTS
    if over.type != "identifier":
        return over.type in ("attribute", "subscript")
    bindings = evidence.source.names.bindings_in_scope(text_of(over), over)
    return all(
        one.kind is BindingKind.PARAMETER
        or (
            one.value is not None
            and one.value.type in ("call", "identifier", "attribute")
            and _is_given(evidence, name, target, one.value, depth)
        )
        for one in bindings
    )
