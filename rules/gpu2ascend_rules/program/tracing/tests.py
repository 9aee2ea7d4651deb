"""Where a word meets other words: comparisons, lists of allowed values, types that list them, tables."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...flow.templates import literal_texts, plain_text, string_template
from ...limits.below import nodes_in
from ...limits.parents import parent_of
from ...text.scopes import BindingKind
from ...text.syntax import arguments_of, field, is_field, last_name, same, text_of, without_parentheses
from ..files import ProgramFile
from ..names.definition import CLASS, NAME
from ..values import EndKind, Met, Value, Word
from .parts import Tracing

_DISPLAYS = frozenset({"list", "tuple", "set"})
_MAKES_DISPLAYS = frozenset({"list", "tuple", "set", "frozenset", "sorted", "dict"})
_EQUALS = frozenset({"==", "!=", "is", "is not", "<>"})
_CONTAINS = frozenset({"in", "not in"})
_NPU_WORDS = ("npu", "hccl", "HCCL")
_MOST_ITEMS = 100


class Tests:
    """Records the ends at which words must agree."""

    def __init__(self, tracer: Tracing) -> None:
        self._tracer = tracer

    # -- comparisons -----------------------------------------------------------------------------------

    def compared(self, value: Value, parent: Node) -> Iterator[Value]:
        """``value == 'cuda'``, ``value in ('cuda', 'cpu')`` and ``'cuda' in value``."""
        parts = [child for child in parent.children if child.type != "comment"]
        place = next((index for index, part in enumerate(parts) if same(part, value.node)), -1)
        is_in_list = place == 2 and parts[1].type in _CONTAINS and _is_item(value.access)
        if len(parts) == 3 and (is_in_list or not value.access):
            self._tracer.meet(value, parent)
        if not value.access and place >= 0 and len(parts) <= 2 * _MOST_ITEMS:
            if place + 2 < len(parts):
                self._beside(value, parent, parts[place + 1].type, parts[place + 2], is_left=True)
            if place >= 2:
                self._beside(value, parent, parts[place - 1].type, parts[place - 2], is_left=False)
        return iter(())

    def _beside(self, value: Value, place: Node, operator: str, other: Node, *, is_left: bool) -> None:
        if operator in _EQUALS or (operator in _CONTAINS and not is_left):
            self._tested(value, place, [without_parentheses(other)], value.file)
        elif operator in _CONTAINS:
            self._listed(value, place, other)

    def _tested(self, value: Value, place: Node, others: list[Node], file: ProgramFile) -> None:
        words, is_served = self._words(file, others)
        if words or is_served:
            self._tracer.end(EndKind.TESTED, value, place, Met(words, is_served))

    def _listed(self, value: Value, place: Node, other: Node, *, is_choice: bool = False) -> None:
        file, display = self._display(value.file, other)
        if display is None:
            return
        items = display.named_children
        if display.type == "dictionary":
            items = [key for pair in items if (key := field(pair, "key")) is not None]
        if len(items) > _MOST_ITEMS:
            return
        words, is_served = self._words(file, items)
        if words or is_served:
            self._tracer.end(EndKind.LISTED, value, place, Met(words, is_served, is_choice))

    def _words(self, file: ProgramFile, nodes: list[Node]) -> tuple[tuple[Word, ...], bool]:
        """The words of the subject among some expressions, and whether one is the NPU's."""
        words, is_served = [], False
        for node in nodes:
            text = string_template(node) if node.type == "string" else plain_text(node)
            if text is None:
                file_of, constant = self._constant(file, node)
                if constant is None:
                    continue
                node, text = constant, string_template(constant)
                words += [Word(file_of.path, node.start_byte)] if self._tracer.subject.is_text(text) else []
            elif self._tracer.subject.is_text(text):
                words.append(Word(file.path, node.start_byte))
            is_served = is_served or text.partition(":")[0] in _NPU_WORDS
        return tuple(words), is_served

    def _constant(self, file: ProgramFile, node: Node) -> tuple[ProgramFile, Node | None]:
        """The string literal that a name of a constant stands for."""
        holder, value = self._assigned(file, node)
        return holder, value if value is not None and value.type == "string" else None

    def _display(self, file: ProgramFile, node: Node) -> tuple[ProgramFile, Node | None]:
        """The list, tuple, set or dictionary that an expression is, or that a constant stands for."""
        holder, value = file, without_parentheses(node)
        if value.type in (NAME, "attribute"):
            holder, assigned = self._assigned(file, value)
            value = assigned if assigned is not None else value
        if value.type == "call" and last_name(value) in _MAKES_DISPLAYS:
            given = arguments_of(value).at(0)  # ``frozenset({'cpu', 'cuda'})``
            value = given.value if given is not None else value
        return holder, value if value.type in _DISPLAYS or value.type == "dictionary" else None

    def _assigned(self, file: ProgramFile, node: Node) -> tuple[ProgramFile, Node | None]:
        """The one value that is assigned to the variable that an expression reads."""
        if node.type not in (NAME, "attribute"):
            return file, None
        if node.type == NAME:
            bindings = file.source.names.bindings_in_scope(text_of(node), node)
            if len(bindings) == 1 and bindings[0].kind is BindingKind.ASSIGNMENT:
                return file, bindings[0].value
        found = self._tracer.definitions.of(file, node)
        if found is not None and found.kind == NAME:
            holder = parent_of(found.node)
            is_target = holder is not None and holder.type == "assignment" and is_field(found.node, "left")
            return found.file, field(holder, "right") if is_target else None
        return self._of_class(file, node)

    def _of_class(self, file: ProgramFile, node: Node) -> tuple[ProgramFile, Node | None]:
        """The value of ``self.NAME`` or ``Class.NAME`` that the body of a class assigns."""
        name, receiver = field(node, "attribute"), field(node, "object")
        if name is None or receiver is None:
            return file, None
        definitions = self._tracer.definitions
        owner = definitions.classes.of(file, receiver) or definitions.of(file, receiver)
        found = (
            definitions.classes.constant(owner, text_of(name))
            if owner is not None and owner.kind == CLASS
            else None
        )
        return (found.file, field(parent_of(found.node), "right")) if found is not None else (file, None)

    def searched(self, value: Value, call: Node) -> None:
        """``value.startswith('cuda')``."""
        given = arguments_of(call).at(0)
        if given is None:
            return
        if given.value.type in _DISPLAYS:
            self._listed(value, call, given.value)
        else:
            self._tested(value, call, [given.value], value.file)

    def matched(self, value: Value, parent: Node) -> Iterator[Value]:
        """``match value`` with the patterns of its cases."""
        body = field(parent, "body")
        if value.access or body is None or not is_field(value.node, "subject"):
            return iter(())
        for case in body.named_children:
            patterns = [item for item in case.children if item.type == "case_pattern"]
            for pattern in patterns:
                strings = [item for item in nodes_in(pattern) if item.type == "string"]
                self._tested(value, pattern, strings, value.file)
        return iter(())

    # -- types and tables ------------------------------------------------------------------------------

    def annotated(self, value: Value, name: Node) -> None:
        """``name: Literal['cpu', 'cuda']``."""
        annotation = field(parent_of(name), "type")
        if value.access or annotation is None:
            return
        file, listed = value.file, annotation
        inner = annotation.named_children[0] if annotation.named_children else annotation
        if inner.type == NAME:
            file, alias = self._assigned(value.file, inner)
            listed = alias if alias is not None else annotation
        if literal_texts(listed):
            strings = [item for item in nodes_in(listed) if item.type == "string"]
            words, is_served = self._words(file, strings)
            if words or is_served:
                self._tracer.end(EndKind.LISTED, value, name, Met(words, is_served))

    def listed(self, value: Value, place: Node, allowed: Node) -> None:
        """The words that a validator lets pass."""
        self._listed(value, place, allowed)

    def chosen(self, value: Value, place: Node, choices: Node) -> None:
        """The choices of an option whose default a word is, or that it is one of."""
        self._listed(value, place, choices, is_choice=True)

    def looked_up(self, value: Value, parent: Node) -> None:
        """``table[value]``, by a table whose keys are words."""
        holder = field(parent, "value")
        if holder is not None:
            self._listed(value, parent, holder)


def _is_item(access: tuple[str, ...]) -> bool:
    """Whether a word is directly in a list."""
    return len(access) == 1 and access[0].startswith("[")
