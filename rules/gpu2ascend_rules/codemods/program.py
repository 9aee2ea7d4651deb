"""The files of the project that an entry script reaches by its imports, and who calls whom in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property

from tree_sitter import Node

from ..limits.below import nodes_in
from ..limits.walks import NAME_LIMITS, PROGRAM_WALK_LIMITS
from ..model.project.project_view import ProjectView
from ..text.scopes import Binding, BindingKind
from ..text.source_file import SourceFile
from ..text.syntax import enclosing, field, text_of, without_parentheses
from .linked.calls import Calls, named_frames
from .linked.place import Place

__all__ = ["MAX_FILES", "Place", "Program", "assigned_value", "callee_name", "function_around", "qualified"]

MAX_FILES = 400
_WORD = re.compile(r"[A-Za-z_]\w{0,60}")
_INTERESTING = frozenset(
    {"call", "for_statement", "while_statement", "attribute", "class_definition", "function_definition",
     "import_statement", "import_from_statement", "string", "with_statement", "assignment", "break_statement",
     "subscript", "for_in_clause", "list_splat", "raise_statement", "augmented_assignment"}
)  # fmt: skip

_PATTERNS = frozenset({"pattern_list", "tuple_pattern"})
_SEVERAL = frozenset({"expression_list", "tuple"})


class Program:
    """An entry script and the modules of the project behind it; everything is looked up once."""

    def __init__(self, entry: SourceFile, project: ProjectView) -> None:
        self.entry = entry
        self._project = project
        self._modules: dict[tuple[str, str], SourceFile | None] = {}
        self._nodes: dict[str, dict[str, list[Node]]] = {}
        self._by_path: dict[str, SourceFile] = {entry.path: entry}
        self._definitions: dict[tuple[str, int], Place | None] = {}
        self._classes: dict[tuple[str, int], Place | None] = {}
        self._depth = 0

    @cached_property
    def files(self) -> tuple[SourceFile, ...]:
        """The entry, then the files that it reaches, nearest first."""
        found = [self.entry]
        reached = 0
        while reached < len(found):
            for file in found[reached:]:
                reached += 1
                for binding in file.names.imports:
                    for target in _prefixes(binding.target):
                        self._reach(file, target, found)
            if reached == len(found):
                self._reach_by_name(found)
        return tuple(found)

    def _reach(self, importer: SourceFile, name: str, found: list[SourceFile]) -> None:
        module = self.module(importer, name)
        if module is not None and module not in found and len(found) < MAX_FILES:
            found.append(module)

    def _reach_by_name(self, found: list[SourceFile]) -> None:
        """The modules that ``import_module("models." + name)`` imports for the words that the program has."""
        frames = {
            (file, *frame)
            for file in found
            if b"import_module" in file.data or b"__import__" in file.data
            for node in self.nodes(file, "call")
            for frame in named_frames(node)
        }
        words = {
            text_of(node).strip("\"'")
            for file in (found if frames else ())
            for node in self.nodes(file, "string")
        }
        names = sorted(word for word in words if _WORD.fullmatch(word))[: NAME_LIMITS.computed_modules]
        for file, before, after in sorted(frames, key=lambda item: (item[0].path, *item[1:])):
            for word in names:
                self._reach(file, f"{before}{word}{after}", found)

    def module(self, importer: SourceFile, name: str) -> SourceFile | None:
        """The file of the project that a module name stands for in one of its files."""
        key = (importer.path.rpartition("/")[0], name)
        if key not in self._modules:
            found = self._project.find_module(importer.path, name)
            self._modules[key] = self._file(*found) if found is not None else None
        return self._modules[key]

    def _file(self, path: str, text: str) -> SourceFile:
        return self._by_path.setdefault(path, SourceFile(text, path))

    def nodes(self, file: SourceFile, kind: str) -> list[Node]:
        """Every node of a type in a file, in text order."""
        if file.path not in self._nodes:
            table: dict[str, list[Node]] = {}
            for node in nodes_in(file.root):
                if node.type in _INTERESTING:
                    table.setdefault(node.type, []).append(node)
            self._nodes[file.path] = table
        return self._nodes[file.path].get(kind, [])

    def places(self, kind: str) -> Iterator[Place]:
        """Every node of a type in the program."""
        for file in self.files:
            for node in self.nodes(file, kind):
                yield Place(file, node)

    @cached_property
    def _calls(self) -> Calls:
        return Calls(self)

    def calls_of(self, function: Place) -> list[Place]:
        """Where a function of the program is called."""
        return self._calls.of(function)

    def callee(self, call: Place) -> Place | None:
        """The function or class of the program that a call calls; an object is called by its ``__call__``."""
        function = field(call.node, "function")
        if function is None:
            return None
        place = Place(call.file, function)
        found = self.definition(place)
        owner = self.class_of(place) if found is None and function.type != "call" else None
        return self.method(owner, "__call__") if owner is not None else found

    def definition(self, expression: Place) -> Place | None:
        """The function or class of the program that an expression names."""
        key = expression.key
        if key not in self._definitions:
            self._definitions[key] = None
            self._definitions[key] = self._within_limits(self._defined, expression)
        return self._definitions[key]

    def _within_limits(self, step: Callable[[Place], Place | None], expression: Place) -> Place | None:
        """One step from name to name; beyond the limit nothing is known."""
        if self._depth > PROGRAM_WALK_LIMITS.depth:
            return None
        self._depth += 1
        found = step(expression)
        self._depth -= 1
        return found

    def _defined(self, expression: Place) -> Place | None:
        file, node = expression.file, without_parentheses(expression.node)
        if node.type == "identifier":
            bindings = file.names.bindings_in_scope(text_of(node), node)
            return self._bound(file, bindings)
        if node.type == "lambda":
            return Place(file, node)
        if node.type == "subscript":
            element = _element(file, node)
            return self.definition(Place(file, element)) if element is not None else None
        if node.type != "attribute":
            return None
        resolution = file.names.qualified_name(node)
        if resolution is not None and resolution.binding is not None:
            return self.imported(file, resolution.qualified_name)
        receiver, name = field(node, "object"), field(node, "attribute")
        owner = self.class_of(Place(file, receiver)) if receiver is not None else None
        return self.method(owner, text_of(name)) if owner is not None and name is not None else None

    def _bound(self, file: SourceFile, bindings: tuple[Binding, ...]) -> Place | None:
        for binding in reversed(bindings):
            if binding.kind is BindingKind.DEFINITION:
                return Place(file, binding.statement)
            if binding.kind is BindingKind.IMPORT:
                return self.imported(file, binding.target)
            value = assigned_value(binding)
            if value is not None and value.type in ("identifier", "attribute", "lambda", "subscript"):
                return self.definition(Place(file, value))
        return None

    def imported(self, file: SourceFile, name: str, depth: int = 0) -> Place | None:
        """The function or class that an imported name is, also where a package passes it on."""
        binding = self.global_binding(file, name)
        if binding is None or depth > PROGRAM_WALK_LIMITS.bases:
            return None
        where, found = binding
        if found.kind is BindingKind.IMPORT:
            return self.imported(where, found.target, depth + 1)
        return self._bound(where, (found,))

    def global_binding(self, file: SourceFile, name: str) -> tuple[SourceFile, Binding] | None:
        """What binds a name of another module of the project, at that module's top level."""
        module, _, member = name.rpartition(".")
        if not member:
            return None
        if name.startswith(".") and not module.strip("."):
            module = name[: len(name) - len(member)]
        owner = self.module(file, module) if module else None
        if owner is None:
            return None
        bindings = [item for item in owner.names.bindings(member) if item.scope.id == owner.root.id]
        return (owner, bindings[-1]) if bindings else None

    def class_of(self, expression: Place) -> Place | None:
        """The class of the program that an object is of: ``self``, or what a call of the class gave."""
        key = expression.key
        if key not in self._classes:
            self._classes[key] = None
            self._classes[key] = self._within_limits(self._class_of, expression)
        return self._classes[key]

    def _class_of(self, expression: Place) -> Place | None:
        file, node = expression.file, without_parentheses(expression.node)
        if node.type == "identifier" and text_of(node) in ("self", "cls"):
            owner = enclosing(node, "class_definition")
            return Place(file, owner) if owner is not None else None
        if node.type == "call":
            found = self.callee(Place(file, node))
            return found if found is not None and found.node.type == "class_definition" else None
        if node.type == "attribute":
            return self._class_of_member(file, node)
        if node.type != "identifier":
            return None
        for binding in file.names.bindings_in_scope(text_of(node), node):
            value = assigned_value(binding)
            if value is not None and value.type == "call":
                return self.class_of(Place(file, value))
        return None

    def _class_of_member(self, file: SourceFile, node: Node) -> Place | None:
        """The class of ``self.stopper``, which the class around it makes."""
        receiver, name = field(node, "object"), field(node, "attribute")
        if receiver is None or name is None or text_of(receiver) != "self":
            return None
        owner = enclosing(node, "class_definition")
        for assignment in self.nodes(file, "assignment"):
            left, right = field(assignment, "left"), field(assignment, "right")
            if left is None or right is None or right.type != "call" or text_of(left) != text_of(node):
                continue
            if enclosing(assignment, "class_definition") == owner:
                return self.class_of(Place(file, right))
        return None

    def method(self, owner: Place, name: str, depth: int = 0) -> Place | None:
        """A method of a class of the program, its bases' included."""
        body = field(owner.node, "body")
        for child in body.named_children if body is not None else ():
            function = field(child, "definition") if child.type == "decorated_definition" else child
            if function is not None and function.type == "function_definition":
                own = field(function, "name")
                if own is not None and text_of(own) == name:
                    return Place(owner.file, function)
        bases = (
            (self.method(base, name, depth + 1) for base in self.bases(owner))
            if depth < PROGRAM_WALK_LIMITS.bases
            else ()
        )
        return next((found for found in bases if found is not None), None)

    def bases(self, owner: Place) -> Iterator[Place]:
        """The classes of the program that a class derives from."""
        listed = field(owner.node, "superclasses")
        for base in listed.named_children if listed is not None else ():
            found = self.definition(Place(owner.file, base))
            if found is not None and found.node.type == "class_definition" and found.key != owner.key:
                yield found

    def family(self, owner: Place) -> list[Place]:
        """A class and its bases within the program."""
        found = [owner]
        for item in found:
            found += [base for base in self.bases(item) if base.key not in {one.key for one in found}]
        return found


def assigned_value(binding: Binding) -> Node | None:
    """What a name is given, also as one of several: ``b`` of ``a, b = 1, make()``."""
    if binding.value is not None or binding.kind is not BindingKind.ASSIGNMENT:
        return binding.value
    left, right = field(binding.statement, "left"), field(binding.statement, "right")
    if left is None or right is None or left.type not in _PATTERNS or right.type not in _SEVERAL:
        return None
    names, values = left.named_children, right.named_children
    is_plain = len(names) == len(values) and not any("splat" in item.type for item in (*names, *values))
    at = next((index for index, name in enumerate(names) if name == binding.node), None)
    return values[at] if is_plain and at is not None else None


def _element(file: SourceFile, subscript: Node) -> Node | None:
    """What a dictionary that a variable is given once has under a literal key: ``make["train"]``."""
    holder, key = field(subscript, "value"), field(subscript, "subscript")
    if holder is None or key is None or holder.type != "identifier" or key.type not in ("string", "integer"):
        return None
    bindings = file.names.bindings_in_scope(text_of(holder), holder)
    value = bindings[0].value if len(bindings) == 1 else None
    for pair in value.named_children if value is not None and value.type == "dictionary" else ():
        own = field(pair, "key")
        if own is not None and text_of(own).strip("'\"") == text_of(key).strip("'\""):
            return field(pair, "value")
    return None


def _prefixes(target: str) -> Iterator[str]:
    """The modules that an imported name may be or lie in: ``a.b.c`` for itself, then ``a.b``, ``a``."""
    dots = len(target) - len(target.lstrip("."))
    parts = target[dots:].split(".")
    for count in range(len(parts), 0, -1):
        yield target[:dots] + ".".join(parts[:count])
    if dots:
        yield target[:dots]


def function_around(place: Place) -> Place | None:
    """The function that a place is in."""
    function = enclosing(place.node, "function_definition")
    return Place(place.file, function) if function is not None else None


def qualified(place: Place) -> str:
    """The qualified name of what an expression names, when something imported gives it; else nothing."""
    resolution = place.file.names.qualified_name(place.node)
    return resolution.qualified_name if resolution is not None and resolution.binding is not None else ""


def callee_name(call: Place) -> str:
    """The qualified name of what a call calls; a bare builtin has its own name."""
    function = field(call.node, "function")
    if function is None:
        return ""
    resolution = call.file.names.qualified_name(function)
    return resolution.qualified_name if resolution is not None else ""
