"""Whether a step may leave out parameters of a model: its wrapper would wait for their gradients for ever.

Parts that no method behind ``forward`` uses, parts that are used under a condition or without gradients, and
outputs of the model that the program does not look at leave parameters without a gradient.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ....inference.kinds import Kind
from ....limits.below import nodes_below
from ....limits.parents import parent_of
from ....text.syntax import ancestors, enclosing, field, is_field, text_of
from ...program import Place, callee_name, function_around
from ..job import Job
from ..places import below
from .identity import makers, module_classes
from .target import Target

_BRANCHES = frozenset({"if_statement", "elif_clause", "conditional_expression"})
_DYNAMIC = re.compile(rb"getattr\(self|self\._modules|self\.(?:named_)?(?:children|modules)\(|__dict__")
_CUTS = re.compile(rb"\.detach\(\)|\bno_grad\b|\binference_mode\b")
"""What gradients do not go through: of a part that a method uses before it, there may be none."""
_COMPUTING = frozenset({"binary_operator", "unary_operator", "argument_list"})
_OWN = re.compile(r"self\.(\w+)")
_WORD = re.compile(r"[^\W\d]\w*")
_POOLED = re.compile(r"transformers\..*(?<!For)Model\.from_pretrained")
"""Models of transformers without a task, which compute a pooled output that few look at."""
_SEVERAL = frozenset({"expression_list", "tuple", "dictionary", "list"})


def leaves_out(job: Job, target: Target) -> bool:
    """Whether a step may leave out parameters of a model."""
    classes = module_classes(job, target)
    return (
        any(_has_cut(job, owner) or _has_idle_part(job, owner) for owner in classes)
        or any(_POOLED.fullmatch(callee_name(item)) for item in _made(job, target))
        or _leaves_outputs(job, target)
    )


def _made(job: Job, target: Target) -> Iterator[Place]:
    return (item for place in target.assignments for item in makers(job, place).values())


def _has_cut(job: Job, owner: Place) -> bool:
    """Whether the way through ``forward`` has a place that gradients do not go through."""
    return any(_CUTS.search(item.node.text or b"") for item in _behind_forward(job, owner))


def _has_idle_part(job: Job, owner: Place) -> bool:
    """Whether a part that a class makes is not used, or not always, on the way through ``forward``."""
    family = job.program.family(owner)
    if any(_DYNAMIC.search(item.node.text or b"") for item in family):
        return False
    reached = list(_behind_forward(job, owner))
    if not reached:
        return False
    uses: dict[str, list[Node]] = {}
    for method in reached:
        for node in nodes_below(method.node):
            if node.type == "attribute" and (match := _OWN.fullmatch(text_of(node))):
                uses.setdefault(match[1], []).append(node)
    parts = [part for item in family for part in _parts(job, item)]
    names = {name for name, _ in parts} - {*_used_by_steps(job)}
    return any(_is_idle(name, made, uses.get(name, [])) for name, made in parts if name in names)


def _used_by_steps(job: Job) -> Iterator[str]:
    """The attributes of other objects that the program calls or computes with: ``model.scale * loss``.

    They get gradients beside those of ``forward``, which a wrapper must not take for left out.
    """
    for file in job.program.files:
        for node in job.program.nodes(file, "attribute"):
            holder, owner = parent_of(node), text_of(field(node, "object"))
            is_called = holder is not None and holder.type == "call" and is_field(node, "function")
            is_operand = holder is not None and holder.type in _COMPUTING
            if owner not in ("self", "") and (is_called or is_operand):
                yield text_of(field(node, "attribute"))


def _behind_forward(job: Job, owner: Place) -> Iterator[Place]:
    """The method ``forward`` of a class and the methods of the same object that it leads to."""
    pending, seen = ["forward"], {"forward"}
    for name in pending:
        found = job.program.method(owner, name)
        if found is not None:
            yield found
            named = _OWN.findall(text_of(found.node))
            fresh = list(dict.fromkeys(item for item in named if item not in seen))
            seen.update(fresh)
            pending += fresh


def _parts(job: Job, owner: Place) -> Iterator[tuple[str, Node]]:
    """The modules and parameters that a class gives itself, with the assignment."""
    for assignment in nodes_below(owner.node):
        left, right = field(assignment, "left"), field(assignment, "right")
        if assignment.type != "assignment" or left is None or right is None:
            continue
        if enclosing(assignment, "class_definition") != owner.node:
            continue
        several = left.type == "pattern_list" and len(left.named_children) == len(right.named_children)
        pairs = zip(left.named_children, right.named_children, strict=True) if several else [(left, right)]
        for name, value in pairs:
            match = _OWN.fullmatch(text_of(name))
            if match is not None and value.type == "call" and _is_trained(job, Place(owner.file, value)):
                yield match[1], assignment


def _is_trained(job: Job, call: Place) -> bool:
    is_module = job.context(call.file).kind(call.node) is Kind.MODULE
    return is_module or callee_name(call).endswith("nn.Parameter")


def _is_idle(name: str, made: Node, uses: list[Node]) -> bool:
    given = {word for item in _conditions(made) for word in _WORD.findall(item.test)} - {"self"}
    conditions = [_conditions(use) for use in uses if not _picks_one(use)]
    arms = {(item.branch, item.is_first) for found in conditions for item in found}
    for found in conditions:
        doubtful = (item for item in found if (item.branch, not item.is_first) not in arms)
        words = (set(_WORD.findall(item.test)) for item in doubtful)
        if all(name in item or given & item for item in words):
            return False
    return True


def _picks_one(use: Node) -> bool:
    """Whether a use takes one of several modules, by what its method is given: ``self.heads[task]``."""
    holder = parent_of(use)
    key = field(holder, "subscript") if holder is not None and holder.type == "subscript" else None
    parameters = field(enclosing(use, "function_definition"), "parameters")
    if key is None or parameters is None or key == use:
        return False
    names = {text_of(node) for node in (key, *below(key)) if node.type == "identifier"}
    given = {text_of(node) for node in below(parameters) if node.type == "identifier"}
    return bool(names & given)


class _Condition(NamedTuple):
    """A condition around a node in its method."""

    test: str
    branch: int
    is_first: bool
    """Whether the node is where the condition holds, not where it does not."""


def _conditions(node: Node) -> list[_Condition]:
    found: list[_Condition] = []
    for parent in ancestors(node):
        if parent.type == "function_definition":
            break
        if parent.type not in _BRANCHES:
            continue
        is_choice = parent.type == "conditional_expression"
        test = parent.named_children[1] if is_choice else field(parent, "condition")
        if test is None or test.start_byte <= node.start_byte < test.end_byte:
            continue
        first = parent.named_children[0] if is_choice else field(parent, "consequence")
        is_first = first is not None and first.start_byte <= node.start_byte < first.end_byte
        found.append(_Condition(text_of(test), parent.id, is_first))
    return found


def _leaves_outputs(job: Job, target: Target) -> bool:
    """Whether a call of a model that gives several outputs takes only some of them."""
    for call in job.program.places("call"):
        function, assignment = field(call.node, "function"), parent_of(call.node)
        left = field(assignment, "left")
        if function is None or left is None or left.type not in ("pattern_list", "identifier"):
            continue
        if not target.is_model(Place(call.file, function)):
            continue
        if left.type == "identifier" and not _gives_several(job, target):
            continue
        around = function_around(call)
        scope = around.node if around is not None else call.file.root
        later = {text_of(item) for item in below(scope) if item.start_byte > call.node.end_byte}
        if left.type == "identifier" or any(text_of(item) not in later for item in left.named_children):
            return True
    return False


def _gives_several(job: Job, target: Target) -> bool:
    """Whether the ``forward`` of a model returns a dictionary or a tuple."""
    owners = (job.program.class_of(item) for item in _made(job, target))
    methods = (job.program.method(owner, "forward") for owner in owners if owner is not None)
    return any(
        node.type == "return_statement" and node.named_children and node.named_children[0].type in _SEVERAL
        for method in methods
        if method is not None
        for node in below(method.node)
    )
