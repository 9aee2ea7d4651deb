"""The files of the project that an entry script reaches by its imports, and who calls whom in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from tree_sitter import Node

from ..flow.names.classes import targets_in
from ..flow.names.definition import CLASS, FUNCTION, NAME, Definition
from ..flow.names.definitions import Definitions
from ..flow.names.files import NoOtherFiles, ProgramFile
from ..inference.walk.targets import values_returned
from ..limits.below import nodes_in
from ..limits.parents import parent_of
from ..limits.walks import NAME_LIMITS
from ..model.project.project_view import ProjectView
from ..options.options import MigrationOptions
from ..text.scopes import Binding
from ..text.source_file import SourceFile
from ..text.syntax import enclosing, field, text_of
from .linked.calls import Calls, named_frames
from .linked.place import Place

__all__ = ["MAX_FILES", "Place", "Program", "callee_name", "function_around", "qualified"]

MAX_FILES = 400
_WORD = re.compile(r"[A-Za-z_]\w{0,60}")
_INTERESTING = frozenset(
    {"call", "for_statement", "while_statement", "attribute", "class_definition", "function_definition",
     "import_statement", "import_from_statement", "string", "with_statement", "assignment", "break_statement",
     "subscript", "for_in_clause", "list_splat", "raise_statement", "augmented_assignment"}
)  # fmt: skip

_LAMBDA = "lambda"


class Program:
    """An entry script and the modules of the project behind it; everything is looked up once."""

    def __init__(self, entry: SourceFile, project: ProjectView) -> None:
        self.entry = entry
        self._project = project
        self._modules: dict[tuple[str, str], SourceFile | None] = {}
        self._nodes: dict[str, dict[str, list[Node]]] = {}
        self._by_path: dict[str, SourceFile] = {entry.path: entry}
        self._files = _Files(self, project)
        self._definitions = _Definitions(self._files)

    def forget(self) -> None:
        """Let go of the files and of what knows them, which would wait for each other."""
        for part in (self._definitions.classes, self._definitions, self._files, self):
            part.__dict__.clear()

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
        """The file of the project that a module name means in one of its files."""
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
        return _called(self._definitions.of(self._files.of(expression.file), expression.node))

    def imported(self, file: SourceFile, name: str) -> Place | None:
        """The function or class that an imported name is, also where a package passes it on."""
        return _called(self._definitions.imported(self._files.of(file), name))

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
        found = self._definitions.classes.of(self._files.of(expression.file), expression.node)
        return _place(found) if found is not None else None

    @cached_property
    def methods(self) -> frozenset[str]:
        """The names of functions in classes of the program."""
        functions = (place.node for place in self.places("function_definition"))
        return frozenset(
            text_of(field(one, "name")) for one in functions if enclosing(one, "class_definition") is not None
        )

    def method(self, owner: Place, name: str) -> Place | None:
        """A method of a class of the program, its bases' included."""
        found = self._definitions.classes.method(Definition(self._files.of(owner.file), owner.node), name)
        return _place(found) if found is not None else None

    def family(self, owner: Place) -> list[Place]:
        """A class and its bases within the program."""
        found = self._definitions.classes.ancestry(Definition(self._files.of(owner.file), owner.node))
        return list(map(_place, found))


def _called(found: Definition | None) -> Place | None:
    is_callable = found is not None and found.kind in (FUNCTION, CLASS, _LAMBDA)
    return _place(found) if found is not None and is_callable and not found.given else None


def _place(found: Definition) -> Place:
    return Place(found.file.source, found.node)


class _Files(NoOtherFiles):
    """The files of a program, as names are looked up in them; nobody asks who uses a name."""

    def __init__(self, program: Program, project: ProjectView) -> None:
        self._program = program
        self._project = project
        self._known: dict[str, ProgramFile] = {}

    def of(self, source: SourceFile) -> ProgramFile:
        """A file."""
        if source.path not in self._known:
            self._known[source.path] = ProgramFile(source.path, source, MigrationOptions(), self._project)
        return self._known[source.path]

    def module(self, importer: ProgramFile, name: str) -> ProgramFile | None:
        """The file of the project that a module name means in one of its files."""
        found = self._program.module(importer.source, name)
        return self.of(found) if found is not None else None


class _Definitions(Definitions):
    """Functions also where a dictionary has them under a literal key, and those without a name."""

    followed = (*Definitions.followed, _LAMBDA, "subscript")

    def _of(self, file: ProgramFile, expression: Node, depth: int) -> Definition | None:
        if expression.type == _LAMBDA:
            return Definition(file, expression)
        if expression.type == "subscript":
            element = _element(file.source, expression)
            return self.of(file, element, depth + 1) if element is not None else None
        if expression.type == "call":
            made = self._made_by(file, expression, depth)
            if made is not None:
                return made
        found = super()._of(file, expression, depth)
        return self._kept(file, expression, depth) if found is None else found

    def _kept(self, file: ProgramFile, expression: Node, depth: int) -> Definition | None:
        """The function that an object keeps in an attribute: ``self.step = make_step(model)``."""
        receiver, name = field(expression, "object"), field(expression, "attribute")
        owner = self.classes.of(file, receiver, depth + 1) if receiver is not None else None
        if owner is None or name is None:
            return None
        given = [
            (one.file, field(parent_of(target), "right"))
            for one in self.classes.ancestry(owner)
            for target in targets_in(one, text_of(name))
        ]
        value = given[0][1] if len(given) == 1 else None
        found = self.of(given[0][0], value, depth + 1) if value is not None else None
        return found if found is not None and found.kind in (FUNCTION, _LAMBDA) else None

    def _made_by(self, file: ProgramFile, call: Node, depth: int) -> Definition | None:
        """The function that another one defines and returns: ``step`` of ``make_step(model)``."""
        function = field(call, "function")
        maker = self.of(file, function, depth + 1) if function is not None else None
        if maker is None or maker.kind != FUNCTION:
            return None
        values = [value for value in values_returned(maker.node) if value.type == NAME]
        bound = [
            item for one in values for item in maker.file.source.names.bindings_in_scope(text_of(one), one)
        ]
        inner = {item.statement.id: item.statement for item in bound if item.scope.id == maker.node.id}
        found = next(iter(inner.values()), None) if len(inner) == 1 else None
        return Definition(maker.file, found) if found is not None and found.type == FUNCTION else None


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
    return call.file.names.called_in(call.node)
