"""What a name or dotted expression is defined as, in whichever file."""

from __future__ import annotations

from tree_sitter import Node

from ...limits.parents import parent_of
from ...limits.walks import PROGRAM_LIMITS
from ...text.scopes import Binding, BindingKind
from ...text.syntax import arguments_of, enclosing, field, last_name, same, text_of, without_parentheses
from ...text.uses import assigned_value
from .classes import Classes
from .definition import CLASS, FUNCTION, MODULE, NAME, Definition, Lookups
from .files import Files, ProgramFile
from .parameters import is_class_method, is_static, parameter_of, star_parameter


class Definitions:
    """Looks up definitions across the files of a program."""

    followed: tuple[str, ...] = (NAME, "attribute", "call")
    """The types of the values of variables that may name a definition."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._lookups = Lookups()
        self.classes = Classes(self, self._lookups)

    def of(self, file: ProgramFile, expression: Node, depth: int = 0) -> Definition | None:
        """The definition that an expression means; None for what is not the project's, or unknown."""
        if depth > PROGRAM_LIMITS.names:
            self._lookups.give_up()
            return None
        key = (file.path, expression.start_byte, expression.end_byte)
        return self._lookups.find(key, lambda: self._of(file, without_parentheses(expression), depth), depth)

    def _of(self, file: ProgramFile, expression: Node, depth: int) -> Definition | None:
        if expression.type == NAME:
            return self._of_name(file, expression, depth)
        if expression.type == "attribute":
            return self._of_attribute(file, expression, depth)
        if expression.type == "call" and last_name(expression) in ("partial", "compile", "jit", "remote"):
            return self._made_again(file, expression, depth)
        return None

    def _made_again(self, file: ProgramFile, call: Node, depth: int) -> Definition | None:
        """The function that ``partial`` and its like make another of."""
        arguments = arguments_of(call)
        first = arguments.at(0)
        found = self.of(file, first.value, depth + 1) if first is not None else None
        if found is None or last_name(call) != "partial":
            return found
        return found._replace(given=found.given + len(arguments.positional) - 1)

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
            return self.imported(file, binding.target, depth)
        if binding.kind is BindingKind.PARAMETER:
            return _class_given(file, binding)
        if binding.kind is not BindingKind.ASSIGNMENT:
            return None
        value = assigned_value(binding)
        if value is not None and value.type in self.followed:
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

    def imported(self, file: ProgramFile, target: str, depth: int = 0) -> Definition | None:
        """What a qualified name of another module means, as a file sees that."""
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
        own = [
            item
            for item in module.source.names.bindings_in_scope(name, module.source.root)
            if item.scope.id == root and item.kind is not BindingKind.ANNOTATION
        ]
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
        owner = self.of(file, receiver, depth + 1) or self._module_of(file, receiver)
        if owner is not None and owner.kind == MODULE:
            return self.member_of_module(owner.file, text_of(name), depth + 1)
        if owner is not None and owner.kind == CLASS:
            method = self.classes.method(owner, text_of(name))
            return method._replace(is_bound=is_class_method(method.node)) if method is not None else None
        of_class = self.classes.of(file, receiver, depth + 1)
        method = self.classes.method(of_class, text_of(name)) if of_class is not None else None
        if method is None:
            return None
        return method._replace(is_bound=not is_static(method.node))

    def _module_of(self, file: ProgramFile, expression: Node) -> Definition | None:
        """The module that ``package.module`` is, where the packages have no code of their own."""
        name = file.source.names.name_of(expression)
        module = self._files.module(file, name) if name else None
        return Definition(module, module.source.root) if module is not None else None

    def called(self, file: ProgramFile, function: Node) -> Definition | None:
        """What a call of an expression enters: of an object its method, which a module of torch calls too."""
        found = self.of(file, function)
        if found is not None and found.kind != NAME:
            return found
        owner = self.classes.of(file, function)
        if owner is None:
            return found
        method = self.classes.method(owner, "__call__") or self.classes.method(owner, "forward")
        return method._replace(is_bound=True) if method is not None else found

    def parameter(self, called: Definition, argument: int | str) -> Definition | None:
        """The name of the parameter or field that takes an argument of a call.

        Of ``*rest`` and ``**rest`` see :meth:`collected`.
        """
        function = self._called(called)
        if function.kind == CLASS:
            return self.classes.field_of_constructor(function, argument)
        if function.kind != FUNCTION:
            return None
        place = argument + function.given if isinstance(argument, int) else argument
        name = parameter_of(function.node, place, bound=function.is_bound)
        return Definition(function.file, name) if name is not None else None

    def collected(self, called: Definition, argument: int | str) -> tuple[Definition, str] | None:
        """The name of the parameter that collects an argument with others, and the key that it has there."""
        function = self._called(called)
        if function.kind != FUNCTION:
            return None
        place = argument + function.given if isinstance(argument, int) else argument
        found = star_parameter(function.node, place, bound=function.is_bound)
        return (Definition(function.file, found[0]), found[1]) if found is not None else None

    def _called(self, called: Definition) -> Definition:
        """The function that a call enters: of a class its constructor."""
        if called.kind != CLASS:
            return called
        initializer = self.classes.method(called, "__init__")
        return initializer._replace(is_bound=True, given=called.given) if initializer is not None else called


def _class_given(file: ProgramFile, parameter: Binding) -> Definition | None:
    """The class that a method of the class gets first, as ``cls``."""
    function = parameter.scope
    owner = enclosing(function, CLASS)
    holder = field(function, "parameters")
    is_first = (
        holder is not None and bool(holder.named_children) and same(holder.named_children[0], parameter.node)
    )
    return Definition(file, owner) if owner is not None and is_first and is_class_method(function) else None
