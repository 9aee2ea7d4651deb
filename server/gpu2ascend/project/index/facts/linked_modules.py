"""The modules that a file may import, by the last parts of their names."""

from __future__ import annotations

import re
from collections.abc import Mapping

from gpu2ascend_rules.hosting import MOST_CALLS, container_libraries
from gpu2ascend_rules.text.plain.python_files import module_word

from ...files.content.import_statements import import_statements
from .facts import ProjectFacts

_NAME = re.compile(rb"[^\W\d]\w*(?=[ \t]*(?:,|\)|$|as\b|[ \t\r\n]))")
_MOST = 400
"""Names of one file."""
_CONTAINERS = frozenset(name.encode() for name in container_libraries())
"""Of these the top-level module is named, too."""
_LIBRARIES = frozenset({b"torch", b"numpy", b"os", b"sys", b"typing", b"torchvision", b"transformers"})


def linked_modules(python: bytes) -> tuple[str, ...]:
    """What a file imports, sorted: the last parts of modules, and names that may be modules of a package."""
    found: set[bytes] = set()
    for statement in import_statements(python):
        modules = statement.modules
        found.update(_CONTAINERS.intersection(module.partition(b".")[0] for module in modules))
        if not statement.source:
            found.update(module.rpartition(b".")[2] for module in modules)
        elif statement.source.partition(b".")[0] not in _LIBRARIES:
            found.add(statement.source.rpartition(b".")[2])
            found.update(_NAME.findall(statement.names))
    found -= {b"", b"as", b"import"} | _LIBRARIES
    return tuple(sorted(name.decode("utf-8", "replace") for name in sorted(found)[:_MOST]))


def importers_by_module(modules: Mapping[str, tuple[str, ...]]) -> Mapping[str, tuple[str, ...]]:
    """The paths of the files that may import each module."""
    importers: dict[str, list[str]] = {}
    for path, names in modules.items():
        for name in names:
            importers.setdefault(name, []).append(path)
    return {name: tuple(paths) for name, paths in importers.items()}


def kernel_modules(facts: ProjectFacts) -> frozenset[str]:
    """The modules whose code may need CUDA, and those that import one, by the last parts of their names."""
    found = {module_word(path) for path in facts.with_kernels}
    for _ in range(MOST_CALLS if found else 0):
        users = {module_word(path) for path, names in facts.modules.items() if not found.isdisjoint(names)}
        if users <= found:
            break
        found |= users
    return frozenset(found)
