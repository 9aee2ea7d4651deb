"""What names of constants mean that words are compared with, or looked up in."""

from __future__ import annotations

from tree_sitter import Node

from ...limits.parents import parent_of
from ...text.scopes import BindingKind
from ...text.syntax import arguments_of, field, is_field, last_name, text_of, without_parentheses
from ..names.definition import CLASS, NAME
from ..names.definitions import Definitions
from ..names.files import ProgramFile
from ..templates import plain_text

DISPLAYS = frozenset({"list", "tuple", "set"})
_MAKES_DISPLAYS = frozenset({"list", "tuple", "set", "frozenset", "sorted", "dict"})


class Constants:
    """Looks up the values that are assigned to names once."""

    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions

    def constant(self, file: ProgramFile, node: Node) -> tuple[ProgramFile, Node | None]:
        """The string literal that a name of a constant means."""
        holder, value = self.assigned(file, node)
        return holder, value if value is not None and value.type == "string" else None

    def display(self, file: ProgramFile, node: Node) -> tuple[ProgramFile, Node | None]:
        """The list, tuple, set or dictionary that an expression is, or that a constant means."""
        holder, value = file, without_parentheses(node)
        if value.type in (NAME, "attribute"):
            holder, assigned = self.assigned(file, value)
            value = assigned if assigned is not None else value
        if value.type == "call" and last_name(value) in _MAKES_DISPLAYS:
            given = arguments_of(value).at(0)  # ``frozenset({'cpu', 'cuda'})``
            value = given.value if given is not None else value
        return holder, value if value.type in DISPLAYS or value.type == "dictionary" else None

    def items(self, file: ProgramFile, node: Node) -> tuple[ProgramFile, list[Node]]:
        """What a list or another display holds, of a dictionary its keys; of an entry of a constant
        dictionary, ``VALID[key]``, what it may hold."""
        holder, display = self.display(file, node)
        if display is not None:
            return holder, _items(display)
        table, key = field(node, "value"), plain_text(field(node, "subscript"))
        holder, display = self.display(file, table) if table is not None else (file, None)
        if node.type != "subscript" or display is None or display.type != "dictionary":
            return file, []
        pairs = (pair for pair in display.named_children if key in (None, plain_text(field(pair, "key"))))
        held = [value for pair in pairs if (value := field(pair, "value")) is not None]
        return holder, [item for value in held if value.type in DISPLAYS for item in _items(value)]

    def assigned(self, file: ProgramFile, node: Node) -> tuple[ProgramFile, Node | None]:
        """The one value that is assigned to the variable that an expression reads."""
        if node.type not in (NAME, "attribute"):
            return file, None
        if node.type == NAME:
            bindings = file.source.names.bindings_in_scope(text_of(node), node)
            if len(bindings) == 1 and bindings[0].kind is BindingKind.ASSIGNMENT:
                return file, bindings[0].value
        found = self._definitions.of(file, node)
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
        definitions = self._definitions
        owner = definitions.classes.of(file, receiver) or definitions.of(file, receiver)
        found = (
            definitions.classes.constant(owner, text_of(name))
            if owner is not None and owner.kind == CLASS
            else None
        )
        return (found.file, field(parent_of(found.node), "right")) if found is not None else (file, None)


def _items(display: Node) -> list[Node]:
    if display.type != "dictionary":
        return display.named_children
    return [key for pair in display.named_children if (key := field(pair, "key")) is not None]
