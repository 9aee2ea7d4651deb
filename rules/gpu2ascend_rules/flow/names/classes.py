"""The classes of a program: what they inherit, what their constructors take, and which value is of which."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...limits.below import nodes_below, nodes_through
from ...limits.parents import parent_of
from ...limits.walks import PROGRAM_LIMITS
from ...text.scopes import Binding, BindingKind
from ...text.syntax import arguments_of, enclosing, field, last_name, parts_of, text_of, without_parentheses
from ...text.uses import assigned_value, scope_of_variable
from .declared_values import VALUE_OF_MEMBER, constructor_fields, is_enumeration
from .definition import CLASS, FUNCTION, NAME, Definition, Lookup, Lookups
from .files import ProgramFile
from .parameters import base_expressions, method_of

_DISPLAYS = ("tuple", "list", "expression_list")
_CHOICE = "conditional_expression"
_MAKES_INSTANCES = ("call", "attribute", "subscript", _CHOICE)
_MAKES_INSTANCE = ("model_validate", "model_construct", "from_", "parse_")
"""How methods begin that a class has from a library and that make an instance of it."""
_MAKES_ONE_OF_EACH = "parse"
"""How the methods of parsers begin that give an instance of each class that the parser was made of."""


_WITHOUT_METHODS = frozenset({"object", "ABC", "Generic", "Protocol", "Enum", "NamedTuple", "TypedDict"})
"""Bases that take no arguments of their own."""
_PARTS_OF_TYPES = frozenset({"binary_operator", "generic_type", "type_parameter", "union_type", "type"})
_WRAP_TYPES = frozenset({"Optional", "Union", "Annotated", "Final", "ClassVar"})


class Classes:
    """Looks up classes across the files of a program."""

    def __init__(self, definitions: Lookup, lookups: Lookups) -> None:
        self._definitions = definitions
        self._lookups = lookups
        self._ancestries: dict[tuple[str, int], tuple[Definition, ...]] = {}

    # -- what a class has ------------------------------------------------------------------------------

    def bases(self, owner: Definition, depth: int = 0) -> Iterator[Definition]:
        """The project's classes that a class derives from directly."""
        for base in base_expressions(owner.node):
            plain = field(base, "value") if base.type == "subscript" else base  # ``Base[T]``
            found = self._definitions.of(owner.file, plain, depth + 1) if plain is not None else None
            if found is not None and found.kind == CLASS:
                yield found

    def ancestry(self, owner: Definition) -> tuple[Definition, ...]:
        """A class, and the project's classes that it derives from, nearest first."""
        known = self._ancestries.get(owner.key)
        if known is None:
            known = self._ancestries[owner.key] = tuple(self._ancestors(owner))
        return known

    def _ancestors(self, owner: Definition) -> Iterator[Definition]:
        waiting, seen = [owner], set[tuple[str, int]]()
        while waiting and len(seen) < PROGRAM_LIMITS.bases:
            found = waiting.pop(0)
            if found.key not in seen:
                seen.add(found.key)
                yield found
                waiting.extend(self.bases(found))

    def method(self, owner: Definition, name: str) -> Definition | None:
        """The method of a name that a class has or inherits."""
        waiting, seen = [owner], set[tuple[str, int]]()
        while waiting and len(seen) < PROGRAM_LIMITS.bases:
            found = waiting.pop()
            if found.key in seen:
                continue
            seen.add(found.key)
            method = method_of(found.node, name)
            if method is not None:
                return Definition(found.file, method)
            bases = list(self._known_bases(found))
            waiting.extend(reversed([base for base in bases if base is not None]))
            if None in bases:  # one that is not seen comes before what follows, and may have the method
                del waiting[: len(waiting) - bases.index(None)]
        return None

    def _known_bases(self, owner: Definition) -> Iterator[Definition | None]:
        """The classes that a class derives from directly, None for one that cannot be seen."""
        for base in base_expressions(owner.node):
            plain = field(base, "value") if base.type == "subscript" else base
            found = self._definitions.of(owner.file, plain) if plain is not None else None
            is_class = found is not None and found.kind == CLASS
            if is_class or text_of(base).rpartition(".")[2].partition("[")[0] not in _WITHOUT_METHODS:
                yield found if is_class else None

    def constant(self, owner: Definition, name: str) -> Definition | None:
        """The name that the body of a class, or of one that it derives from, binds by an assignment."""
        for found in self.ancestry(owner):
            for binding in found.file.source.names.bindings(name):
                if binding.scope.id == found.node.id and binding.kind is BindingKind.ASSIGNMENT:
                    return Definition(found.file, binding.node)
        return None

    def field_of_constructor(self, owner: Definition, argument: int | str) -> Definition | None:
        """The name of the field that an argument fills of a constructor that no one wrote."""
        lineage = [(item.file, item.node) for item in self.ancestry(owner)]
        found = constructor_fields(lineage, argument)
        return Definition(*found) if found is not None else None

    # -- what a value is -------------------------------------------------------------------------------

    def of(self, file: ProgramFile, expression: Node, depth: int = 0) -> Definition | None:
        """The class of the project of which the value of an expression is an instance."""
        if depth > PROGRAM_LIMITS.names:
            self._lookups.give_up()
            return None
        node = without_parentheses(expression)
        if node.type == NAME:
            if text_of(node) in ("self", "cls"):
                owner = file.source.enclosing(node, CLASS)
                return Definition(file, owner) if owner is not None else None
            key = ("instance", file.path, scope_of_variable(node, file.source).id, text_of(node))
            return self._lookups.find(key, lambda: self._of_name(file, node, depth), depth)
        if node.type == "call":
            return self._of_call(file, node, depth)
        if node.type == "attribute":
            return self._of_attribute(file, node, depth)
        if node.type == _CHOICE:
            return self._of_all(file, [parts_of(node)[0], parts_of(node)[-1]], depth)
        return self._of_member(file, node, depth) if node.type == "subscript" else None

    def _of_member(self, file: ProgramFile, subscript: Node, depth: int) -> Definition | None:
        """The enumeration of a member that is looked up by its name: ``Kind['CUDA']``."""
        holder = field(subscript, "value")
        found = self._definitions.of(file, holder, depth + 1) if holder is not None else None
        is_class = found is not None and found.kind == CLASS
        return found if found and is_class and is_enumeration(self.ancestry(found)) else None

    def _of_name(self, file: ProgramFile, name: Node, depth: int) -> Definition | None:
        for binding in file.source.names.bindings_in_scope(text_of(name), name):
            found = self._annotated(file, parent_of(binding.node), depth)
            if found is None and binding.kind is BindingKind.ASSIGNMENT:
                found = self._of_value(file, binding, depth)
            if found is None and binding.kind is BindingKind.LOOP:
                found = self._enumeration(file, binding, depth)
            if found is not None:
                return found
        known = self._definitions.of(file, name, depth + 1)
        if known is None or known.kind != NAME or known.key == (file.path, name.start_byte):
            return None
        return self.of(known.file, known.node, depth + 1) if known.file is not file else None

    def _of_value(self, file: ProgramFile, binding: Binding, depth: int) -> Definition | None:
        value = assigned_value(binding)
        if value is not None:
            return self.of(file, value, depth + 1) if value.type in _MAKES_INSTANCES else None
        value, pattern = field(binding.statement, "right"), field(binding.statement, "left")
        if value is None or pattern is None or value.type != "call":
            return None
        place = next((i for i, part in enumerate(pattern.named_children) if part.id == binding.node.id), -1)
        made = list(self._parsed(file, value, depth))
        return made[place] if 0 <= place < len(made) else None

    def _parsed(self, file: ProgramFile, call: Node, depth: int) -> Iterator[Definition]:
        """The classes of what ``HfArgumentParser((A, B)).parse_args_into_dataclasses()`` gives."""
        function = field(call, "function")
        parser = field(function, "object")
        if parser is None or not last_name(call).startswith(_MAKES_ONE_OF_EACH):
            return
        maker = self._value_of(file, parser)
        given = arguments_of(maker).at(0) if maker is not None and maker.type == "call" else None
        parts = [] if given is None else [given.value]
        if parts and parts[0].type in _DISPLAYS:
            parts = parts[0].named_children
        for part in parts:
            found = self._definitions.of(file, part, depth + 1)
            if found is not None and found.kind == CLASS:
                yield found

    def _value_of(self, file: ProgramFile, expression: Node) -> Node | None:
        if expression.type != NAME:
            return expression
        bindings = file.source.names.bindings_in_scope(text_of(expression), expression)
        return bindings[0].value if len(bindings) == 1 else None

    def _of_call(self, file: ProgramFile, call: Node, depth: int) -> Definition | None:
        if last_name(call) == "super":
            owner = enclosing(call, CLASS)
            bases = self.bases(Definition(file, owner), depth + 1) if owner is not None else iter(())
            return next(bases, None)
        function = field(call, "function")
        made = self._definitions.of(file, function, depth + 1) if function is not None else None
        if made is None:
            return self._made_of(file, call, depth)
        if made.kind == FUNCTION:
            return self._annotated(made.file, made.node, depth, "return_type") or self._returned(made, depth)
        return made if made.kind == CLASS else None

    def _returned(self, function: Definition, depth: int) -> Definition | None:
        """The class of which all results of a function are instances that it returns."""
        nodes = nodes_below(function.node, FUNCTION, CLASS, "lambda")
        given = [node.named_children[:1] for node in nodes if node.type == "return_statement"]
        values = [value for part in given for value in part]
        key = ("result", function.file.path, function.node.start_byte)
        return self._lookups.find(key, lambda: self._of_all(function.file, values, depth), depth)

    def _of_all(self, file: ProgramFile, values: list[Node], depth: int) -> Definition | None:
        """The class of which several values are instances, ``None`` beside them included."""
        made = [value for value in map(without_parentheses, values) if value.type != "none"]
        if not made or any(value.type not in (*_MAKES_INSTANCES, NAME) for value in made):
            return None
        found = self.of(file, made[0], depth + 1)
        others = (self.of(file, value, depth + 1) for value in made[1:])
        is_same = found is not None and all(item is not None and item.key == found.key for item in others)
        return found if is_same else None

    def _made_of(self, file: ProgramFile, call: Node, depth: int) -> Definition | None:
        """What a library makes of a class: ``OmegaConf.structured(Config)``, ``Config.parse_obj({})``."""
        receiver = field(field(call, "function"), "object")
        given = [item.value for item in arguments_of(call).items[:2]]
        if receiver is not None and last_name(call).startswith(_MAKES_INSTANCE):
            given.insert(0, receiver)
        for expression in given:
            if expression.type in (NAME, "attribute"):
                found = self._definitions.of(file, expression, depth + 1)
                if found is not None and found.kind == CLASS:
                    return found
        return None

    def _of_attribute(self, file: ProgramFile, attribute: Node, depth: int) -> Definition | None:
        """The class of a field, by its annotation or by what the class assigns to it."""
        receiver, name = field(attribute, "object"), field(attribute, "attribute")
        owner = self.of(file, receiver, depth + 1) if receiver is not None else None
        if owner is None or name is None:
            return None
        for holder in self.ancestry(owner):
            for target in targets_in(holder, text_of(name)):
                assignment = parent_of(target)
                found = self._annotated(holder.file, assignment, depth)
                value = field(assignment, "right")
                if found is None and value is not None and value.type in ("call", NAME):
                    found = self.of(holder.file, value, depth + 1)
                if found is not None:
                    return found
        return None

    def of_each_member(self, file: ProgramFile, expression: Node) -> Definition | None:
        """The enumeration of which an expression is each member, or its value, in a loop over all of them."""
        name = expression
        if expression.type == "attribute" and text_of(field(expression, "attribute")) == VALUE_OF_MEMBER:
            name = field(expression, "object") or expression
        bindings = file.source.names.bindings_in_scope(text_of(name), name) if name.type == NAME else ()
        loops = (item for item in bindings if item.kind is BindingKind.LOOP)
        return next(filter(None, (self._enumeration(file, loop, 0) for loop in loops)), None)

    def _enumeration(self, file: ProgramFile, loop: Binding, depth: int) -> Definition | None:
        """The enumeration that a loop goes through."""
        looped = field(loop.statement, "right")
        if looped is None or looped.type not in (NAME, "attribute"):
            return None
        own = self.of(file, looped, depth + 1) if text_of(looped) == "cls" else None
        owner = own or self._definitions.of(file, looped, depth + 1)
        is_class = owner is not None and owner.kind == CLASS
        return owner if owner and is_class and is_enumeration(self.ancestry(owner)) else None

    def _annotated(
        self, file: ProgramFile, holder: Node | None, depth: int, name: str = "type"
    ) -> Definition | None:
        """The class that annotates a parameter, a variable or a result, ``Optional[Config]`` included."""
        annotation = field(holder, name)
        if annotation is None or annotation.type != "type":
            return None
        for node in nodes_through(annotation, _has_values_of_parts):
            # a type that is a name has the place of the name
            found = self._definitions.of(file, node, depth + 1) if node.type in (NAME, "attribute") else None
            if found is not None and found.kind == CLASS:
                return found
        return None


def _has_values_of_parts(part: Node) -> bool:
    """Whether a value of a type is one of a part of it; a ``list[Config]`` is no ``Config``."""
    is_generic = part.type == "generic_type"
    return part.type in _PARTS_OF_TYPES and (not is_generic or text_of(part.named_children[0]) in _WRAP_TYPES)


def targets_in(owner: Definition, name: str) -> Iterator[Node]:
    """What a class assigns to a field: the name in its body, ``self.name`` in its methods."""
    for identifier in owner.file.source.identifiers(name):
        if not owner.node.start_byte <= identifier.start_byte < owner.node.end_byte:
            continue
        parent = parent_of(identifier)
        target = parent if parent is not None and parent.type == "attribute" else identifier
        holder = parent_of(target)
        if holder is not None and holder.type == "assignment" and holder.children[0].id == target.id:
            is_own = target is identifier or text_of(target).startswith("self.")
            if is_own:
                yield target
