"""Through variables: assignments, attributes, parameters, loops and returned values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from tree_sitter import Node

from ...limits.parents import parent_of
from ...limits.walks import CLIMB_LIMITS
from ...text.syntax import call_of, enclosing, field, is_field, same, text_of
from ..parameters import is_method, is_property
from .parts import Flow, Value
from .subject import PlaceKind
from .verdicts import CONSUMED, NEUTRAL, SHOWN, SILENT, UNKNOWN, Role, Verdict, strongest

_PATTERNS = frozenset({"pattern_list", "tuple_pattern", "list_pattern"})


class Variables:
    """The role of a value by what the names that it is given to are used as."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._subject = flow.subject
        self._references: dict[str, dict[int, list[Node]]] = {}
        self._reads: dict[str, dict[tuple[str, int], list[Node]]] = {}

    # -- where a value is stored -------------------------------------------------------------------

    def assigned(self, value: Value, statement: Node) -> Verdict:
        """The role of what an assignment assigns, ``a = b = value`` included."""
        if not is_field(value.node, "right"):
            return NEUTRAL
        verdicts: list[Verdict] = []
        node: Node | None = statement
        while node is not None and node.type == "assignment":
            target = field(node, "left")
            if target is not None:
                verdicts.append(self.stored(value, target))
            node = parent_of(node)
        return strongest(verdicts)

    def augmented(self, value: Value, statement: Node) -> Verdict:
        """The role of what ``+=`` adds: an item of a list, or a part of a longer text."""
        target = field(statement, "left")
        if target is None or not is_field(value.node, "right"):
            return NEUTRAL
        if value.boxed or self._subject.part_counts:
            return self.put_into(value, target)
        return self._subject.at(PlaceKind.ELSEWHERE)

    def stored(self, value: Value, target: Node) -> Verdict:
        """The role of a value that is assigned to a target."""
        if self._is_of_literal_type(target):
            return CONSUMED
        if target.type == "identifier":
            return self.bound(value, target)
        if target.type == "attribute":
            name = field(target, "attribute")
            if name is None:
                return UNKNOWN
            uses = self.uses_of_attribute(target, text_of(name), value)
            return self.combined(value, [text_of(name)], [uses], exported=True)
        if target.type == "subscript":
            return self._flow.dictionaries.item(value, target)
        return UNKNOWN

    def bound(self, value: Value, name: Node) -> Verdict:
        """The role of a value that is bound to a name."""
        if self._subject.handled(name, self._flow.ctx):
            return SHOWN
        scope = self._flow.ctx.source.names.scope_of(name)
        exported = scope.type in ("module", "class_definition")
        uses = [self.uses_of_name(text_of(name), scope, value)]
        if scope.type == "class_definition":
            uses.append(self._uses_anywhere(text_of(name), value))
        return self.combined(value, [text_of(name)], uses, exported=exported)

    def default(self, value: Value, parameter: Node) -> Verdict:
        """The role of a parameter's default."""
        name = field(parameter, "name")
        if name is None or same(name, value.node):
            return NEUTRAL
        return self.parameter(value, name)

    def parameter(self, value: Value, name: Node) -> Verdict:
        """The role of what a parameter is given."""
        if self._is_of_literal_type(name):
            return CONSUMED
        scope = self._flow.ctx.source.names.scope_of(name)
        if scope.type == "class_definition":  # the field of a dataclass
            return self.bound(value, name)
        uses = self.uses_of_name(text_of(name), scope, value)
        return self.combined(value, [text_of(name)], [uses], exported=False)

    def _is_of_literal_type(self, name: Node) -> bool:
        """Whether the type of a parameter or variable admits texts of the subject alone."""
        annotation = field(parent_of(name), "type")
        return annotation is not None and self._flow.comparisons.is_literal_type(annotation)

    def iterated(self, value: Value, loop: Node) -> Verdict:
        """The role of a list's element that a loop goes through."""
        if not value.boxed or not is_field(value.node, "right"):
            return NEUTRAL
        target = field(loop, "left")
        return self._looped(value, target) if target is not None else UNKNOWN

    def drawn_with(self, value: Value, call: Node, place: int, count: int) -> Verdict:
        """The role of a list's element that a loop draws together with others.

        Args:
            value: The list, an argument of the call.
            call: ``enumerate(...)``, or ``zip(...)`` of several.
            place: Where the element stands in what the call gives, from 0.
            count: How many the call gives at a time.
        """
        loop = parent_of(call)
        target = field(loop, "left") if loop is not None and is_field(call, "right") else None
        if target is None or target.type not in _PATTERNS or len(target.named_children) != count:
            return SHOWN if value.is_mixed(self._subject) else UNKNOWN
        return self._looped(value, target.named_children[place])

    def _looped(self, value: Value, target: Node) -> Verdict:
        if target.type != "identifier":
            return SHOWN if value.is_mixed(self._subject) else UNKNOWN
        if value.is_mixed(self._subject):
            uses = self.uses_of_name(
                text_of(target), self._flow.ctx.source.names.scope_of(target), value.unboxed(target)
            )
            return uses if uses.role in (Role.CONSUMED, Role.TEST) else SHOWN
        verdict = self.parameter(value.unboxed(target), target)
        if verdict.role is Role.CONSUMED and value.is_crowded(self._subject):
            asked = self._flow.calls.qualified(verdict.node) if verdict.node is not None else None
            return Verdict(Role.MEMBER, value.node, certain=asked in self._subject.for_each)
        return verdict

    def returned(self, value: Value, statement: Node) -> Verdict:
        """The role of what a function returns, by its name and by what its callers do with it."""
        function = enclosing(statement, "function_definition", "lambda")
        name = field(function, "name")
        if function is None or name is None:
            return UNKNOWN
        text = text_of(name)
        uses = self._once(("calls", function.id), self._results(function, name), value)
        return self.combined(value, [text], [uses], exported=True)

    def _results(self, function: Node, name: Node) -> Iterator[Node]:
        """The expressions that have a function's result."""
        as_attribute = is_method(function)
        for identifier in self._flow.ctx.source.identifiers(text_of(name)):
            if same(identifier, name):
                continue
            node: Node | None = identifier
            if as_attribute:
                node = parent_of(identifier) if is_field(identifier, "attribute") else None
            if node is None:
                continue
            result = node if is_property(function) else call_of(node)
            if result is not None:
                yield result

    def put_into(self, value: Value, receiver: Node) -> Verdict:
        """The role of what a list is given by ``append`` and its like."""
        name = receiver if receiver.type == "identifier" else field(receiver, "attribute")
        if name is None:
            return UNKNOWN
        boxed = value._replace(boxed=True)
        if receiver.type == "identifier":
            bindings = self._flow.ctx.source.names.bindings_in_scope(text_of(name), name)
            scope = bindings[0].scope if bindings else self._flow.ctx.source.names.scope_of(name)
            uses = self.uses_of_name(text_of(name), scope, boxed)
        else:
            uses = self.uses_of_attribute(receiver, text_of(name), boxed)
        return self.combined(boxed, [text_of(name)], [uses], exported=True)

    # -- what the uses amount to -------------------------------------------------------------------

    def combined(
        self, value: Value, names: Iterable[str], uses: Iterable[Verdict], *, exported: bool
    ) -> Verdict:
        """The role of a value that goes by some names, where its uses in the file have these roles.

        Uses that are evidence decide; then a name of the subject does. What is used as text alone is none,
        unless other files may use it too.
        """
        named = any(self._subject.names(name) for name in names)
        best = strongest(uses)
        if named and self._subject.name_first and best.role is not Role.FOREIGN:
            return self.by_name(value, None)
        if best.role is Role.TEST and not self._subject.test_proves:
            best = NEUTRAL
        if best.role not in SILENT:
            # What values of the subject are compared with must name the counterpart.
            return best._replace(role=Role.CONSUMED) if best.role is Role.TEST else best
        if named:
            if self._flow.is_foreign_file or (best.role is Role.SHOWN and not exported):
                return SHOWN
            return self.by_name(value, best.node)
        if self._subject.at(PlaceKind.NAME).role is Role.UNKNOWN:
            return best if best.role is Role.UNKNOWN else UNKNOWN
        if value.is_mixed(self._subject) or best.role is Role.SHOWN:
            return SHOWN
        goes_with = exported and any(self._subject.may_name(name) for name in names)
        may_be = self._subject.proves(value.text) or goes_with
        if best.role is Role.UNKNOWN:
            return best
        return UNKNOWN if may_be else SHOWN

    def by_name(self, value: Value, node: Node | None) -> Verdict:
        """What a name of the subject alone makes of a value."""
        if value.boxed and self._subject.named_list is not self._subject.named:
            return Verdict(self._subject.named_list, value.node, certain=False)
        return Verdict(self._subject.named, node)

    def uses_of_name(self, name: str, scope: Node, value: Value) -> Verdict:
        """The role of the uses of a variable that holds a value."""
        verdict = self._once(("name", name, scope.id), self.references(name, scope), value)
        unread = verdict is NEUTRAL and scope.type in ("module", "class_definition")
        return UNKNOWN if unread and not self.references(name, scope) else verdict

    def references(self, name: str, scope: Node) -> list[Node]:
        """The reads of a variable of a scope, in text order."""
        by_scope = self._references.get(name)
        if by_scope is None:
            by_scope = self._references[name] = {}
            names = self._flow.ctx.source.names
            for identifier in names.references(name):
                bindings = names.bindings_in_scope(name, identifier)
                if bindings:
                    by_scope.setdefault(bindings[0].scope.id, []).append(identifier)
        return by_scope.get(scope.id, [])

    def uses_of_attribute(self, node: Node, name: str, value: Value) -> Verdict:
        """The role of the uses of ``receiver.name``, by the same receiver and for ``self`` in one class."""
        shown = _receiver(node)
        owner = self._owner_of_self(node, shown)
        reads = self._reads_of(name).get((shown, owner))
        return self._once(("attribute", name, shown, owner), reads, value) if reads else UNKNOWN

    def _reads_of(self, name: str) -> dict[tuple[str, int], list[Node]]:
        """The reads of ``<anything>.name`` by receiver, for the file and for each class of ``self``."""
        reads = self._reads.get(name)
        if reads is None:
            reads = self._reads[name] = {}
            for attribute in self.attributes(name):
                if not is_field(attribute, "left"):
                    shown = _receiver(attribute)
                    for owner in {0, self._owner_of_self(attribute, shown)}:
                        reads.setdefault((shown, owner), []).append(attribute)
        return reads

    def _owner_of_self(self, attribute: Node, receiver: str) -> int:
        """The class whose ``self`` an attribute is read from, by its node's id; 0 for other receivers."""
        is_own = receiver in ("self", "cls")
        owner = self._flow.ctx.source.enclosing(attribute, "class_definition") if is_own else None
        return owner.id if owner is not None else 0

    def uses_of_option(self, name: str, value: Value) -> Verdict:
        """The role of the uses of ``args.name``, whatever the parsed arguments are called."""
        found = (item for item in self.attributes(name) if _receiver(item) not in ("self", "cls"))
        return self._once(("option", name), found, value)

    def _uses_anywhere(self, name: str, value: Value) -> Verdict:
        return self._once(("anywhere", name), self.attributes(name), value)

    def attributes(self, name: str) -> Iterator[Node]:
        """Every expression ``<anything>.name`` of the file."""
        for identifier in self._flow.ctx.source.identifiers(name):
            parent = parent_of(identifier)
            if parent is not None and parent.type == "attribute" and is_field(identifier, "attribute"):
                yield parent

    def _once(self, place: tuple[object, ...], uses: Iterable[Node], value: Value) -> Verdict:
        """The strongest role of some uses; asked for again while it is being found, it is no evidence."""
        key = (*place, value.text, value.boxed, value.others)
        rest, used = iter(uses), list[Node]()

        def look() -> Verdict:
            used.extend(islice(rest, CLIMB_LIMITS.uses - len(used)))  # in the first round
            return self._strongest(used, value)

        return self._flow.answers.of(key, self._flow.names, look)

    def _strongest(self, uses: list[Node], value: Value) -> Verdict:
        self._flow.names += 1
        try:
            verdicts = [self._flow.climber.climb(value.moved(use)) for use in uses]
        finally:
            self._flow.names -= 1
        found = strongest(verdicts)
        if found.role is Role.CONSUMED:
            foreign = (verdict for verdict in verdicts if verdict.role is Role.FOREIGN)
            self._flow.reached_foreign.update(dict.fromkeys(foreign))
        return found


def _receiver(attribute: Node) -> str:
    receiver = field(attribute, "object")
    return text_of(receiver) if receiver is not None else ""
