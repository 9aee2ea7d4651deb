"""The modules of the project that a script brings with it by its imports."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from ..engine.scan import imported_name
from ..limits.checkpoints import checkpoint
from ..text.guards import is_for_types
from ..text.source_file import SourceFile

if TYPE_CHECKING:
    from ..engine.context import Context

MAX_MODULES = 300
"""How many modules of a program are looked at."""


class ReadModule(Protocol):
    """What is to be known of a module, beside what it is asked for."""

    @property
    def imports(self) -> tuple[str, ...]:
        """Qualified names of what it imports when it runs, relative ones with their dots."""


_M = TypeVar("_M", bound=ReadModule)


class ModuleReader(Generic[_M]):
    """Reads modules of a program. Of the checked file the tree is at hand, and serves; others are parsed, and
    what was read of a text is kept."""

    def __init__(self, read: Callable[[SourceFile], _M]) -> None:
        """Take the function that reads a module; what it gives must not refer to the module's source."""
        self._read = read
        self.of_text = lru_cache(maxsize=512)(self._of_text)

    def of_source(self, source: SourceFile) -> _M:
        """What is to be known of a module that is parsed, or will be."""
        return source.once(self, lambda: self._read(source))

    def _of_text(self, text: str) -> _M:
        return self._read(SourceFile(text))


def program_of(
    ctx: Context, reader: ModuleReader[_M], *, with_packages: bool = True
) -> Iterator[tuple[str, _M]]:
    """The modules of the project that a script imports, itself first, each once, with their paths.

    Args:
        with_packages: Whether packages count that only run because something in them is imported.
    """
    waiting: deque[tuple[str, str]] = deque()
    seen = {ctx.source.path}
    path, module = ctx.source.path, reader.of_source(ctx.source)
    while True:
        yield path or "__main__", module
        for item in module.imports:
            places = {name: ctx.project.path_of_module(path, name) for name in _with_packages(item)}
            names = [name for name, place in places.items() if place is not None]
            for name in names if with_packages else names[-1:]:
                found = ctx.project.find_module(path, name) if places[name] not in seen else None
                if found is not None:
                    seen.add(found[0])
                    waiting.append(found)
        if not waiting or len(seen) > MAX_MODULES:
            return
        checkpoint()
        path, text = waiting.popleft()
        module = reader.of_text(text)


def executed_imports(source: SourceFile) -> tuple[str, ...]:
    """Qualified names of what a module imports when it runs."""
    imports = source.names.imports
    return tuple(imported_name(item) for item in imports if not is_for_types(item.statement, source))


def _with_packages(name: str) -> Iterator[str]:
    """A module with the packages around it, whose ``__init__`` runs before it."""
    dots = len(name) - len(name.lstrip("."))
    parts = name[dots:].split(".")
    for count in range(len(parts)):
        yield name[:dots] + ".".join(parts[: count + 1])
