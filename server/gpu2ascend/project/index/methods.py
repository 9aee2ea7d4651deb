"""Which classes of a project define a method of a given name: found in the bytes, then in the tree.

Classes that derive from ``nn.Module`` are passed over: they have torch_npu's own methods too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from tree_sitter import Node

from gpu2ascend_rules.inference.kinds import TypeInference
from gpu2ascend_rules.receivers.evidence import owner_of
from gpu2ascend_rules.text.source_file import SourceFile

from ..files.encoding import NotTextError, decode


class MethodTable:
    """Collects, file after file, the classes that define methods of the wanted names."""

    def __init__(self, names: Iterable[str]) -> None:
        self._classes: dict[str, set[str]] = {name: set() for name in names}
        alternatives = b"|".join(re.escape(name.encode()) for name in sorted(self._classes))
        self._pattern = re.compile(rb"\bdef[ \t]+(?:" + alternatives + rb")\b") if alternatives else None

    def add(self, path: str, data: bytes) -> None:
        """Look at one file. Costs a search, unless the file has such a definition."""
        if self._pattern is None or self._pattern.search(data) is None:
            return
        try:
            source = SourceFile(decode(data).text, path)
        except NotTextError:
            return
        module = module_name(path)
        for name, classes in self._classes.items():
            classes.update(f"{module}.{owner}" for owner in _owners(source, name))

    def result(self) -> Mapping[str, frozenset[str]]:
        """The qualified names of the classes by method name; every wanted name has an entry."""
        return {name: frozenset(classes) for name, classes in self._classes.items()}


def module_name(path: str) -> str:
    """The dotted name of a file of the project, as an import from its top directory spells it."""
    plain = path.rpartition(".")[0].removesuffix("/__init__")
    return plain.replace("/", ".")


def _owners(source: SourceFile, method: str) -> Iterator[str]:
    types = TypeInference(source)
    for identifier in source.identifiers(method):
        function = identifier.parent
        if function is None or function.type != "function_definition":
            continue
        if function.child_by_field_name("name") != identifier:
            continue
        owner = owner_of(function)
        if owner is not None and types.is_module_class(owner):
            continue
        names = _class_names(source, function)
        if names:
            yield ".".join(names)


def _class_names(source: SourceFile, function: Node) -> list[str]:
    """The classes around a method, outermost first; none for a function outside any."""
    names: list[str] = []
    node = function.parent
    while node is not None:
        if node.type == "function_definition" and not names:
            return []
        if node.type == "class_definition":
            name = node.child_by_field_name("name")
            names.append(source.text_of(name) if name is not None else "")
        node = node.parent
    return names[::-1]
