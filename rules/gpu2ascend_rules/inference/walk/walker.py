"""From an expression back to what gives it its value: names, assignments, parameters, attributes, calls.

The walk is the same whatever one wants to know; what it finds is a value of a :class:`.reading.Reading`. It
answers for one file and keeps every answer. Where it gets no further it names the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast

from tree_sitter import Node

from ...limits.checkpoints import checkpoint
from ...limits.parents import parent_of
from ...limits.walks import WALK_LIMITS, WalkLimits
from ...text.scopes import Binding, BindingKind
from ...text.syntax import field, parts_of, text_of, without_parentheses
from ..classes.class_definitions import ClassDefinitions
from .answers import MISSING, Answers
from .reading import Others, Placed, Reading, Stop, Unfollowed, V, Way
from .targets import drawn_by, part_of

if TYPE_CHECKING:
    from ...text.source_file import SourceFile

W = TypeVar("W")


class Walker(Generic[V]):
    """Answers for one file and one reading."""

    def __init__(
        self,
        source: SourceFile,
        reading: Reading[V],
        classes: ClassDefinitions | None = None,
        limits: WalkLimits = WALK_LIMITS,
        others: Others[V] | None = None,
    ) -> None:
        self.source = source
        self.reading = reading
        self.classes = classes if classes is not None else ClassDefinitions(source)
        self._limits = limits
        self._others = others
        self._beside: dict[int, Walker[V]] = {} if others is None else {id(source): self}
        self._answers = Answers(reading.pending, reading.unknown, limits)
        self._trail: list[Unfollowed] | None = None

    def of(self, expression: Node, depth: int = 0) -> V:
        """What an expression is."""
        node = without_parentheses(expression)
        literal = self.reading.literals.get(node.type)
        if literal is not None:
            return literal
        known = self._answers.known(node.id, depth)
        if known is not MISSING:
            return cast("V", known)
        if self._others is not None:
            settled = self._others.settled(self.source, node)
            if settled is not None:
                return settled
        if depth > self._limits.depth:
            self._answers.cut_off()
            self.stopped(Stop.TOO_DEEP, node)
            return self.reading.dead_end(node, self)
        checkpoint()
        look = self._anew(lambda: self._followed_or_guessed(node, depth + 1))
        return self._answers.look_into(node.id, depth, look)

    def _anew(self, look: Callable[[], W]) -> Callable[[], W]:
        """The same look, which forgets where the round before stopped if a value depends on itself."""
        trail = self._trail
        if trail is None:
            return look
        seen = len(trail)

        def look_anew() -> W:
            del trail[seen:]
            return look()

        return look_anew

    def _followed_or_guessed(self, node: Node, depth: int) -> V:
        found = self._followed(node, depth)
        return self.reading.dead_end(node, self) if found is self.reading.unknown else found

    def _followed(self, node: Node, depth: int) -> V:
        found = self.reading.settled(node, self, depth)
        if found is not None:
            return found
        step = self._STEPS.get(node.type)
        return step(self, node, depth) if step is not None else self.stopped(Stop.EXPRESSION, node)

    def at(self, place: Placed, depth: int) -> V:
        """What an expression is, in this file or another."""
        walker = self._beside.get(id(place.file))
        if walker is None:
            walker = Walker(place.file, self.reading, None, self._limits, self._others)
            walker._beside, walker._answers = self._beside, self._answers
            self._beside[id(place.file)] = walker
        return walker.of(place.node, depth)

    def forget(self) -> None:
        """Let go of the walks in other files, which refer to this one."""
        self._beside.clear()

    def _from(self, places: Iterator[Placed], stop: Stop, node: Node, depth: int) -> V:
        """What other files give a value."""
        return self._or_stop(self.reading.joined(self.at(place, depth) for place in places), stop, node)

    def unfollowed(self, expression: Node) -> tuple[Unfollowed, ...]:
        """Where the walk stopped that left a value unknown; nothing for a known one."""
        walker = Walker(self.source, self.reading, self.classes, self._limits, self._others)
        trail = walker._trail = []
        found = walker.of(expression)
        walker.forget()
        return tuple(trail) if found is self.reading.unknown else ()

    def stopped(self, stop: Stop, node: Node) -> V:
        """The walk ends here: nothing is known."""
        if self._trail is not None:
            self._trail.append(Unfollowed(stop, node))
        return self.reading.unknown

    def _or_stop(self, found: V | None, stop: Stop, node: Node) -> V:
        """What evidence says, or why it says nothing."""
        if found is None or found is self.reading.unknown:
            return self.stopped(stop, node)
        return found

    def _agreed(self, found: V, seen: int, node: Node) -> V:
        """A joined value; ``seen`` stops were known before its parts were looked at."""
        if self._trail is not None and found is self.reading.unknown and len(self._trail) == seen:
            self._trail.append(Unfollowed(Stop.DISAGREEMENT, node))
        return found

    @property
    def _stops(self) -> int:
        return len(self._trail) if self._trail is not None else 0

    # -- names -------------------------------------------------------------------------------------

    def _identifier(self, node: Node, depth: int) -> V:
        name = text_of(node)
        if name == "self":
            owner = self.source.enclosing(node, "class_definition")
            found = self.reading.self_in(owner, self, depth)
            if found is not None:
                return found
        bindings = self.source.names.bindings_in_scope(name, node)
        if not bindings:
            stop = Stop.STAR_IMPORT if self.source.names.star_imports else Stop.UNBOUND
            return self._or_stop(self.reading.unbound(name), stop, node)
        if Way.LATEST in self.reading.ways:
            latest = _latest(bindings, node)
            return self._bound(latest, depth) if latest is not None else self.stopped(Stop.UNBOUND, node)
        key = (name, bindings[0].scope.id)
        look = self._anew(lambda: self._variable(name, bindings, node, depth))
        return self._answers.of(key, depth - 1, look)

    def _variable(self, name: str, bindings: tuple[Binding, ...], node: Node, depth: int) -> V:
        """What a variable is that all these statements give a value."""
        seen = self._stops
        values = (self._bound(binding, depth) for binding in bindings)
        return self._agreed(self.reading.joined_in_name(name, values), seen, node)

    def _bound(self, binding: Binding, depth: int) -> V:
        kind = binding.kind
        if kind is BindingKind.ASSIGNMENT:
            return self._assigned(binding, depth)
        if kind is BindingKind.PARAMETER:
            return self._parameter(binding, depth)
        if kind is BindingKind.LOOP:
            return self._loop(binding, depth)
        if kind is BindingKind.IMPORT:
            if self._others is not None:
                return self._from(
                    self._others.imported(self.source, binding), Stop.IMPORT, binding.node, depth
                )
            return self._or_stop(self.reading.imported(binding, self), Stop.IMPORT, binding.node)
        if kind is BindingKind.DEFINITION:
            return self._or_stop(self.reading.defined(binding, self, depth), Stop.DEFINITION, binding.node)
        if kind is BindingKind.ANNOTATION:
            has_way = Way.BARE_ANNOTATIONS in self.reading.ways
            said = self.annotated(field(binding.statement, "type"), depth) if has_way else None
            return self._or_stop(said, Stop.ANNOTATION, binding.node)
        if binding.statement.type == "augmented_assignment":
            return self._or_stop(self.reading.updated(binding), Stop.OPERATION, binding.node)
        stop = Stop.CONTEXT_MANAGER if kind is BindingKind.WITH else Stop.OTHER_BINDING
        return self.stopped(stop, binding.node)

    def _assigned(self, binding: Binding, depth: int) -> V:
        if binding.value is not None:
            said = self.annotated(field(binding.statement, "type"), depth)
            return said if said is not None else self.of(binding.value, depth)
        if self._others is not None:
            parts = self._others.unpacked(self.source, binding, self, depth)
            return self._from(parts, Stop.UNPACKING, binding.node, depth)
        part = part_of(binding) if Way.UNPACKING in self.reading.ways else None
        if part is None:
            return self.stopped(Stop.UNPACKING, binding.node)
        if not part.is_whole:
            return self.of(part.value, depth)
        return self._or_stop(self.reading.unpacked(part.value, self, depth), Stop.UNPACKING, binding.node)

    def _parameter(self, binding: Binding, depth: int) -> V:
        holder = parent_of(binding.node)
        annotation = field(holder, "type")
        if annotation is not None:
            said = self.annotated(annotation, depth)
            if said is not None or not self.reading.guesses:
                return self._or_stop(said, Stop.ANNOTATION, annotation)
        default = binding.value if Way.DEFAULTS in self.reading.ways else None
        if default is not None and default.type == "none":
            default = None
        if self._others is not None:
            given = (self.at(place, depth) for place in self._others.passed(self.source, binding))
            values = chain(given, (self.of(value, depth) for value in (default,) if value is not None))
            return self._or_stop(self.reading.joined(values), Stop.PARAMETER, binding.node)
        if default is not None:
            return self.of(default, depth)
        is_one = holder is not None and "splat" not in holder.type
        found = self.reading.parameter(binding, self) if is_one else None
        return self._or_stop(found, Stop.PARAMETER, binding.node)

    def annotated(self, annotation: Node | None, depth: int) -> V | None:
        """What an annotation says; None where there is none, or it says nothing."""
        return self.reading.annotated(annotation, self, depth) if annotation is not None else None

    def _loop(self, binding: Binding, depth: int) -> V:
        drawn = drawn_by(binding)
        if drawn is None:
            return self.stopped(Stop.LOOP, binding.node)
        if drawn.iterable is None:
            return self._or_stop(self.reading.counter(), Stop.LOOP, binding.node)
        found = self.reading.yielded(drawn.iterable, drawn.place, binding, self, depth)
        return self._or_stop(found, Stop.LOOP, binding.node)

    # -- attributes --------------------------------------------------------------------------------

    def _attribute(self, node: Node, depth: int) -> V:
        identifier, owner = field(node, "attribute"), field(node, "object")
        if identifier is None or owner is None:
            return self.stopped(Stop.EXPRESSION, node)
        if self._others is not None:
            given = self._others.members(self.source, node, self, depth)
            return self._from(given, Stop.ATTRIBUTE, node, depth)
        name = text_of(identifier)
        if owner.type == "identifier" and text_of(owner) == "self":
            kept = self._kept_in_self(node, name, depth)
            if kept is not None and not (self.reading.guesses and kept is self.reading.unknown):
                return kept
        return self._or_stop(self.reading.member(owner, name, self, depth), Stop.ATTRIBUTE, node)

    def _kept_in_self(self, node: Node, name: str, depth: int) -> V | None:
        """What the class around a node keeps in ``self.<name>``; None where it shows nothing of the kind."""
        owner = self.source.enclosing(node, "class_definition")
        key = ("self", name, owner.id if owner is not None else 0)
        return self._answers.of(key, depth - 1, self._anew(lambda: self._given_to_self(node, name, depth)))

    def _given_to_self(self, node: Node, name: str, depth: int) -> V | None:
        ways = self.reading.ways
        if Way.BARE_ANNOTATIONS in ways:
            said = self.annotated(self.classes.annotated_on_self(node, name), depth)
            if said is not None:
                return said
        values = self.classes.assigned_to_self(node, name)
        if values:
            seen = self._stops
            found = self.reading.joined(self.of(value, depth) for value in values)
            return self._agreed(found, seen, node)
        is_buffer = Way.BUFFERS in ways and self.classes.is_buffer(node, name)
        return self.reading.buffer() if is_buffer else None

    # -- calls -------------------------------------------------------------------------------------

    def _call(self, node: Node, depth: int) -> V:
        function = field(node, "function")
        if function is None:
            return self.stopped(Stop.EXPRESSION, node)
        if self._others is not None:
            callees = tuple(self._others.callees(self.source, node, self, depth))
            if callees:
                given = chain.from_iterable(map(self._others.returned, callees))
                return self._from(given, Stop.RETURN, node, depth)
        resolution = self.source.names.qualified_name(function)
        if resolution is not None:
            made = self.reading.made_by(resolution, node)
            if made is not None:
                return self._or_stop(made, Stop.CALL, node)
        if function.type == "identifier":
            return self._plain_call(function, node, depth)
        if function.type == "attribute":
            name, receiver = field(function, "attribute"), field(function, "object")
            if name is not None and receiver is not None:
                found = self.reading.method(receiver, text_of(name), self, depth)
                if found is not None:
                    return found
        return self._or_stop(self.reading.applied(function, self, depth), Stop.CALL, node)

    def _plain_call(self, function: Node, call: Node, depth: int) -> V:
        found = self.reading.plain_call(function, call, self, depth)
        if found is not None:
            return found
        definition = self.reading.definition_behind(function, self)
        if definition is None:
            return self._or_stop(self.reading.applied(function, self, depth), Stop.CALL, call)
        if definition.type == "class_definition":
            return self._or_stop(self.reading.instance_of(definition, self, depth), Stop.OWN_CLASS, call)
        return self.returned(definition, depth)

    def returned(self, function: Node, depth: int) -> V:
        """What a function of the file returns."""
        if Way.RETURNS not in self.reading.ways:
            return self.stopped(Stop.RETURN, function)
        said = self.annotated(field(function, "return_type"), depth)
        if said is not None:
            return said
        values = self.classes.returned_by(function)
        if not values:
            return self.stopped(Stop.RETURN, function)
        seen = self._stops
        return self._agreed(self.reading.joined(self.of(value, depth) for value in values), seen, function)

    # -- expressions -------------------------------------------------------------------------------

    def _subscript(self, node: Node, depth: int) -> V:
        value = field(node, "value")
        found = self.reading.item(self.of(value, depth), node, self, depth) if value is not None else None
        return self._or_stop(found, Stop.SUBSCRIPT, node)

    def _operation(self, node: Node, depth: int) -> V:
        if any(child.type in ("is", "is not", "in", "not in") for child in node.children):
            return self._or_stop(self.reading.truth(), Stop.OPERATION, node)
        operands = [self.of(child, depth) for child in node.named_children if child.type != "comment"]
        return self._or_stop(self.reading.operation(node, operands), Stop.OPERATION, node)

    def _conditional(self, node: Node, depth: int) -> V:
        parts = parts_of(node)
        return self._either((parts[0], parts[-1]), node, depth)

    def _boolean(self, node: Node, depth: int) -> V:
        if Way.OPERANDS not in self.reading.ways:
            return self.stopped(Stop.OPERATION, node)
        return self._either(tuple(node.named_children), node, depth)

    def _either(self, parts: tuple[Node, ...], node: Node, depth: int) -> V:
        seen = self._stops
        return self._agreed(self.reading.joined(self.of(part, depth) for part in parts), seen, node)

    def _awaited(self, node: Node, depth: int) -> V:
        if Way.AWAITING not in self.reading.ways or not node.named_children:
            return self.stopped(Stop.EXPRESSION, node)
        return self.of(node.named_children[0], depth)

    def _named(self, node: Node, depth: int) -> V:
        value = field(node, "value")
        return self.of(value, depth) if value is not None else self.stopped(Stop.EXPRESSION, node)

    _STEPS: ClassVar[dict[str, Callable[[Walker[Any], Node, int], Any]]] = {
        "identifier": _identifier,
        "attribute": _attribute,
        "call": _call,
        "subscript": _subscript,
        "binary_operator": _operation,
        "comparison_operator": _operation,
        "unary_operator": _operation,
        "conditional_expression": _conditional,
        "boolean_operator": _boolean,
        "named_expression": _named,
        "await": _awaited,
    }


def _latest(bindings: tuple[Binding, ...], node: Node) -> Binding | None:
    """The binding that a place reads, as far as the order of the text shows."""
    given = [binding for binding in bindings if binding.kind is BindingKind.PARAMETER]
    before = [binding for binding in bindings if binding.statement.end_byte <= node.start_byte]
    return next(reversed([*given, *before]), None)
