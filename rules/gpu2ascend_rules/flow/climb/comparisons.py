"""Comparisons with a value of the subject, and the evidence that an expression is one."""

from __future__ import annotations

import enum
from collections.abc import Callable

from tree_sitter import Node

from ...engine.context import Context
from ...inference.walk.reading import ReadingOfAny, Walk, Way
from ...inference.walk.walker import Walker
from ...limits.parents import parent_of, parent_type
from ...limits.walks import CLIMB_LIMITS
from ...text.scopes import BindingKind
from ...text.syntax import arguments_of, field, is_field, same, text_of
from .. import templates
from ..libraries import Origin, is_of_other_devices, source_of_value
from .parts import Flow, Value
from .subject import PlaceKind
from .verdicts import NEUTRAL, SHOWN, UNKNOWN, Role, Verdict

_OF_RECEIVER = frozenset(
    {
        "lower", "strip", "lstrip", "rstrip", "split", "rsplit", "partition", "replace", "removeprefix",
        "casefold",
    }
)  # fmt: skip
_GETTERS = frozenset({"get", "pop", "setdefault", "getattr", "getenv", "get_attr"})
_TEXT_BUILTINS = frozenset({"str", "repr", "format"})


class _Is(enum.Enum):
    """Whether an expression is of the subject."""

    NAMED = "of the subject"
    OTHER = "nothing shows that it is"
    PENDING = "being looked into"


class _Named(ReadingOfAny[_Is]):
    """Whether a value may be of the subject: what is defined by itself is no evidence."""

    sought = _Is.NAMED
    unknown = _Is.OTHER
    pending = _Is.PENDING
    ways = frozenset({Way.OPERANDS, Way.BARE_ANNOTATIONS})

    def __init__(self, comparisons: Comparisons) -> None:
        self._comparisons = comparisons

    def settled(self, node: Node, walk: Walk[_Is], depth: int) -> _Is | None:
        return self._comparisons.judged(node, depth)

    def annotated(self, annotation: Node, walk: Walk[_Is], depth: int) -> _Is | None:
        return _Is.NAMED if self._comparisons.is_literal_type(annotation) else None


class Comparisons:
    """Whether what stands beside a text in a comparison is of the subject."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._subject = flow.subject
        self._walker = Walker(flow.ctx.source, _Named(self))
        self._judged: dict[object, _Is | None] = {}
        self._depth = 0
        self._judges: dict[str, Callable[[Node], bool | None]] = {
            "identifier": self._is_named_variable,
            "attribute": self._is_named_attribute,
            "call": self._is_named_call,
            "subscript": self._is_named_item,
            "binary_operator": self._is_named_sum,
        }

    # -- where a text is compared ------------------------------------------------------------------

    def operand(self, value: Value, comparison: Node) -> Verdict:
        """The role of an operand of a comparison."""
        neighbour = _neighbour(value.node, comparison)
        if neighbour is None:
            return NEUTRAL
        other, operator, is_left = neighbour
        if self._subject.handled(comparison, self._flow.ctx):
            return SHOWN
        if value.boxed:
            looked_up = operator.endswith("in") and not is_left
            return self._looked_up(value, other) if looked_up else NEUTRAL
        if operator not in ("==", "!=", "is", "is not", "in", "not in", "<>"):
            return NEUTRAL
        if operator.endswith("in") and is_left and self._subject.holder(other, self._flow.ctx):
            return Verdict(Role.CONSUMED, comparison)
        if self.is_named(other) or self._is_rivals(other, comparison):
            return self._test(other, comparison)
        return self._subject.at(PlaceKind.COMPARED) if value.node.type == "string" else NEUTRAL

    def _is_rivals(self, tested: Node, comparison: Node) -> bool:
        """Whether the same is compared with a rival in its function: ``'cuda' in name or 'xpu' in name``."""
        ctx = self._flow.ctx
        known = ctx.once(("rivals", self._subject.name), self._compared_with_rivals)
        return bool(known) and (_function_of(comparison, ctx), text_of(tested)) in known

    def _compared_with_rivals(self) -> frozenset[tuple[int, str]]:
        """What is compared with a rival, with the function that does so."""
        found: set[tuple[int, str]] = set()
        source = self._flow.ctx.source
        for offset in (offset for word in self._subject.rivals for offset in source.find_all(word)):
            content = source.node_at(offset, offset + 1)
            string = parent_of(content) if content is not None and content.type == "string_content" else None
            comparison = parent_of(string) if string is not None else None
            if string is None or comparison is None or comparison.type != "comparison_operator":
                continue
            others = [item for item in comparison.named_children if not same(item, string)]
            if len(others) == 1 and self._subject.rival(templates.plain_text(string) or ""):
                found.add((_function_of(comparison, self._flow.ctx), text_of(others[0])))
        return frozenset(found)

    def _looked_up(self, value: Value, other: Node) -> Verdict:
        if value.is_mixed(self._subject) or not self.is_named(other):
            return self._subject.at(PlaceKind.MEMBERSHIP)
        return Verdict(Role.MEMBER, value.node, certain=False)

    def case(self, value: Value, pattern: Node) -> Verdict:
        """The role of a text in a ``case`` pattern."""
        statement = self._flow.ctx.source.enclosing(pattern, "match_statement")
        subject = field(statement, "subject")
        if subject is None or not self.is_named(subject):
            return self._subject.at(PlaceKind.COMPARED)
        if pattern.type == "union_pattern":
            return self._subject.at(PlaceKind.PATTERN)._replace(node=pattern, certain=False)
        return self._test(subject, pattern)

    def _test(self, tested: Node, place: Node) -> Verdict:
        """The role of a text that a value of the subject is tested for."""
        return (
            UNKNOWN._replace(node=place) if self._is_filled_elsewhere(tested) else Verdict(Role.TEST, place)
        )

    def _is_filled_elsewhere(self, expression: Node) -> bool:
        """Whether it is an attribute that only its uses show to be of the subject and no code here sets.

        The file that sets it, as that of a base class, has no such uses and keeps its texts: a test that
        changed alone would fail.
        """
        identifier = field(expression, "attribute") if expression.type == "attribute" else None
        receiver = field(expression, "object")
        if identifier is None or receiver is None:
            return False
        if text_of(receiver) in ("self", "cls") and not self._has_foreign_base(expression):
            return False
        name = text_of(identifier)
        if name in self._subject.parts or self._subject.names(name):
            return False
        source = self._flow.ctx.source
        option = "--" + name.replace("_", "-")
        if any(text in source.text for text in (f'"{name}"', f"'{name}'", f"--{name}", option)):
            return False
        return all(_is_read_attribute(item) for item in source.identifiers(name))

    def _has_foreign_base(self, expression: Node) -> bool:
        """Whether the class around an expression has a base class of another file of the project."""
        ctx = self._flow.ctx
        owner = ctx.source.enclosing(expression, "class_definition")
        return owner is not None and ctx.once(
            ("foreign base", owner.id), lambda: self._derives_from_another_file(owner)
        )

    def _derives_from_another_file(self, owner: Node) -> bool:
        bases = field(owner, "superclasses")
        ctx = self._flow.ctx
        for base in bases.named_children if bases is not None else ():
            origin = source_of_value(base, ctx).origin if base.type in ("identifier", "attribute") else None
            if origin in (Origin.PROJECT, Origin.LIBRARY):
                return True
        return False

    # -- what is of the subject ------------------------------------------------------------------------

    def is_named(self, expression: Node) -> bool:
        """Whether an expression is of the subject: a device, or the name or a part of the name of one."""
        return self._walker.of(expression, self._depth) is _Is.NAMED

    def judged(self, node: Node, depth: int) -> _Is | None:
        """Whether an expression is of the subject; None where what it is given decides.

        To judge it may take other walks, which go on from its depth.
        """
        judge = self._judges.get(node.type)
        if judge is None:
            return None
        key = self._key(node)
        if key not in self._judged:
            self._judged[key] = _Is.PENDING
            before, self._depth = self._depth, depth
            found = judge(node)
            self._depth = before
            self._judged[key] = None if found is None else (_Is.NAMED if found else _Is.OTHER)
        return self._judged[key]

    def _key(self, node: Node) -> object:
        """One answer serves all uses of a variable."""
        if node.type != "identifier":
            return node.id
        bindings = self._flow.ctx.source.names.bindings_in_scope(text_of(node), node)
        return (text_of(node), bindings[0].scope.id) if bindings else text_of(node)

    def _is_named_variable(self, node: Node) -> bool | None:
        name = text_of(node)
        if self._subject.handled(node, self._flow.ctx):
            return False
        bindings = self._flow.ctx.source.names.bindings_in_scope(name, node)
        if bindings and all(self._comes_from_apart(item.value) for item in bindings):
            return False
        if self._subject.names(name) and not self._flow.knows_foreign:
            return True
        uses = NEUTRAL
        if bindings and bindings[0].kind is not BindingKind.IMPORT:
            uses = self._flow.variables.uses_of_name(name, bindings[0].scope, self._any_value(node))
        if uses.role in (Role.CONSUMED, Role.FOREIGN):
            return uses.role is Role.CONSUMED
        return True if self._subject.names(name) or self._is_of_kind(node) else None

    def _comes_from_apart(self, value: Node | None) -> bool:
        """Whether an expression calls what gives texts of the same form that mean something else."""
        function = field(value, "function") if value is not None and value.type == "call" else None
        if function is None or not self._subject.callees_apart:
            return False
        resolution = self._flow.ctx.source.names.qualified_name(function)
        return resolution is not None and self._subject.apart_of(resolution.qualified_name) is not None

    def is_literal_type(self, annotation: Node) -> bool:
        """Whether a type admits texts of the subject alone, other types aside: ``Literal['cpu', 'cuda']``."""
        texts = templates.literal_texts(self._alias_behind(annotation))
        return bool(texts) and self._subject.keys_tell(texts) is Role.KEY

    def _alias_behind(self, annotation: Node) -> Node:
        """What a name for a type stands for."""
        name = annotation.named_children[0] if annotation.type == "type" else annotation
        if name.type != "identifier":
            return annotation
        bindings = self._flow.ctx.source.names.bindings_in_scope(text_of(name), name)
        values = [item.value for item in bindings]
        return values[0] or annotation if len(values) == 1 else annotation

    def _any_value(self, node: Node) -> Value:
        """What a variable would hold if it were of the subject."""
        return Value(node, self._subject.sample)

    def _is_of_kind(self, node: Node) -> bool:
        kind = self._subject.kind
        return kind is not None and self._flow.ctx.kind(node) is kind

    def _is_named_sum(self, node: Node) -> bool:
        left = field(node, "left")
        return left is not None and self.is_named(left)

    def _is_named_attribute(self, node: Node) -> bool | None:
        identifier, receiver = field(node, "attribute"), field(node, "object")
        if identifier is None or receiver is None:
            return False
        name = text_of(identifier)
        if name in self._subject.parts:
            return self._has_part(receiver)
        if self._subject.names(name) and not self._flow.knows_foreign:
            return not self._is_foreign(receiver)
        uses = self._flow.variables.uses_of_attribute(node, name, self._any_value(node))
        if uses.role in (Role.CONSUMED, Role.FOREIGN):
            return uses.role is Role.CONSUMED
        if self._subject.names(name):
            return not self._is_foreign(receiver)
        return None if text_of(receiver) == "self" else False

    def _is_foreign(self, expression: Node) -> bool:
        return self._subject.of_torch and is_of_other_devices(expression, self._flow.ctx)

    def _has_part(self, receiver: Node) -> bool:
        """Whether ``receiver.type`` is a device's: only devices have a type that is called ``cuda``."""
        if self.is_named(receiver):
            return True
        if receiver.type == "identifier" and self._subject.handled(receiver, self._flow.ctx):
            return False
        return self._flow.ctx.imports_module("torch") and not self._is_foreign(receiver)

    def _is_named_call(self, node: Node) -> bool:
        function = field(node, "function")
        if function is None:
            return False
        arguments = arguments_of(node).positional
        name = text_of(function).rpartition(".")[2]
        if function.type == "attribute":
            receiver = field(function, "object")
            keeps = name in _OF_RECEIVER or name in self._subject.keeps
            if keeps and receiver is not None:
                return self.is_named(receiver)
        if name in _TEXT_BUILTINS and arguments:
            return self.is_named(arguments[0].value)
        if name in _GETTERS:
            return any(self._subject.names(templates.plain_text(item.value) or "") for item in arguments)
        if name in self._subject.makers and self._is_of_kind(node):
            return True
        if self._comes_from_apart(node):
            return False
        return self._subject.names(name) and not name.startswith("is_")

    def _is_named_item(self, node: Node) -> bool:
        value = field(node, "value")
        keys = node.children_by_field_name("subscript")
        if any(self._subject.names(templates.plain_text(key) or "") for key in keys):
            return value is None or not self._is_foreign(value)
        return value is not None and self.is_named(value)


def _is_read_attribute(identifier: Node) -> bool:
    """Whether it is the ``name`` of an ``<anything>.name`` that nothing is assigned to."""
    attribute = parent_of(identifier)
    if attribute is None or attribute.type != "attribute" or not is_field(identifier, "attribute"):
        return False
    return (
        not is_field(attribute, "left")
        or parent_of(attribute) is None
        or (parent_type(attribute) not in ("assignment", "augmented_assignment"))
    )


def _neighbour(operand: Node, comparison: Node) -> tuple[Node, str, bool] | None:
    """The operand beside one, the operator between them, and whether the one is on the left."""
    if comparison.child_count > CLIMB_LIMITS.operands:
        return None
    parts = [child for child in comparison.children if child.type != "comment"]
    index = next((i for i, child in enumerate(parts) if same(child, operand)), None)
    if index is None:
        return None
    if index >= 2:
        return parts[index - 2], parts[index - 1].type, False
    if index + 2 < len(parts):
        return parts[index + 2], parts[index + 1].type, True
    return None


def _function_of(node: Node, ctx: Context) -> int:
    """Where the function around a node begins; -1 outside of any."""
    function = ctx.source.enclosing(node, "function_definition")
    return function.start_byte if function is not None else -1
