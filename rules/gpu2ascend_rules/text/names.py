"""Imports, scopes and qualified names: what an identifier is bound to, answered on demand.

Only names that are asked for are resolved, from the places where the name stands in the text.
Scoping follows the language reference: functions, lambdas, comprehensions and classes bind names;
a class's names are not visible in its methods; ``global`` and ``nonlocal`` redirect; defaults,
annotations, decorators and the first iterable of a comprehension belong to the scope around.
"""

from __future__ import annotations

import enum
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from tree_sitter import Node

from ..limits.parents import parent_of
from ..limits.walks import NAME_LIMITS
from .dynamic.dynamic_imports import TORCH, is_called_import
from .dynamic.lazy_modules import gives_torch
from .parsed_text import ParsedText
from .references import References
from .scopes import Binding, BindingKind, Scopes, import_bindings, reaching
from .syntax import chain_of, field, last_name, last_name_of, text_of, without_parentheses


class Certainty(enum.Enum):
    """How sure a resolution is."""

    CERTAIN = "certain"
    AMBIGUOUS = "ambiguous"
    """The name could be two things; both are known, or one is not."""
    ASSUMED = "assumed"
    """The name is bound nowhere in the file, and was taken at face value."""


class NameResolution(NamedTuple):
    """What a name stands for."""

    qualified_name: str
    certainty: Certainty
    binding: Binding | None
    """The import, or the re-binding, that gives the name its meaning."""


class _Local(NamedTuple):
    """What one scope makes of a name."""

    bindings: tuple[Binding, ...]
    is_global: bool
    """Whether a statement says that the name is the module's."""
    is_of_another: bool
    """Whether the name is that of a function around, and nothing else."""


def _local(bindings: list[Binding]) -> _Local:
    kinds = {item.kind for item in bindings}
    return _Local(tuple(bindings), BindingKind.GLOBAL in kinds, kinds == {BindingKind.NONLOCAL})


class NameTable:
    """Resolves the identifiers of one file, for as long as that file's object lives."""

    def __init__(self, source: ParsedText) -> None:
        # The file owns its table. A strong reference back would keep every file of a project in memory
        # until the cycle collector happens to run.
        self._source: ParsedText = weakref.proxy(source)
        self._scopes = Scopes()
        self._bindings: dict[str, tuple[Binding, ...]] = {}
        self._references = References(self._source, self._scopes)
        self._readers: dict[str, dict[int, list[Node]]] = {}
        self._scoped: dict[str, dict[int, _Local]] = {}
        self._global: dict[str, bool] = {}
        self._imports: tuple[Binding, ...] | None = None
        self._imports_of: dict[str, list[Binding]] | None = None
        self._imported_by: dict[int, tuple[Binding, ...]] = {}
        self._resolved: dict[tuple[str, int, int, tuple[int, ...]], NameResolution | None] = {}
        self.view: object = None
        """What imports are followed by (:meth:`follow_imports`); another one may change meanings."""
        self._stands_for: Callable[[str], str | None] = _stands_for_itself
        self._known_as: Callable[[str], str] = str
        self._brought_by_star: Callable[[str], Mapping[str, str]] = _brings_nothing
        self._reexported_names: frozenset[str] = frozenset()
        self._from_torch: Mapping[str, frozenset[str]] = {}

    def follow_imports(
        self,
        stands_for: Callable[[str], str | None],
        brought_by_star: Callable[[str], Mapping[str, str]],
        reexported_names: frozenset[str],
    ) -> None:
        """Take imported names for what ``stands_for`` says; to be called before anything is resolved.

        ``brought_by_star`` gives what a star import of a module brings, of the names ``reexported_names``.
        """
        self._stands_for, self._brought_by_star = stands_for, brought_by_star
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
        """The qualified name that an import binds, or what that stands for in the module it comes from."""
        return self._known_as(self._stands_for(binding.target) or binding.target)

    def starred(self) -> Iterator[str]:
        """The names that star imports bring, as far as anybody knows."""
        if (self._reexported_names or self._from_torch) and self.star_imports:
            known = {name for module in self.star_imports for name in self._brought_by_star(module)}
            known.update(*self._from_torch.values())
            yield from (name for name in sorted(known) if self._from_star(name) is not None)

    def module_meaning(self, name: str) -> NameResolution | None:
        """What a name of the module's own scope stands for."""
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

    def scope_of(self, node: Node) -> Node:
        """The scope in which names at a node are looked up: a function, class, comprehension or module."""
        return self._scopes.of(node)

    def bindings(self, name: str) -> tuple[Binding, ...]:
        """Every place that binds ``name``, in any scope, in text order."""
        found = self._bindings.get(name)
        if found is None:
            found = self._bindings[name] = self._redirected(
                [item for _, item in self._references.bare(name) if item]
            )
        return found

    def references(self, name: str) -> tuple[Node, ...]:
        """Every identifier ``name`` that reads a variable, in text order."""
        return self._references.of(name)

    def is_reference(self, identifier: Node) -> bool:
        """Whether an identifier node reads a variable."""
        return self._references.is_one(identifier)

    def readers(self, name: str, scope: Node) -> Sequence[Node]:
        """Every identifier that reads the variable of that name of a scope, in text order."""
        by_scope = self._readers.get(name)
        if by_scope is None:
            by_scope = self._readers[name] = {}
            for use in self.references(name):
                for binding in self.bindings_in_scope(name, use)[:1]:
                    by_scope.setdefault(binding.scope.id, []).append(use)
        return by_scope.get(scope.id, ())

    def _redirected(self, bindings: list[Binding]) -> tuple[Binding, ...]:
        """The bindings of a name, below a ``global`` or ``nonlocal`` of it in the scope that is meant."""
        kinds = (BindingKind.GLOBAL, BindingKind.NONLOCAL)
        said = {item.scope.id: item for item in bindings if item.kind in kinds}
        if not said:
            return tuple(bindings)
        own = {item.scope.id for item in bindings} - said.keys()
        meant = {
            scope: self._source.root if item.kind is BindingKind.GLOBAL else self._around(item.scope, own)
            for scope, item in said.items()
        }
        return tuple(
            item._replace(scope=meant[item.scope.id])
            if item.scope.id in meant and item.kind not in kinds
            else item
            for item in bindings
        )

    def _around(self, scope: Node, own: set[int]) -> Node:
        """The nearest function around a scope of which a name is that is ``nonlocal`` there."""
        outer = scope
        while outer.id != self._source.root.id:
            outer = self.scope_of(outer)
            if outer.id in own and outer.type != "class_definition":
                return outer
        return scope

    def bindings_in_scope(self, name: str, identifier: Node) -> tuple[Binding, ...]:
        """The bindings of ``name`` that are visible at a node: those of the innermost scope that has any."""
        bindings = self.bindings(name)
        if self._is_global(name, bindings):
            return bindings  # nothing can shadow it, wherever the node stands
        scope = self.scope_of(identifier)
        innermost = True
        while True:
            if innermost or scope.type != "class_definition":
                local = self._scopes_of(name).get(scope.id)
                if local is not None and local.is_global:
                    return self._bindings_of_scope(name, self._source.root)
                if local is not None and not local.is_of_another:
                    return local.bindings
            if parent_of(scope) is None:
                return ()
            scope = self.scope_of(scope)
            innermost = False

    def called_name(self, call: Node) -> str:
        """The last name of what a call calls, through a variable: ``add = parser.add_argument; add()``."""
        name, function = last_name(call), field(call, "function")
        is_plain = function is not None and function.type == "identifier"
        bindings = self.bindings_in_scope(name, function) if function is not None and is_plain else ()
        bound = bindings[0].value if len(bindings) == 1 else None
        return last_name_of(bound) if bound is not None and bound.type == "attribute" else name

    def _is_global(self, name: str, bindings: tuple[Binding, ...]) -> bool:
        """Whether the module's scope alone binds a name, or none does."""
        known = self._global.get(name)
        if known is None:
            root = self._source.root.id
            known = self._global[name] = all(item.scope.id == root for item in bindings)
        return known

    def _bindings_of_scope(self, name: str, scope: Node) -> tuple[Binding, ...]:
        local = self._scopes_of(name).get(scope.id)
        return local.bindings if local is not None else ()

    def _scopes_of(self, name: str) -> dict[int, _Local]:
        """What each scope that binds a name makes of it."""
        scopes = self._scoped.get(name)
        if scopes is None:
            by_scope: dict[int, list[Binding]] = {}
            for item in self.bindings(name):
                by_scope.setdefault(item.scope.id, []).append(item)
            scopes = self._scoped[name] = {key: _local(found) for key, found in by_scope.items()}
        return scopes

    def means_one_thing(self, name: str) -> bool:
        """Whether a name is the same wherever the file reads it: the module alone binds it, and once."""
        bindings = self.bindings(name)
        return len(bindings) < 2 and self._is_global(name, bindings)

    def resolve(self, identifier: Node) -> NameResolution | None:
        """What an identifier that reads a variable stands for; ``None`` when it is no known name."""
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


def _stands_for_itself(target: str) -> str | None:
    return None


def _brings_nothing(module: str) -> Mapping[str, str]:
    return {}


def _imports_of(source: ParsedText, scopes: Scopes) -> list[Binding]:
    found: list[Binding] = []
    seen: set[int] = set()
    for offset in source.occurrences("import"):
        node = source.node_at(offset, offset + 6)
        statement = parent_of(node) if node is not None else None
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
