"""Imports and qualified names: what an identifier means, answered on demand.

Only names that are asked for are resolved, from the places where the name is in the text.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from tree_sitter import Node

from ..limits.parents import parent_of
from ..limits.walks import NAME_LIMITS
from .dynamic.dynamic_imports import TORCH, gives_torch, is_called_import
from .parsed_text import ParsedText
from .scoped_names import ScopedNames
from .scopes import Binding, BindingKind, Scopes, import_bindings, reaching
from .syntax import chain_of, field, text_of, without_parentheses


class Certainty(enum.Enum):
    """How sure a resolution is."""

    CERTAIN = "certain"
    AMBIGUOUS = "ambiguous"
    """The name could be two things; both are known, or one is not."""
    ASSUMED = "assumed"
    """The name is bound nowhere in the file, and was taken at face value."""


class NameResolution(NamedTuple):
    """What a name means."""

    qualified_name: str
    certainty: Certainty
    binding: Binding | None
    """The import, or the re-binding, that gives the name its meaning."""


class NameTable(ScopedNames):
    """Resolves the identifiers of one file, for as long as that file's object lives."""

    def __init__(self, source: ParsedText) -> None:
        super().__init__(source)
        self._imports: tuple[Binding, ...] | None = None
        self._imports_of: dict[str, list[Binding]] | None = None
        self._imported_by: dict[int, tuple[Binding, ...]] = {}
        self._resolved: dict[tuple[str, int, int, tuple[int, ...]], NameResolution | None] = {}
        self.view: object = None
        """What imports are followed by (:meth:`follow_imports`); another one may change meanings."""
        self._torch_name_of: Callable[[str], str | None] = _no_torch_name
        self._known_as: Callable[[str], str] = str
        self._brought_by_star: Callable[[str], Mapping[str, str]] = _brings_nothing
        self._reexported_names: frozenset[str] = frozenset()
        self._from_torch: Mapping[str, frozenset[str]] = {}

    def follow_imports(
        self,
        torch_name_of: Callable[[str], str | None],
        brought_by_star: Callable[[str], Mapping[str, str]],
        reexported_names: frozenset[str],
    ) -> None:
        """Take imported names for what ``torch_name_of`` says; to be called before anything is resolved.

        ``brought_by_star`` gives what a star import of a module brings, of the names ``reexported_names``.
        """
        self._torch_name_of, self._brought_by_star = torch_name_of, brought_by_star
        self._reexported_names = reexported_names

    def follow_stars(self, from_torch: Mapping[str, frozenset[str]]) -> None:
        """Set what star imports of PyTorch's modules bring, by module; also before anything is resolved."""
        self._from_torch = from_torch

    def know_objects(self, known_as: Callable[[str], str]) -> None:
        """Take names for what ``known_as`` says that their objects are called; also before anything else."""
        self._known_as = known_as

    @property
    def imports(self) -> tuple[Binding, ...]:
        """Every name that an import statement of the file binds, star imports as ``*``."""
        if self._imports is None:
            self._imports = tuple(_imports_of(self._source, self._scopes))
        return self._imports

    def imports_of(self, package: str) -> list[Binding]:
        """The :attr:`imports` of a package or of what is below it; "" for relative ones."""
        if self._imports_of is None:
            self._imports_of = {}
            for binding in self.imports:
                self._imports_of.setdefault(binding.target.partition(".")[0], []).append(binding)
        return self._imports_of.get(package, [])

    def imported_by(self, statement: Node) -> tuple[Binding, ...]:
        """What an import statement binds, in its order; a statement of many names is read once for all."""
        if statement.id not in self._imported_by:
            self._imported_by[statement.id] = tuple(import_bindings(statement, self._scopes))
        return self._imported_by[statement.id]

    @property
    def star_imports(self) -> tuple[str, ...]:
        """The modules that are imported with ``*``."""
        return tuple(item.target for item in self.imports if item.name == "*")

    def imported_meaning(self, binding: Binding) -> str:
        """The qualified name that an import binds, or what that means in the module it comes from."""
        return self._known_as(self._torch_name_of(binding.target) or binding.target)

    def starred(self) -> Iterator[str]:
        """The names that star imports bring, as far as anybody knows."""
        if (self._reexported_names or self._from_torch) and self.star_imports:
            known = {name for module in self.star_imports for name in self._brought_by_star(module)}
            known.update(*self._from_torch.values())
            yield from (name for name in sorted(known) if self._from_star(name) is not None)

    def module_meaning(self, name: str) -> NameResolution | None:
        """What a name of the module's own scope means."""
        bindings = self._bindings_of_scope(name, self._source.root)
        return self._merge(bindings, 0) if bindings else self._from_star(name)

    def _from_star(self, name: str) -> NameResolution | None:
        found: NameResolution | None = None
        if name not in self._reexported_names and not self._from_torch:
            return None
        for binding in self.imports:
            if binding.name != "*":
                continue
            target = (
                self._brought_by_star(binding.target).get(name) if name in self._reexported_names else None
            )
            if target is not None:
                return None if self.bindings(name) else NameResolution(target, Certainty.CERTAIN, binding)
            if name in self._from_torch.get(binding.target, ()):
                found = NameResolution(f"{binding.target}.{name}", Certainty.CERTAIN, binding)
            elif found is not None and binding.target not in self._from_torch:
                found = found._replace(certainty=Certainty.AMBIGUOUS)  # who knows what that one brings
        return None if found is None or self.bindings(name) else found

    def resolve(self, identifier: Node) -> NameResolution | None:
        """What an identifier that reads a variable means; ``None`` when it is no known name."""
        return self._resolve(identifier, 0)

    def _resolve(self, identifier: Node, depth: int) -> NameResolution | None:
        name = text_of(identifier)
        if depth > NAME_LIMITS.rebindings:
            return None
        bindings = self.bindings_in_scope(name, identifier)
        if not bindings:
            return self._unbound(name)
        whole = len(bindings)
        if 1 < whole <= NAME_LIMITS.reaching and any(item.kind is BindingKind.IMPORT for item in bindings):
            bindings = reaching(bindings, identifier)
        places = tuple(item.node.start_byte for item in bindings) if len(bindings) < whole else ()
        key = (name, bindings[0].scope.id, depth, places)
        if key not in self._resolved:
            self._resolved[key] = None  # a name that is bound to itself has no meaning
            self._resolved[key] = self._merge(bindings, depth)
        return self._resolved[key]

    def _unbound(self, name: str) -> NameResolution | None:
        if self.bindings(name):
            return None
        return self._from_star(name) or NameResolution(name, Certainty.ASSUMED, None)

    def _merge(self, bindings: tuple[Binding, ...], depth: int) -> NameResolution | None:
        meanings: dict[str, Binding] = {}
        opaque = False
        for binding in bindings:
            target = self._target(binding, depth)
            if target is not None:
                meanings.setdefault(target, binding)
            elif not self._is_placeholder(binding):
                opaque = True
        if not meanings:
            return None
        target, binding = next(iter(meanings.items()))
        certain = len(meanings) == 1 and not opaque
        return NameResolution(target, Certainty.CERTAIN if certain else Certainty.AMBIGUOUS, binding)

    def _is_placeholder(self, binding: Binding) -> bool:
        """Whether a binding only says that an optional import failed, or types a name."""
        if binding.kind is BindingKind.ANNOTATION:
            return True
        if binding.value is None:
            return False
        value = without_parentheses(binding.value)
        if value.type in ("none", "false"):
            return True
        return self._source.enclosing(binding.node, "except_clause") is not None

    def _target(self, binding: Binding, depth: int) -> str | None:
        if binding.kind is BindingKind.IMPORT:
            return self.imported_meaning(binding)
        if binding.kind is BindingKind.ASSIGNMENT and binding.value is not None:
            if is_called_import(binding.value) or self._is_lazy_torch(binding, depth):
                return TORCH
            resolved = self._qualified(binding.value, depth + 1)
            return resolved.qualified_name if resolved is not None else None
        return None

    def _is_lazy_torch(self, binding: Binding, depth: int) -> bool:
        """Whether a variable ``torch`` is given what a class or function of the file makes of the module."""
        value = binding.value
        function = field(value, "function") if binding.name == TORCH else None
        if function is None or function.type != "identifier" or depth > NAME_LIMITS.rebindings:
            return False
        made_by = self.bindings_in_scope(text_of(function), function)

        def is_torch(expression: Node) -> bool:
            found = self._qualified(expression, depth + 1)
            return found is not None and found.qualified_name == TORCH

        return len(made_by) == 1 and gives_torch(made_by[0].statement, is_torch)

    def name_of(self, expression: Node | None) -> str:
        """The qualified name of an expression, however certain; empty for one that has none."""
        resolution = self.qualified_name(expression) if expression is not None else None
        return resolution.qualified_name if resolution is not None else ""

    def called_in(self, call: Node | None) -> str:
        """The qualified name of what a call calls; empty for what is no call, or calls no name."""
        return self.name_of(field(call, "function"))

    def qualified_name(self, expression: Node) -> NameResolution | None:
        """The qualified name of a dotted expression, by which its object is known."""
        found = self._qualified(expression, 0)
        return found._replace(qualified_name=self._known_as(found.qualified_name)) if found else None

    def _qualified(self, expression: Node, depth: int) -> NameResolution | None:
        chain = chain_of(without_parentheses(expression))
        if chain is None:
            return None
        root = self._resolve(chain.root, depth)
        if root is None or (depth and root.certainty is Certainty.ASSUMED):
            return None
        return root._replace(qualified_name=".".join((root.qualified_name, *chain.attributes)))


def _no_torch_name(target: str) -> str | None:
    return None


def _brings_nothing(module: str) -> Mapping[str, str]:
    return {}


def _imports_of(source: ParsedText, scopes: Scopes) -> list[Binding]:
    found: list[Binding] = []
    seen: set[int] = set()
    for offset in source.occurrences("import"):
        node = source.node_at(offset, offset + 6)
        statement = parent_of(node)
        if statement is None or statement.id in seen:
            continue
        if statement.type in ("import_statement", "import_from_statement"):
            seen.add(statement.id)
            found.extend(import_bindings(statement, scopes))
    return found


def absolute_name(name: str, path: str) -> str:
    """A name with leading dots as seen from outside the package of the file that says it."""
    below = name.lstrip(".")
    level = len(name) - len(below)
    if not level:
        return name
    package = path.split("/")[:-level]
    return ".".join((*package, below)) if below else ".".join(package)
