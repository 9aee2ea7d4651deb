"""What a name or dotted expression is defined as, in whichever file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ..flow.parameters import base_expressions, fields_of, is_dataclass, is_static, method_of, parameter_of
from ..limits.parents import parent_of
from ..limits.walks import PROGRAM_LIMITS
from ..text.scopes import Binding, BindingKind
from ..text.syntax import arguments_of, enclosing, field, last_name, text_of, without_parentheses
from .files import ProgramFile, ProgramFiles

CLASS, FUNCTION, MODULE, NAME = "class_definition", "function_definition", "module", "identifier"


class Definition(NamedTuple):
    """A class, a function, a module or a variable of a module."""

    file: ProgramFile
    node: Node
    """The statement; of a module its root, of a variable the identifier that one assignment binds."""
    is_bound: bool = False
    """Whether it is a method of an object that is given already."""

    @property
    def kind(self) -> str:
        """The type of the node."""
        return self.node.type

    @property
    def key(self) -> tuple[str, int]:
        """What is the same for each look-up."""
        return self.file.path, self.node.start_byte


class Definitions:
    """Looks up definitions across the files of a program."""

    def __init__(self, files: ProgramFiles) -> None:
        self._files = files
        self._known: dict[tuple[str, int, int], Definition | None] = {}

    def of(self, file: ProgramFile, expression: Node, depth: int = 0) -> Definition | None:
        """The definition that an expression stands for; None for what is not the project's, or unknown."""
        key = (file.path, expression.start_byte, expression.end_byte)
        if key not in self._known:
            self._known[key] = None  # what is defined by itself is nothing
            self._known[key] = self._of(file, without_parentheses(expression), depth)
        return self._known[key]

    def _of(self, file: ProgramFile, expression: Node, depth: int) -> Definition | None:
        if depth > PROGRAM_LIMITS.names:
            return None
        if expression.type == NAME:
            return self._of_name(file, expression, depth)
        if expression.type == "attribute":
            return self._of_attribute(file, expression, depth)
        if expression.type == "call" and last_name(expression) in ("partial", "compile", "jit", "remote"):
            given = arguments_of(expression).at(0)
            return self.of(file, given.value, depth + 1) if given is not None else None
        return None

    def _of_name(self, file: ProgramFile, name: Node, depth: int) -> Definition | None:
        bindings = file.source.names.bindings_in_scope(text_of(name), name)
        found = [item for item in bindings if item.kind is not BindingKind.ANNOTATION]
        if not found:
            return self._of_star(file, text_of(name), depth)
        return self._of_binding(file, found[-1], depth)

    def _of_binding(self, file: ProgramFile, binding: Binding, depth: int) -> Definition | None:
        if binding.kind is BindingKind.DEFINITION:
            return Definition(file, binding.statement)
        if binding.kind is BindingKind.IMPORT:
            return self._of_import(file, binding.target, depth)
        if binding.kind is not BindingKind.ASSIGNMENT:
            return None
        value = binding.value
        if value is not None and value.type in (NAME, "attribute", "call"):
            found = self.of(file, value, depth + 1)
            if found is not None and (value.type != "call" or found.kind == FUNCTION):
                return found
        is_global = parent_of(binding.scope) is None
        return Definition(file, binding.node) if is_global else None

    def _of_star(self, file: ProgramFile, name: str, depth: int) -> Definition | None:
        for module in file.source.names.star_imports:
            other = self._files.module(file, module)
            found = self.member_of_module(other, name, depth + 1) if other is not None else None
            if found is not None:
                return found
        return None

    def _of_import(self, file: ProgramFile, target: str, depth: int) -> Definition | None:
        module = self._files.module(file, target)
        if module is not None:
            return Definition(module, module.source.root)
        holder, dot, name = target.rpartition(".")
        if not dot:
            return None
        prefix = holder or "."
        if target.startswith(".") and not target.strip(".").count("."):
            prefix = target[: len(target) - len(name)]
        other = self._files.module(file, prefix)
        return self.member_of_module(other, name, depth + 1) if other is not None else None

    def member_of_module(self, module: ProgramFile, name: str, depth: int = 0) -> Definition | None:
        """What a module has under a name."""
        if depth > PROGRAM_LIMITS.names:
            return None
        root = module.source.root.id
        own = [item for item in module.source.names.bindings(name) if item.scope.id == root]
        if own:
            return self._of_binding(module, own[-1], depth)
        found = self._of_star(module, name, depth)
        if found is None and module.path.endswith("__init__.py"):
            below = self._files.module(module, f".{name}")
            found = Definition(below, below.source.root) if below is not None else None
        return found

    def _of_attribute(self, file: ProgramFile, attribute: Node, depth: int) -> Definition | None:
        name, receiver = field(attribute, "attribute"), field(attribute, "object")
        if name is None or receiver is None:
            return None
        owner = self.of(file, receiver, depth + 1)
        if owner is not None and owner.kind == MODULE:
            return self.member_of_module(owner.file, text_of(name), depth + 1)
        if owner is not None and owner.kind == CLASS:
            return self.method(owner, text_of(name))
        of_class = self.class_of(file, receiver, depth + 1)
        method = self.method(of_class, text_of(name)) if of_class is not None else None
        if method is None:
            return None
        return method._replace(is_bound=not is_static(method.node))

    def class_of(self, file: ProgramFile, expression: Node, depth: int = 0) -> Definition | None:
        """The class of the project of which the value of an expression is an instance."""
        if depth > PROGRAM_LIMITS.names:
            return None
        node = without_parentheses(expression)
        if node.type == NAME:
            if text_of(node) in ("self", "cls"):
                owner = enclosing(node, CLASS)
                return Definition(file, owner) if owner is not None else None
            return self._class_of_name(file, node, depth)
        if node.type == "call":
            if last_name(node) == "super":
                return self._first_base(file, node, depth)
            function = field(node, "function")
            made = self.of(file, function, depth + 1) if function is not None else None
            return made if made is not None and made.kind == CLASS else None
        return None

    def _class_of_name(self, file: ProgramFile, name: Node, depth: int) -> Definition | None:
        for binding in file.source.names.bindings_in_scope(text_of(name), name):
            annotation = _annotation_of(binding)
            if annotation is not None:
                found = self.of(file, annotation, depth + 1)
                if found is not None and found.kind == CLASS:
                    return found
            value = binding.value if binding.kind is BindingKind.ASSIGNMENT else None
            if value is not None and value.type == "call":
                return self.class_of(file, value, depth + 1)
        return None

    def _first_base(self, file: ProgramFile, node: Node, depth: int) -> Definition | None:
        owner = enclosing(node, CLASS)
        bases = self.bases(Definition(file, owner), depth + 1) if owner is not None else iter(())
        return next(bases, None)

    def bases(self, owner: Definition, depth: int = 0) -> Iterator[Definition]:
        """The project's classes that a class derives from directly."""
        for base in base_expressions(owner.node):
            found = self.of(owner.file, base, depth + 1)
            if found is not None and found.kind == CLASS:
                yield found

    def ancestry(self, owner: Definition) -> Iterator[Definition]:
        """A class, and the project's classes that it derives from, nearest first."""
        waiting, seen = [owner], set[tuple[str, int]]()
        while waiting and len(seen) < PROGRAM_LIMITS.bases:
            found = waiting.pop(0)
            if found.key not in seen:
                seen.add(found.key)
                yield found
                waiting.extend(self.bases(found))

    def method(self, owner: Definition, name: str) -> Definition | None:
        """The method of a name that a class has or inherits."""
        for found in self.ancestry(owner):
            method = method_of(found.node, name)
            if method is not None:
                return Definition(found.file, method)
        return None

    def parameter(self, called: Definition, argument: int | str) -> tuple[ProgramFile, Node] | None:
        """The identifier of the parameter that takes an argument of a call, and its file."""
        if called.kind == CLASS:
            initializer = self.method(called, "__init__")
            if initializer is None:
                return self._field(called, argument)
            called = initializer._replace(is_bound=True)
        if called.kind != FUNCTION:
            return None
        name = parameter_of(called.node, argument, bound=called.is_bound)
        return (called.file, name) if name is not None else None

    def _field(self, owner: Definition, argument: int | str) -> tuple[ProgramFile, Node] | None:
        """The field of a dataclass or of a model that its constructor fills."""
        for found in self.ancestry(owner):
            fields = list(fields_of(found.node))
            if isinstance(argument, int):
                is_plain = is_dataclass(found.node) and not base_expressions(found.node)
                return (found.file, fields[argument]) if is_plain and argument < len(fields) else None
            named = next((item for item in fields if text_of(item) == argument), None)
            if named is not None:
                return found.file, named
        return None


def _annotation_of(binding: Binding) -> Node | None:
    """The class that a parameter or a variable is annotated with, as an expression."""
    holder = parent_of(binding.node)
    annotation = field(holder, "type")
    if annotation is None or not annotation.named_children:
        return None
    return annotation.named_children[0]
