"""Where a program declares options of its command line: to a parser, or as the fields of a dataclass."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from tree_sitter import Node

from ....limits.parents import parent_of, parent_type
from ....text.source_file import SourceFile
from ....text.syntax import arguments_of, last_name, text_of
from ...names.definition import FUNCTION
from ...names.parameters import is_dataclass, methods_of, parameter_named
from ...templates import plain_text

OPTIONS = frozenset({"add_argument", "add_option", "option", "add_arg"})
FLAGS = frozenset({"DEFINE_string", "DEFINE_enum"})
"""Of absl, which names a flag without hyphens."""
HOLDS_VALUES = frozenset(
    {
        "AttrDict", "Box", "ConfigDict", "DictConfig", "EasyDict", "FrozenConfigDict", "HParams", "Munch",
        "Namespace", "SimpleNamespace", "edict",
    }
)  # fmt: skip
"""Containers whose constructors take values by name, which are read as attributes, like those of options."""
_DECLARES = OPTIONS | {"add", "Option"}
_FILLED = re.compile(
    rb"\b(?:fire\.Fire|typer\.run|tyro\.cli|defopt\.run|jsonargparse\.(?:auto_cli|CLI)|CLI|Fire)\(\s*(\w+)"
    rb"|@[\w.]*\bcommand\([^)\n]*\)\s*(?:async\s+)?def\s+(\w+)"
)
"""Functions, and classes with methods, whose parameters a library fills from the command line."""
_FILLERS = re.compile(rb"\b(?:fire|typer|tyro|defopt|jsonargparse)\b")
_ARGUMENT = re.compile(rb"\.add_argument\(\s*(?:\"(\w[\w-]*)\"|'(\w[\w-]*)')")
_READERS = re.compile(r"HfArgumentParser|TrlParser|H4ArgumentParser|simple_parsing|pyrallis|draccus|\btyro\b")


def declaration_of(option: str, source: SourceFile) -> Node | None:
    """The call by which a file declares an option (of argparse, click, typer or absl), or the parameter that
    fire or typer fills with it; of an argument that has no option, by its place among those."""
    if option.isdigit():
        return next(islice(_arguments_without_option(source), int(option), None), None)
    for offset in source.find_all(option.encode()):
        call = _declaring(source, offset, offset + len(option), option)
        if call is not None:
            return call
    name = field_name(option)
    for offset in source.find_all(name.encode()) if source.has(b"DEFINE_") else ():
        call = _declaring(source, offset, offset + len(name), name, FLAGS)
        if call is not None:
            return call
    return _parameter_filled(name, source)


def _parameter_filled(name: str, source: SourceFile) -> Node | None:
    """The parameter that fire or typer fills with the value of an option."""
    for match in source.matches(_FILLED) if source.has(_FILLERS) else ():
        for binding in source.names.bindings((match[1] or match[2]).decode("utf-8", "replace")):
            for function in (binding.statement, *methods_of(binding.statement)):
                found = parameter_named(function, name) if function.type == FUNCTION else None
                if found is not None:
                    return found
    return None


def _arguments_without_option(source: SourceFile) -> Iterator[Node]:
    for match in source.matches(_ARGUMENT):
        name = (match[1] or match[2]).decode("utf-8", "replace")
        call = _declaring(source, match.end() - 1 - len(match[1] or match[2]), match.end() - 1, name)
        if call is not None:
            yield call


def _declaring(
    source: SourceFile, start: int, end: int, text: str, names: frozenset[str] = _DECLARES
) -> Node | None:
    """The call that a string at a span is an argument of, where that declares an option."""
    node: Node | None = source.node_at(start, end)
    while node is not None and node.type != "string":
        node = parent_of(node)
    if node is None or plain_text(node) != text or parent_type(node) != "argument_list":
        return None
    call = parent_of(parent_of(node))
    if call is None or source.names.called_name(call) not in names:
        return None
    return call if any(item.value == node for item in arguments_of(call).unnamed) else None


def reads_fields(text: str) -> bool:
    """Whether code has the fields of dataclasses filled from the command line or from files."""
    return _READERS.search(text) is not None


def field_name(option: str) -> str:
    """The field that such code fills with the value of an option; of ``--dist.backend`` that of what another
    field holds."""
    return option.lstrip("-").rpartition(".")[2].replace("-", "_")


def field_of(name: str, source: SourceFile) -> Node | None:
    """The annotated assignment by which a dataclass of a file declares a field."""
    for offset in source.find_all(name.encode()):
        node = source.node_at(offset, offset + len(name))
        owner = parent_of(node)
        if node is None or owner is None or owner.type != "assignment" or text_of(node) != name:
            continue
        if owner.child_by_field_name("left") == node and owner.child_by_field_name("type") is not None:
            body = parent_of(parent_of(owner)) if parent_of(owner) is not None else None
            if body is not None and _is_of_dataclass(body):
                return owner
    return None


def _is_of_dataclass(body: Node) -> bool:
    owner = parent_of(body)
    return owner is not None and owner.type == "class_definition" and is_dataclass(owner)


def declares_by_add(call: Node) -> bool:
    """``parser.add('--device', default='cuda')`` of configargparse."""
    first = arguments_of(call).at(0)
    return first is not None and (plain_text(first.value) or "").startswith("-")


def option_names(call: Node) -> tuple[str, ...]:
    """The names of an option: its flags without hyphens, its ``dest``, or a flag's name."""
    arguments = arguments_of(call)
    # The place of a flag's name counts; those of an option are all that has no keyword.
    given = arguments.positional[:1] if last_name(call) in FLAGS else arguments.unnamed
    flags = [plain_text(item.value) or "" for item in given]
    dest = arguments.keyword("dest")
    named = [plain_text(dest.value) or ""] if dest is not None else []
    names = (text.partition("/")[0].lstrip("-").replace("-", "_") for text in (*named, *flags))
    return tuple(name for name in names if name)


def option_before(element: Node) -> str | None:
    """The option that an element follows: ``['train.py', '--device', 'cuda']``."""
    before = element.prev_named_sibling
    text = plain_text(before) if before is not None else None
    return text if text is not None and text.startswith("-") else None
