"""The uses of a definition, in whichever file: reads of a variable or field, calls of a function."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from tree_sitter import Node

from ...limits.parents import parent_of
from ...limits.walks import PROGRAM_LIMITS
from ...text.syntax import call_of, field, is_field, last_name, passed_to, text_of
from ...text.uses import scope_of_variable
from .declared_values import VALUE_OF_MEMBER, is_enumeration, validated_values
from .definition import CLASS, MODULE, NAME, Definition
from .definitions import Definitions
from .files import Files, ProgramFile
from .parameters import is_property

Use = tuple[ProgramFile, Node, bool]
"""The file, the expression, and whether it is proven to be a use."""


class _Reads(NamedTuple):
    """The reads of the attributes of one name in a file, by the class of the object."""

    of: dict[tuple[str, int], list[Node]]
    of_heirs: dict[tuple[str, int], list[Node]]
    """By each class that the object's class is or derives from."""
    unknown: list[Node]


class Uses:
    """Looks up uses across the files of a program."""

    def __init__(self, files: Files, definitions: Definitions) -> None:
        self._files = files
        self._definitions = definitions
        self._known: dict[tuple[object, ...], list[Use]] = {}
        self._by_class: dict[tuple[str, str], _Reads] = {}
        self._assigning: dict[tuple[str, str], set[int]] = {}

    def of_variable(self, file: ProgramFile, name: Node) -> list[Use]:
        """The reads of the variable that an identifier binds; of a module's also those in other files."""
        scope = scope_of_variable(name, file.source)
        text = text_of(name)
        key = ("variable", file.path, scope.id, text)
        if key not in self._known:
            self._known[key] = list(islice(self._reads(file, scope, text, name), PROGRAM_LIMITS.uses))
        return self._known[key]

    def _reads(self, file: ProgramFile, scope: Node, text: str, name: Node) -> Iterator[Use]:
        names = file.source.names
        if scope.type == CLASS:
            yield from ((file, use, True) for use in names.readers(text, scope))
            yield from self._of_class_variable(Definition(file, scope), text)
            return
        is_bound = names.bindings_in_scope(text, name) or names.bindings(text)
        for use in names.readers(text, scope) if is_bound else names.references(text):
            yield file, use, True
        if parent_of(scope) is None:
            yield from self._elsewhere(file, text)

    def _of_class_variable(self, owner: Definition, name: str) -> Iterator[Use]:
        """The reads by the class or its instances; of a member also those that know only its enumeration."""
        yield from self.of_field(owner, name)
        if is_enumeration(self._definitions.classes.ancestry(owner)):
            yield from (use for use in self.of_field(owner, VALUE_OF_MEMBER) if use[2])

    def _elsewhere(self, file: ProgramFile, text: str) -> Iterator[Use]:
        """The expressions of other files that mean what a module has under a name, passed on or not."""
        target = self._definitions.member_of_module(file, text)
        waiting, seen = [(file, text)], {(file.path, text)}
        while waiting and target is not None:
            holder, name = waiting.pop(0)
            for other, bound in self._knowing(holder, name):
                if (other.path, bound) in seen:
                    continue
                seen.add((other.path, bound))
                waiting.append((other, bound))
                for expression in _expressions(other, bound):
                    found = self._definitions.of(other, expression)
                    if found is not None and found.key == target.key:
                        yield other, expression, True

    def _knowing(self, holder: ProgramFile, name: str) -> Iterator[tuple[ProgramFile, str]]:
        """The files that may know what a module has under a name, and the names by which they do."""
        for other in self._files.importers_of(holder, name):
            for bound in _bound_as(other, name):
                yield other, bound
        for other in self._files.importers_of(holder, "*"):
            if any(self._files.module(other, module) is holder for module in other.source.names.star_imports):
                yield other, name

    def of_function(self, function: Definition) -> list[Use]:
        """The expressions that have the result of a function: its calls, or the reads of a property."""
        key = ("function", *function.key)
        if key not in self._known:
            self._known[key] = list(islice(self._results(function), PROGRAM_LIMITS.uses))
        return self._known[key]

    def _results(self, function: Definition) -> Iterator[Use]:
        name = field(function.node, "name")
        if name is None:
            return
        owner = function.file.source.names.scope_of(function.node)
        if owner.type == CLASS:
            reads: Iterator[Use] = iter(self.of_field(Definition(function.file, owner), text_of(name)))
        else:
            reads = self._reads(function.file, owner, text_of(name), name)
        for file, expression, is_certain in reads:
            result = expression if is_property(function.node) else _call_of(expression)
            if result is not None:
                yield file, result, is_certain

    def of_field(self, owner: Definition, name: str) -> list[Use]:
        """The expressions that read an attribute of a class or of its instances."""
        key = ("field", *owner.key, name)
        if key not in self._known:
            self._known[key] = list(islice(self._field_reads(owner, name), PROGRAM_LIMITS.uses))
        return self._known[key]

    def _field_reads(self, owner: Definition, name: str) -> Iterator[Use]:
        is_unique = self._is_unique(owner, name)
        above = [item.key for item in self._definitions.classes.ancestry(owner)]
        for file in self._around(owner, name):
            reads = self._reads_by_class(file, name)
            related = (
                *reads.of_heirs.get(owner.key, ()),
                *(use for key in above[1:] for use in reads.of.get(key, ())),
            )
            found = [(attribute, True) for attribute in related]
            if is_unique:
                found += [(attribute, False) for attribute in reads.unknown]
            for attribute, is_certain in sorted(found, key=lambda item: item[0].start_byte):
                yield file, attribute, is_certain
        for parameter in validated_values(owner.node, name):
            yield from self.of_variable(owner.file, parameter)

    def _around(self, owner: Definition, name: str) -> Iterator[ProgramFile]:
        """The files of a class and of its bases, and those that may know instances of them."""
        files = {item.file.path: item.file for item in self._definitions.classes.ancestry(owner)}
        waiting = list(files.values())
        while waiting and len(files) < PROGRAM_LIMITS.importers:
            for other in self._files.importers(waiting.pop(0)):
                if other.path not in files:
                    files[other.path] = other
                    waiting.append(other)
        return (file for file in files.values() if self._files.mentions(file, name))

    def _reads_by_class(self, file: ProgramFile, name: str) -> _Reads:
        """The reads of every attribute of a name in a file."""
        key = (file.path, name)
        if key not in self._by_class:
            reads = self._by_class[key] = _Reads({}, {}, [])
            for attribute in attributes(file, name):
                owner = self._class_of(file, attribute) if not is_assigned(attribute) else MODULE
                if owner is None:
                    reads.unknown.append(attribute)
                elif isinstance(owner, Definition):
                    reads.of.setdefault(owner.key, []).append(attribute)
                    for item in self._definitions.classes.ancestry(owner):
                        reads.of_heirs.setdefault(item.key, []).append(attribute)
        return self._by_class[key]

    def _class_of(self, file: ProgramFile, attribute: Node) -> Definition | str | None:
        """The class of the object of an attribute; None where that is not known, a text for no object."""
        receiver = field(attribute, "object")
        if receiver is None:
            return MODULE
        found = self._definitions.classes.of(file, receiver)
        if found is None:
            found = self._definitions.of(file, receiver)
            if found is not None and found.kind in (MODULE, NAME):
                return MODULE if found.kind == MODULE else None
        return found if found is not None and found.kind == CLASS else None

    def _is_unique(self, owner: Definition, name: str) -> bool:
        """Whether no other class of the file has an attribute of that name."""
        key = (owner.file.path, name)
        if key not in self._assigning:
            assigned = (item for item in attributes(owner.file, name) if is_assigned(item))
            own = (item for item in assigned if text_of(field(item, "object") or item) == "self")
            classes = (owner.file.source.enclosing(item, CLASS) for item in own)
            self._assigning[key] = {item.start_byte for item in classes if item is not None}
        return self._assigning[key] <= {owner.node.start_byte}


def _call_of(expression: Node) -> Node | None:
    """The call of a function, or of what ``partial`` makes of it."""
    passed = passed_to(expression)
    if passed is not None and passed.argument.position == 0 and last_name(passed.call) == "partial":
        return call_of(passed.call)
    return call_of(expression)


def is_assigned(target: Node) -> bool:
    """Whether an expression is what a statement assigns to."""
    holder = parent_of(target)
    is_statement = holder is not None and holder.type in ("assignment", "augmented_assignment")
    return is_statement and is_field(target, "left")


def attributes(file: ProgramFile, name: str) -> Iterator[Node]:
    """Every expression ``<anything>.name`` of a file, which is not parsed where none can be."""
    source = file.source
    may_be = source.has_attribute(name) or not name.isascii() or source.has(b".\\")
    for identifier in source.identifiers(name) if may_be else ():
        parent = parent_of(identifier)
        if parent is not None and parent.type == "attribute" and is_field(identifier, "attribute"):
            yield parent


def _bound_as(other: ProgramFile, name: str) -> Iterator[str]:
    """The names by which a file may know what another module calls ``name``."""
    yield name
    for binding in other.source.names.imports:
        if binding.name != name and binding.target.rpartition(".")[2] == name:
            yield binding.name


def _expressions(other: ProgramFile, name: str) -> Iterator[Node]:
    """What may mean a name of another module: the name itself, or an attribute of the module."""
    for identifier in other.source.identifiers(name):
        parent = parent_of(identifier)
        if parent is not None and parent.type == "attribute" and is_field(identifier, "attribute"):
            yield parent
        elif other.source.names.is_reference(identifier):
            yield identifier
