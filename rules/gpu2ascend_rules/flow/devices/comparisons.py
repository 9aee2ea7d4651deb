"""Comparisons with a device, and the evidence that an expression is one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from tree_sitter import Node

from ...inference.kinds import Kind
from ...text.scopes import BindingKind
from ...text.syntax import arguments_of, enclosing, field, last_name, same, text_of, without_parentheses
from .. import templates
from ..libraries import is_of_other_devices
from ..words import is_device_name
from .parts import Flow, Value
from .roles import NEUTRAL, TEXT, Role, Verdict

MAX_DEPTH = 20
"""How many expressions and variables the evidence for a device is followed through."""
MAX_VALUES = 20
"""How many assignments to one variable are looked at."""
MAX_OPERANDS = 200
"""Operands and operators of a comparison beyond which it is not looked at."""
_OF_RECEIVER = frozenset(
    {
        "lower", "strip", "lstrip", "rstrip", "split", "rsplit", "partition", "replace", "removeprefix",
        "casefold",
    }
)  # fmt: skip
_GETTERS = frozenset({"get", "pop", "setdefault", "getattr", "getenv", "get_attr"})
_TEXT_BUILTINS = frozenset({"str", "repr", "format"})
_FROM_ACCELERATOR = "torch.accelerator"


class Comparisons:
    """Whether what stands beside a text in a comparison is a device."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._known: dict[object, bool] = {}
        self._depth = 0

    # -- where a text is compared ------------------------------------------------------------------

    def operand(self, value: Value, comparison: Node) -> Verdict:
        """The role of an operand of a comparison."""
        neighbour = _neighbour(value.node, comparison)
        if neighbour is None:
            return NEUTRAL
        other, operator, is_left = neighbour
        if value.boxed:
            looked_up = operator.endswith("in") and not is_left
            return self._looked_up(value, other) if looked_up else NEUTRAL
        if operator not in ("==", "!=", "is", "is not", "in", "not in", "<>"):
            return NEUTRAL
        if self.is_device(other):
            return Verdict(Role.TEST, comparison)
        return TEXT if value.node.type == "string" else NEUTRAL

    def _looked_up(self, value: Value, other: Node) -> Verdict:
        if value.mixed or not self.is_device(other):
            return TEXT
        return Verdict(Role.LOOKUP, value.node, certain=False)

    def case(self, value: Value, pattern: Node) -> Verdict:
        """The role of a text in a ``case`` pattern."""
        statement = enclosing(pattern, "match_statement")
        subject = field(statement, "subject") if statement is not None else None
        if subject is None or not self.is_device(subject):
            return TEXT
        if pattern.type == "union_pattern":
            return Verdict(Role.LOOKUP, pattern, certain=False)
        return Verdict(Role.TEST, pattern)

    def knows_npu_beside(self, test: Node) -> bool:
        """Whether the function around a test tests for the NPU too: it handles both already."""
        function = enclosing(test, "function_definition")
        if function is None:
            return False
        source = self._flow.ctx.source
        for offset in source.find_all(b"npu"):
            if not function.start_byte <= offset < function.end_byte:
                continue
            node = source.node_at(offset, offset + 3)
            string = node.parent if node is not None and node.type == "string_content" else None
            if string is not None and _is_npu_test(string):
                return True
        return False

    # -- what is a device --------------------------------------------------------------------------

    def is_device(self, expression: Node) -> bool:
        """Whether an expression is a torch device, or the name or a part of the name of one."""
        node = without_parentheses(expression)
        key = self._key(node)
        known = self._known.get(key)
        if known is None and self._depth < MAX_DEPTH:
            self._known[key] = False  # what is defined by itself is no evidence
            self._depth += 1
            known = self._known[key] = self._is_device(node)
            self._depth -= 1
        return bool(known)

    def _key(self, node: Node) -> object:
        """One answer serves all uses of a variable."""
        if node.type != "identifier":
            return node.id
        bindings = self._flow.ctx.source.names.bindings_in_scope(text_of(node), node)
        return (text_of(node), bindings[0].scope.id) if bindings else text_of(node)

    def _is_device(self, node: Node) -> bool:
        if node.type == "identifier":
            return self._is_device_variable(node)
        if node.type == "attribute":
            return self._is_device_attribute(node)
        if node.type == "call":
            return self._is_device_call(node)
        if node.type == "subscript":
            return self._is_device_item(node)
        if node.type in ("conditional_expression", "boolean_operator"):
            return any(self.is_device(child) for child in node.named_children)
        if node.type == "binary_operator":
            left = field(node, "left")
            return left is not None and self.is_device(left)
        return False

    def _is_device_variable(self, node: Node) -> bool:
        name = text_of(node)
        if self.is_of_any_accelerator(node):
            return False
        if is_device_name(name) and not self._flow.knows_foreign:
            return True
        bindings = self._flow.ctx.source.names.bindings_in_scope(name, node)
        uses = NEUTRAL
        if bindings and bindings[0].kind is not BindingKind.IMPORT:
            uses = self._flow.variables.uses_of_name(name, bindings[0].scope, _any_device(node))
        if uses.role in (Role.DEVICE, Role.FOREIGN):
            return uses.role is Role.DEVICE
        if is_device_name(name) or self._flow.ctx.kind(node) is Kind.DEVICE:
            return True
        return any(self.is_device(value) for value in self._values(node))

    def _values(self, identifier: Node) -> Iterator[Node]:
        """What is assigned to a variable."""
        names = self._flow.ctx.source.names
        for binding in names.bindings_in_scope(text_of(identifier), identifier)[:MAX_VALUES]:
            if binding.kind is BindingKind.ASSIGNMENT and binding.value is not None:
                yield binding.value

    def is_of_any_accelerator(self, node: Node) -> bool:
        """Whether a variable holds a device of torch.accelerator: such code asks for any device already."""
        if node.type != "identifier" or not self._accelerators:
            return False
        return any(self.asks_accelerator(value) for value in self._values(node))

    def asks_accelerator(self, expression: Node) -> bool:
        """Whether an expression asks torch.accelerator."""
        return any(
            expression.start_byte <= item.start_byte < expression.end_byte for item in self._accelerators
        )

    @cached_property
    def _accelerators(self) -> tuple[Node, ...]:
        """Where the file asks torch.accelerator."""
        return tuple(
            item
            for item in self._flow.ctx.source.identifiers("accelerator")
            if item.parent is not None and text_of(item.parent).endswith(_FROM_ACCELERATOR)
        )

    def _is_device_attribute(self, node: Node) -> bool:
        identifier, receiver = field(node, "attribute"), field(node, "object")
        if identifier is None or receiver is None:
            return False
        name = text_of(identifier)
        if name == "type":
            return self._has_device_type(receiver)
        if is_device_name(name) and not self._flow.knows_foreign:
            return not is_of_other_devices(receiver, self._flow.ctx)
        uses = self._flow.variables.uses_of_attribute(node, name, _any_device(node))
        if uses.role in (Role.DEVICE, Role.FOREIGN):
            return uses.role is Role.DEVICE
        return is_device_name(name) and not is_of_other_devices(receiver, self._flow.ctx)

    def _has_device_type(self, receiver: Node) -> bool:
        """Whether ``receiver.type`` is a device's: only devices have a type that is called ``cuda``."""
        if self.is_device(receiver):
            return True
        if self.is_of_any_accelerator(receiver):
            return False
        return self._flow.ctx.imports_module("torch") and not is_of_other_devices(receiver, self._flow.ctx)

    def _is_device_call(self, node: Node) -> bool:
        function = field(node, "function")
        if function is None:
            return False
        arguments = arguments_of(node).positional
        name = text_of(function).rpartition(".")[2]
        if function.type == "attribute":
            receiver = field(function, "object")
            if name in _OF_RECEIVER and receiver is not None:
                return self.is_device(receiver)
        if name in _TEXT_BUILTINS and arguments:
            return self.is_device(arguments[0].value)
        if name in _GETTERS:
            return any(is_device_name(templates.plain_text(item.value) or "") for item in arguments)
        if name == "device" and self._flow.ctx.kind(node) is Kind.DEVICE:
            return True
        return is_device_name(name) and not name.startswith("is_")

    def _is_device_item(self, node: Node) -> bool:
        value = field(node, "value")
        keys = [child for child in node.named_children if not same(child, value)]
        if any(is_device_name(templates.plain_text(key) or "") for key in keys):
            return value is None or not is_of_other_devices(value, self._flow.ctx)
        return value is not None and self.is_device(value)


def _any_device(node: Node) -> Value:
    """What a variable would hold if it were a device."""
    return Value(node, "cuda")


def _is_npu_test(string: Node) -> bool:
    """Whether a text is exactly the NPU's name, and something is compared with it or searched for it."""
    if templates.plain_text(string) not in ("npu", "npu:"):
        return False
    holder = string.parent
    if holder is not None and holder.type in ("tuple", "list", "set"):
        holder = holder.parent
    if holder is None:
        return False
    call = holder.parent if holder.type == "argument_list" else None
    return holder.type == "comparison_operator" or (call is not None and last_name(call) == "startswith")


def _neighbour(operand: Node, comparison: Node) -> tuple[Node, str, bool] | None:
    """The operand beside one, the operator between them, and whether the one is on the left."""
    if comparison.child_count > MAX_OPERANDS:
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
