"""Who uses whom in a library, through re-exports, base classes and circles."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping

from .units import ModuleUnits

_MOST_STEPS = 30
"""Names that a name is followed through; more is a circle."""
_RUN_BY_CLASS = ("__init__", "__new__", "__call__", "forward")
"""Methods that run for who makes an object of a class, or calls it."""


class CallGraph:
    """The units of all files, and which uses which."""

    def __init__(self, files: Iterable[ModuleUnits]) -> None:
        self._modules = {file.module: file for file in files}
        self._units = {unit.name for file in self._modules.values() for unit in file.units}
        self._classes: dict[str, frozenset[str]] = {}
        for file in self._modules.values():
            self._classes.update(file.classes)
        self._meanings: dict[str, str | None] = {}

    def meaning(self, name: str) -> str | None:
        """The function, class or module of the project that a name means; None for others."""
        if name not in self._meanings:
            self._meanings[name] = self._followed(name)
        return self._meanings[name]

    def _followed(self, name: str) -> str | None:
        for _ in range(_MOST_STEPS):
            if name in self._units or name in self._classes:
                return name
            module, rest = self._in_module(name)
            if not module or not rest:
                return module or None
            step = self._torch_name_of(module, rest)
            if step is None:
                return None
            name = step
        return None

    def _in_module(self, name: str) -> tuple[str, tuple[str, ...]]:
        """The longest module that a name begins with, and the rest."""
        parts = name.split(".")
        for count in range(len(parts), 0, -1):
            module = ".".join(parts[:count])
            if module in self._modules:
                return module, tuple(parts[count:])
        return "", ()

    def _torch_name_of(self, module: str, rest: tuple[str, ...]) -> str | None:
        file, first = self._modules[module], rest[0]
        if first in file.aliases:
            return ".".join((file.aliases[first], *rest[1:]))
        if f"{module}.{first}" in self._classes and len(rest) > 1:
            return self._inherited(f"{module}.{first}", rest[1])
        for star in file.stars:
            if self._defines(star, first):
                return ".".join((star, *rest))
        return None

    def _defines(self, module: str, name: str) -> bool:
        file = self._modules.get(module)
        if file is None or name.startswith("_"):
            return False
        whole = f"{module}.{name}"
        return whole in self._units or whole in self._classes or name in file.aliases or bool(file.stars)

    def _inherited(self, owner: str, method: str) -> str | None:
        """The method that a class has of one of its bases."""
        seen: set[str] = set()
        pending = deque(self._classes[owner])
        while pending:
            base = self.meaning(pending.popleft())
            if base is None or base in seen or base not in self._classes:
                continue
            seen.add(base)
            if f"{base}.{method}" in self._units:
                return f"{base}.{method}"
            pending.extend(self._classes[base])
        return None

    def used(self, name: str) -> Iterator[str]:
        """The units that a use of a name runs: of a class what makes and calls its objects."""
        target = self.meaning(name)
        if target is None:
            return
        if target in self._units:
            yield target
        if target in self._classes:
            for method in _RUN_BY_CLASS:
                found = self.meaning(f"{target}.{method}")
                if found is not None and found in self._units:
                    yield found

    def users(self) -> Mapping[str, frozenset[str]]:
        """Of each unit, those that use it."""
        found: dict[str, set[str]] = defaultdict(set)
        for file in self._modules.values():
            for unit in file.units:
                for name in unit.uses:
                    for target in self.used(name):
                        if target != unit.name:
                            found[target].add(unit.name)
                for name in unit.imports:
                    module, _ = self._in_module(name)
                    if module and module != unit.name:
                        found[module].add(unit.name)
        return {name: frozenset(users) for name, users in found.items()}

    def public_names(self) -> Mapping[str, tuple[str, ...]]:
        """The names by which a user of the library reaches each unit, the shortest first."""
        found: dict[str, set[str]] = defaultdict(set)
        methods = self._methods()
        for name in self._units:
            found[name].add(name)
        for module, file in self._modules.items():
            for alias in (*file.exports, *self._starred(module, set())):
                target = self.meaning(f"{module}.{alias}")
                if target is None:
                    continue
                found[target].add(f"{module}.{alias}")
                if target in self._classes:
                    for unit in methods[target]:
                        found[unit].add(f"{module}.{alias}{unit.removeprefix(target)}")
        return {
            name: tuple(sorted(filter(_is_public, names), key=lambda item: (item.count("."), item)))
            for name, names in found.items()
        }

    def _starred(self, module: str, seen: set[str]) -> Iterator[str]:
        for star in self._modules[module].stars:
            if star in seen or star not in self._modules:
                continue
            seen.add(star)
            prefix = f"{star}."
            for name in (*self._units, *self._classes, *(f"{star}.{a}" for a in self._modules[star].aliases)):
                last = name.removeprefix(prefix)
                if name.startswith(prefix) and "." not in last and not last.startswith("_"):
                    yield last
            yield from self._starred(star, seen)

    def _methods(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for unit in self._units:
            found[unit.rpartition(".")[0]].append(unit)
        return found


def _is_public(name: str) -> bool:
    """Whether no part of a name is private; what runs by itself (``__init__``, ``__call__``) is not."""
    private = (part for part in name.split(".") if part.startswith("_"))
    return all(part.startswith("__") and part.endswith("__") for part in private)
