"""The modules of the project that a script brings with it by its imports."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol, TypeVar

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


def program_of(ctx: Context, read: Callable[[str], _M]) -> Iterator[tuple[str, _M]]:
    """The modules of the project that a script imports, itself first, each once, with their paths."""
    waiting = deque([(ctx.source.path, ctx.source.text)])
    seen = {ctx.source.path}
    while waiting and len(seen) <= MAX_MODULES:
        checkpoint()
        path, text = waiting.popleft()
        module = read(text)
        yield path or "__main__", module
        for name in dict.fromkeys(part for item in module.imports for part in _with_packages(item)):
            found = ctx.project.find_module(path, name)
            if found is not None and found[0] not in seen:
                seen.add(found[0])
                waiting.append(found)


def executed_imports(source: SourceFile) -> tuple[str, ...]:
    """Qualified names of what a module imports when it runs."""
    return tuple(item.target for item in source.names.imports if not is_for_types(item.statement))


@lru_cache(maxsize=512)
def imports_of(text: str) -> tuple[str, ...]:
    """The same of a module's text."""
    return executed_imports(SourceFile(text))


def _with_packages(name: str) -> Iterator[str]:
    """A module with the packages around it, whose ``__init__`` runs before it."""
    dots = len(name) - len(name.lstrip("."))
    parts = name[dots:].split(".")
    for count in range(len(parts)):
        yield name[:dots] + ".".join(parts[: count + 1])
