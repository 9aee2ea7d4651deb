"""The model variable that the user names: where it is made, and which other expressions stand for it."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ....inference.kinds import Kind
from ....limits.parents import parent_of
from ....text.scopes import BindingKind, scope_of
from ....text.source_file import SourceFile
from ....text.syntax import ancestors, arguments_of, call_of, enclosing, field, text_of
from ...linked.calls import frames_of
from ...program import Place, callee_name
from ..job import Job

_NAMES = frozenset({"identifier", "attribute", "subscript"})
_OBJECT_AND_NAME = 2


class Target:
    """A variable, or an attribute of ``self`` or of another object, that holds the model."""

    def __init__(self, job: Job, name: str, assignments: list[Place]) -> None:
        self._job = job
        self.name = name
        """What the user calls it."""
        self.assignments = assignments
        """The targets of the assignments that make it, all in one function or at module level."""
        first = assignments[0]
        self.file: SourceFile = first.file
        self.spelling = first.text
        """What the code there calls it."""
        self.scope = scope_of(first.node)
        owner = enclosing(first.node, "class_definition") if self.spelling.startswith("self.") else None
        self.owner = Place(self.file, owner) if owner is not None else None
        """The class that keeps it in an attribute of ``self``."""
        self._answers: dict[tuple[str, int], bool] = {}

    def is_model(self, expression: Place) -> bool:
        """Whether an expression is the model, or a variable that has it from there."""
        if expression.node.type not in _NAMES and asked_for(expression) is None:
            return False
        if expression.key not in self._answers:
            found = self._job.origins.of(expression, self._is_itself)
            self._answers[expression.key] = any(self._is_itself(place) for place in found)
        return self._answers[expression.key]

    def _is_itself(self, place: Place) -> bool:
        node = place.node
        if node.type == "identifier":
            if place.file is not self.file or text_of(node) != self.spelling:
                return False
            bindings = place.file.names.bindings_in_scope(self.spelling, node)
            return bool(bindings) and bindings[0].scope == self.scope
        if self.owner is None:
            return node.type == "attribute" and place.file is self.file and place.text == self.spelling
        receiver, own = field(node, "object"), self.spelling.removeprefix("self.")
        is_named = text_of(field(node, "attribute")) == own
        asked = asked_for(place)
        if asked is not None:
            receiver, frames = asked
            is_named = any(own.startswith(before) and own.endswith(after) for before, after in frames)
        owner = self._job.program.class_of(Place(place.file, receiver)) if receiver is not None else None
        return is_named and owner is not None and self._may_be_of(owner)

    def _may_be_of(self, owner: Place) -> bool:
        """Whether an object of a class may be one that keeps the model, as ``self`` in a base of that is."""
        family, own = self._job.program.family, self.owner
        return own is not None and (
            own.key in {item.key for item in family(owner)} or owner.key in {item.key for item in family(own)}
        )


def asked_for(place: Place) -> tuple[Node, list[tuple[str, str]]] | None:
    """The object that ``getattr`` is asked for an attribute, and how the name of that begins and ends."""
    given = arguments_of(place.node).positional if place.node.type == "call" else ()
    if len(given) < _OBJECT_AND_NAME or callee_name(place) != "getattr":
        return None
    return given[0].value, list(frames_of(text_of(given[1].value)))


def find_target(job: Job, name: str) -> Target | None:
    """The model variable of a name: in the entry script, else in a module that it uses."""
    parts = name.split(".")
    if not all(part.isidentifier() for part in parts):
        return None
    for file in job.program.files:
        groups = _variables(file, name) if len(parts) == 1 else _attributes(job, file, name)
        if groups:
            best = max(groups, key=lambda group: _evidence(job, group))
            if len(groups) == 1 or _evidence(job, best) or file is job.program.entry:
                return Target(job, name, best)
    return None


def _variables(file: SourceFile, name: str) -> list[list[Place]]:
    """The assignments of a variable, by scope."""
    groups: dict[int, list[Place]] = {}
    for binding in file.names.bindings(name):
        if binding.kind is BindingKind.ASSIGNMENT and binding.scope.type != "class_definition":
            groups.setdefault(binding.scope.id, []).append(Place(file, binding.node))
    return list(groups.values())


def _attributes(job: Job, file: SourceFile, name: str) -> list[list[Place]]:
    """The assignments of an attribute, by class, or by function for an object other than ``self``."""
    receiver, _, last = name.rpartition(".")
    owner = _class_named(job, file, receiver) if receiver != "self" else None
    wanted = f"self.{last}" if owner is not None else name
    where = owner.file if owner is not None else file
    groups: dict[int, list[Place]] = {}
    for assignment in job.program.nodes(where, "assignment"):
        for target in _targets(assignment):
            if target.type != "attribute" or text_of(target) != wanted:
                continue
            holder = enclosing(target, "class_definition")
            if owner is None or holder == owner.node:
                groups.setdefault(scope_of(target).id, []).append(Place(where, target))
    return list(groups.values())


def _targets(assignment: Node) -> Iterator[Node]:
    left = field(assignment, "left")
    if left is not None:
        yield from left.named_children if left.type in ("pattern_list", "tuple_pattern") else (left,)


def _class_named(job: Job, file: SourceFile, receiver: str) -> Place | None:
    for node in file.identifiers(receiver):
        for origin in job.origins.of(Place(file, node)):
            owner = job.program.class_of(origin)
            if owner is not None:
                return owner
    return None


def _evidence(job: Job, group: list[Place]) -> int:
    """How much speaks for a variable being a model that is trained."""
    first = group[0]
    scope = scope_of(first.node)
    score = 0
    for place in group:
        assignment = parent_of(place.node)
        value = field(assignment, "right")
        if value is not None and job.context(place.file).kind(value) is Kind.MODULE:
            score += 2
    for node in job.program.nodes(first.file, "attribute"):
        holder = field(node, "object")
        if holder is not None and text_of(holder) == first.text and scope_holds(scope, node):
            name = field(node, "attribute")
            is_sign = text_of(name) in ("parameters", "to", "cuda", "train")
            score += is_sign and call_of(node) is not None
    return score


def scope_holds(scope: Node, node: Node) -> bool:
    """Whether a node is in a scope, and in no function within it."""
    for parent in ancestors(node):
        if parent == scope:
            return True
        if parent.type in ("function_definition", "lambda"):
            return False
    return False
