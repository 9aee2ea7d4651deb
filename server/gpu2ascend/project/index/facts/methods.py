"""Which classes of a file define the methods that rules ask about: found in the bytes, then in the tree.

Classes that derive from ``nn.Module`` are passed over: they have torch_npu's own methods too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from tree_sitter import Node

from gpu2ascend_rules.hosting import TypeInference, methods_asked_for, owner_of
from gpu2ascend_rules.text.source_file import SourceFile

from ...files.content.encoding import NotTextError, decode

_OF_MODULES = frozenset({"forward"})
"""Rules ask about it, but none which class has it; nearly every file of models would be parsed for it."""


@cache
def method_names() -> frozenset[str]:
    """The methods that rules ask about, but for those of which only modules are asked."""
    return methods_asked_for() - _OF_MODULES


def methods_in(path: str, data: bytes) -> tuple[tuple[str, str], ...]:
    """The methods of :func:`method_names` that a file's classes define, each with the class's qualified name.

    Costs a search, unless the file has such a definition outside of what is evidently a module of torch. A
    file that is no text defines nothing.
    """
    if not _may_define(data):
        return ()
    try:
        source = SourceFile(decode(data).text, path)
    except NotTextError:
        return ()
    module = module_name(path)
    return tuple(
        dict.fromkeys(
            (name, f"{module}.{owner}") for name in sorted(method_names()) for owner in _owners(source, name)
        )
    )


def module_name(path: str) -> str:
    """The dotted name of a file of the project, as an import from its top directory spells it."""
    plain = path.rpartition(".")[0].removesuffix("/__init__")
    return plain.replace("/", ".")


def _may_define(data: bytes) -> bool:
    """Whether a definition of such a name may be a method of a class that is no module of torch.

    Most are not: nearly every model has a ``forward``. The class around a definition is the last one before
    it that is indented less.
    """
    asked = _methods()
    definitions = [match.start() for match in _DEFINITION.finditer(data) if match[1] in asked]
    if not definitions:
        return False
    classes = [match for match in _CLASS.finditer(data) if _is_statement(data, match.start())]
    imports_nn = _IMPORTS_NN.search(data) is not None
    around: list[tuple[int, bool]] = []
    for at, header in sorted([*((at, None) for at in definitions), *((one.start(), one) for one in classes)]):
        depth = _depth(data, at)
        while around and around[-1][0] >= depth:
            around.pop()
        if header is not None:
            around.append((depth, imports_nn and header["is_module"] is not None))
        elif around and not around[-1][1]:
            return True
    return False


def _is_statement(data: bytes, at: int) -> bool:
    """Whether nothing stands before a word in its line."""
    return not data[at - _depth(data, at) : at].strip()


def _depth(data: bytes, at: int) -> int:
    """How far a statement is indented, in characters; ``async`` counts."""
    return at - 1 - max(data.rfind(b"\n", 0, at), data.rfind(b"\r", 0, at))


_DEFINITION = re.compile(rb"def[ \t]+(\w+)")
_CLASS = re.compile(rb"class[ \t]+\w+(?P<is_module>\([ \t]*(?:torch\.)?nn\.Module[ \t]*[,)])?")
_IMPORTS_NN = re.compile(
    rb"^(?:import torch\.nn as nn|from torch import (?:\w+, *)*nn|import torch\.nn)\b", re.MULTILINE
)


@cache
def _methods() -> frozenset[bytes]:
    return frozenset(name.encode() for name in method_names())


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
