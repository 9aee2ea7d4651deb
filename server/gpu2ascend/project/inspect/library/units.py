"""The functions, methods and module-level code of one file, and what each of them uses of the project."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tree_sitter import Node

from gpu2ascend_rules.limits.below import nodes_through
from gpu2ascend_rules.limits.checkpoints import checkpoint
from gpu2ascend_rules.text.names import absolute_name
from gpu2ascend_rules.text.scopes import BindingKind, imported_module
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import arguments_of, chain_of, encloses, field, last_name, same, text_of

_MADE = re.compile(r"(\w+)\s*(?::[^=\n]*)?=\s*(\w+)[\w.]*\(")
"""A name, and the first part of what is called for its value."""
_HOLDERS = ("statement", "definition", "block", "clause")
_DEFINITIONS = ("function_definition", "class_definition")
_SCRIPT = "_<script>"
"""Stands for what a module runs as a program only: private, and no name that a file can define."""


class Unit(NamedTuple):
    """A function, a method, or what a module runs when it is imported."""

    name: str
    """Qualified, from the project's top; of module-level code the module's."""
    start: int
    end: int
    """Its span in the file, in bytes."""
    line: int
    """Where it begins, from 1."""
    uses: frozenset[str]
    """Qualified names of the project, as the file's imports give them; they may be re-exports."""
    imports: frozenset[str] = frozenset()
    """What it imports: the modules, or names in them."""


class ModuleUnits(NamedTuple):
    """What one file defines."""

    path: str
    module: str
    units: tuple[Unit, ...]
    """That of the module comes first and holds all others."""
    classes: dict[str, frozenset[str]]
    """The classes, each with its bases."""
    aliases: dict[str, str]
    """What the module's own names mean, where they are imported or assigned names."""
    exports: frozenset[str]
    """Those of them by which users of the library know what they mean."""
    stars: tuple[str, ...]
    """The modules whose names it takes over."""

    def unit_at(self, offset: int) -> Unit:
        """The innermost unit that holds an offset of the file, which may be its end."""
        inside = [unit for unit in self.units if unit.start <= offset < unit.end]
        return min(inside, key=lambda unit: unit.end - unit.start)


def module_name(path: str, top: str = "") -> str:
    """The name by which a file is imported. ``top``: the project's directory, if that is a package itself."""
    parts = path.rpartition(".")[0].split("/")
    if parts[0] == "src" and len(parts) > 1:
        parts = parts[1:]
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join(([top] if top else []) + parts)


def units_of(source: SourceFile, roots: frozenset[str], top: str = "") -> ModuleUnits:
    """Read a file; its path is relative to the project's top.

    Args:
        roots: With what the names of the project's modules begin: other libraries are not looked at.
        top: The project's directory, if that is a package itself.
    """
    return _Reader(source, roots, top).read()


class _Reader:
    def __init__(self, source: SourceFile, roots: frozenset[str], top: str) -> None:
        self._source = source
        self._names = source.names
        self._module = module_name(source.path, top)
        self._top = top
        self._classes: dict[str, frozenset[str]] = {}
        self._roots = roots
        self._words = frozenset(self._interesting())

    def _interesting(self) -> Iterator[str]:
        """The names that may mean something of the project: all others need not be resolved."""
        own = {text_of(name) for name in _names_of(_definitions(self._source.tree.root_node))}
        for binding in self._names.imports:
            if self._absolute(binding.target).partition(".")[0] in self._roots:
                own.add(binding.name)
        yield from own
        yield from (match[1] for match in _MADE.finditer(self._source.text) if match[2] in own)
        yield from ("self", "cls")

    def read(self) -> ModuleUnits:
        source = self._source
        root = source.tree.root_node
        units: list[Unit] = []
        for node in _definitions(root):
            units += self._defined(node, self._module)
        uses = frozenset(self._uses(root))
        own = Unit(self._module, 0, len(source.data) + 1, 1, uses, self._imported())
        units += (self._script(node) for node in root.named_children if _is_script(node))
        stars = tuple(self._absolute(name) for name in self._names.star_imports)
        return ModuleUnits(source.path, self._module, (own, *units), self._classes, *self._aliases(), stars)

    def _script(self, node: Node) -> Unit:
        """What runs if the file is run itself, and not when it is imported."""
        uses = frozenset(self._uses(node, script=True))
        return Unit(
            f"{self._module}.{_SCRIPT}", node.start_byte, node.end_byte, node.start_point[0] + 1, uses
        )

    def _defined(self, node: Node, owner: str) -> Iterator[Unit]:
        """The units of a function, or of a class's methods."""
        name, body = field(node, "name"), field(node, "body")
        if name is None or body is None:
            return
        qualified = f"{owner}.{text_of(name)}"
        if node.type == "function_definition":
            uses = frozenset(self._uses(body, owner))
            yield Unit(qualified, node.start_byte, node.end_byte, node.start_point[0] + 1, uses)
            return
        bases = field(node, "superclasses")
        named = (self._named(base, owner) for base in bases.named_children) if bases is not None else ()
        self._classes[qualified] = frozenset(base for base in named if base is not None)
        for inner in _definitions(body):
            yield from self._defined(inner, qualified)

    def _uses(self, node: Node, owner: str = "", *, script: bool = False) -> Iterator[str]:
        """What is called or handed on below a node.

        Of module-level code (no ``owner``) only what is called: who hands a function on does not run it, and
        the bodies of functions run later. What runs in a program only (``script``) is left out of it.
        """
        pending = [node]
        while pending:
            checkpoint()
            current = pending.pop()
            if not owner and current.type == "function_definition":
                continue
            if not script and not owner and _is_script(current):
                continue
            if current.type == "call" and last_name(current) in ("isinstance", "issubclass"):
                pending.extend(item.value for item in arguments_of(current).items[:1])
                continue  # the class that is asked for is not run
            if current.type in ("identifier", "attribute") and (owner or _is_run(current)):
                name = self._named(current, owner)
                if name is not None:
                    yield name
                    continue
            pending.extend(current.named_children)

    def _named(self, node: Node, owner: str) -> str | None:
        """What a name means, if that may be the project's."""
        chain = chain_of(node)
        if chain is None:
            return None
        root, attributes = chain.root, chain.attributes
        if text_of(root) not in self._words:
            return None
        if text_of(root) in ("self", "cls") and owner.startswith(self._module + "."):
            return ".".join((owner, *attributes[:1])) if attributes else None
        if not self._names.is_reference(root):
            return None
        found = self._names.qualified_name(node)
        if found is not None and found.binding is not None:
            return self._absolute(found.qualified_name)
        bindings = self._names.bindings_in_scope(text_of(root), root)
        if len(bindings) != 1:
            return None
        if bindings[0].kind is BindingKind.DEFINITION:
            return ".".join((self._module, text_of(root), *attributes))
        return self._of_object(bindings[0].value, attributes)

    def _of_object(self, value: Node | None, attributes: tuple[str, ...]) -> str | None:
        """The method of an object that the file makes by calling a class."""
        function = field(value, "function") if value is not None and value.type == "call" else None
        made = self._names.qualified_name(function) if function is not None else None
        if function is None:
            return None
        if made is not None and made.binding is not None:
            return ".".join((self._absolute(made.qualified_name), *(attributes[:1] or ("forward",))))
        local = text_of(function)
        bindings = self._names.bindings_in_scope(local, function) if function.type == "identifier" else ()
        if [item.kind for item in bindings] == [BindingKind.DEFINITION]:
            return ".".join((self._module, local, *(attributes[:1] or ("forward",))))
        return None

    def _imported(self) -> frozenset[str]:
        """What the module imports when it is imported itself."""
        root = self._source.tree.root_node
        scripts = [node for node in root.named_children if _is_script(node)]
        return frozenset(
            self._absolute(binding.target)
            if binding.statement.type == "import_from_statement"
            else imported_module(binding.node)
            for binding in self._names.imports
            if binding.scope.id == root.id and not any(encloses(node, binding.statement) for node in scripts)
        )

    def _aliases(self) -> tuple[dict[str, str], frozenset[str]]:
        root = self._source.tree.root_node
        found = {
            binding.name: self._absolute(binding.target)
            for binding in self._names.imports
            if binding.scope.id == root.id and binding.name != "*"
        }
        exports = set(found) if self._source.path.endswith("__init__.py") else set()
        for statement in root.named_children:
            given = statement.named_children[0] if statement.type == "expression_statement" else None
            target = field(given, "left") if given is not None and given.type == "assignment" else None
            if given is None or target is None or target.type != "identifier":
                continue
            value = field(given, "right")
            name = self._named(value, "") if value is not None else None
            if name is not None:
                found.setdefault(text_of(target), name)
                exports.add(text_of(target))
        return found, frozenset(exports)

    def _absolute(self, name: str) -> str:
        if not name.startswith("."):
            return name
        whole = absolute_name(name, self._source.path.removeprefix("src/"))
        return f"{self._top}.{whole}".rstrip(".") if self._top else whole


def _names_of(definitions: Iterable[Node]) -> Iterator[Node]:
    return (name for node in definitions if (name := field(node, "name")) is not None)


def _is_script(node: Node) -> bool:
    """Whether a statement is ``if __name__ == "__main__":``, which no import runs."""
    condition = field(node, "condition") if node.type == "if_statement" else None
    return (
        condition is not None
        and condition.type == "comparison_operator"
        and all(word in text_of(condition) for word in ("__name__", "__main__", "=="))
        and field(node, "alternative") is None
    )


def _is_run(node: Node) -> bool:
    """Whether a name is called, or decorates something."""
    parent = node.parent
    return parent is not None and (parent.type == "decorator" or same(field(parent, "function"), node))


def _definitions(node: Node) -> Iterator[Node]:
    """The functions and classes that are in a block, decorated or below conditions or not."""
    parts = nodes_through(node, lambda part: part.type not in _DEFINITIONS and part.type.endswith(_HOLDERS))
    return (part for part in parts if part.type in _DEFINITIONS)
