"""The options of a module that hold the word of a device or of a back end: their names and their words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import NamedTuple

from tree_sitter import Node

from ...flow.names.parameters import is_dataclass
from ...flow.templates import plain_text
from ...flow.tracing.calls.declarations import FLAGS, OPTIONS
from ...limits.parents import parent_of
from ...text.scopes import Binding
from ...text.source_file import SourceFile
from ...text.syntax import arguments_of, chain_from_root, enclosing, field, last_name, parts_of, text_of

_DECLARES = OPTIONS | FLAGS | {"Option", "Argument"}
_DISPLAYS = frozenset(
    {"list", "tuple", "set", "type_parameter", "subscript", "type", "generic_type", "union_type"}
)
_THROUGH = _DISPLAYS | {"argument_list", "dictionary", "pair", "parenthesized_expression"}
_SETTINGS = frozenset({"choices", "const", "type", "metadata", "values"})
_DEFAULTS = frozenset({"default", "default_factory"})
_HOLDERS = frozenset({"Choice", "field", "Field", "frozenset", "set", "list", "tuple"})
NPU_WORD = re.compile(r"npu(?::\d+)?|hccl|HCCL")
CUDA_WORD = re.compile(r"cuda(?::\d+)?|nccl|NCCL")
_QUOTED = re.compile(rb"['\"](?:(?:npu|cuda)(?::\d+)?|[hn]ccl|[HN]CCL)['\"]")

_FILLED = re.compile(r"BaseModel|BaseSettings|\bTap\b|Arguments|Args\b|NamedTuple|Config\b")
_MAY_DECLARE = re.compile(
    rf"\b(?:{'|'.join(sorted(_DECLARES))})\b|dataclass|\bclass\b[^:]*?(?:{_FILLED.pattern})"
)
_SERVES = re.compile(r"['\"](?:npu(?::\d+)?|hccl|HCCL)['\"]")


_MOST_NAMES = 3
"""Names of constants one behind the other."""
Find = Callable[[str], str | None]


def _finds_none(module: str) -> None:
    """Of a module on its own no other is known."""


class OptionWord(NamedTuple):
    """A word in the declaration of an option."""

    declaration: Node
    """The call, or the annotated assignment of a dataclass."""
    flag: str
    """``--device``."""
    word: str
    literal: Node
    is_default: bool
    """Whether it is only what the option is without a value, not one of several that it may have."""


def may_serve(text: str) -> bool:
    """Whether a module may have an option that takes the NPU's word, by its text."""
    return _SERVES.search(text) is not None


def may_declare(text: str) -> bool:
    """Whether a module may declare options, by its text."""
    return _MAY_DECLARE.search(text) is not None


def option_words(source: SourceFile, find: Find = _finds_none) -> Iterator[OptionWord]:
    """The words in the declarations of a module's options, in text order, and then those of the constants of
    other modules that these name.

    Args:
        source: The module.
        find: The text of a module that it imports.
    """
    for match in _QUOTED.finditer(source.data):
        node = source.node_at(match.start() + 1, match.end() - 1)
        literal = enclosing(node, "string") if node is not None and node.type != "string" else node
        word = plain_text(literal)
        if literal is None or word is None:
            continue
        for place in (literal, *_reads_of_constant(literal, source)):
            found = _declaration_of(place, source)
            if found is not None:
                yield OptionWord(found.node, _flag_of(found.node), word, literal, found.is_default)
    constants = cache(partial(_constants_of, find))
    for binding in source.names.imports:
        if not any(map(constants, (binding.target, binding.target.rpartition(".")[0]))):
            continue
        for use in source.names.references(binding.name):
            found = _declaration_of(chain_from_root(use).node, source)
            if found is not None:
                for word in _words_of(binding, use, constants):
                    yield OptionWord(found.node, _flag_of(found.node), word, use, found.is_default)


def _constants_of(find: Find, module: str) -> SourceFile | None:
    """A module with words, from which others may take them."""
    text = find(module) if module.strip(".") else None
    return SourceFile(text, "constants.py") if text is not None and may_serve(text) else None


def _words_of(binding: Binding, use: Node, constants: Callable[[str], SourceFile | None]) -> Iterator[str]:
    """The words of the constant of another module that a use of an import reads."""
    dotted = ".".join((binding.target, *chain_from_root(use).attributes[:1]))
    module, _, name = dotted.rpartition(".")
    source = constants(module)
    if source is not None:
        yield from _words_in(source.names.bindings(name), source, _MOST_NAMES)


def _words_in(bindings: tuple[Binding, ...], source: SourceFile, depth: int) -> Iterator[str]:
    for value in (item.value for item in bindings if item.value is not None):
        items = parts_of(value) if value.type in _DISPLAYS else [value]
        for item in items:
            word = plain_text(item)
            if word is not None and (NPU_WORD.fullmatch(word) or CUDA_WORD.fullmatch(word)):
                yield word
            elif item.type == "identifier" and depth:
                yield from _words_in(source.names.bindings(text_of(item)), source, depth - 1)


class _Declared(NamedTuple):
    node: Node
    is_default: bool


def _declaration_of(place: Node, source: SourceFile) -> _Declared | None:
    """The declaration of which a literal, or the name of a constant, is the default or a choice."""
    is_default = False
    parent = parent_of(place)
    while parent is not None:
        if parent.type == "keyword_argument":
            name = text_of(field(parent, "name"))
            if name not in _SETTINGS | _DEFAULTS:
                return None
            is_default |= name in _DEFAULTS
        elif parent.type == "call":
            name_of_call = source.names.called_name(parent)
            if name_of_call in _DECLARES:
                return _Declared(parent, is_default)
            if name_of_call not in _HOLDERS:
                return None
        elif parent.type == "assignment":
            is_default |= field(parent, "right") == place
            return _Declared(parent, is_default) if _is_field(parent) else None
        elif parent.type not in _THROUGH:
            return None
        parent = parent_of(parent)
    return None


def _is_field(assignment: Node) -> bool:
    """Whether an annotated assignment declares a field that is filled from outside."""
    body = parent_of(parent_of(assignment))
    owner = parent_of(body)
    if field(assignment, "type") is None or owner is None or owner.type != "class_definition":
        return False
    bases = field(owner, "superclasses")
    return is_dataclass(owner) or (bases is not None and _FILLED.search(text_of(bases)) is not None)


def _reads_of_constant(literal: Node, source: SourceFile) -> Iterator[Node]:
    """The reads of the constant of which a literal is an item."""
    display = parent_of(literal)
    holder = parent_of(display) if display is not None and display.type in _DISPLAYS else display
    target = field(holder, "left") if holder is not None and holder.type == "assignment" else None
    if target is not None and target.type == "identifier" and field(holder, "type") is None:
        yield from source.names.readers(text_of(target), source.names.scope_of(target))


def _flag_of(declaration: Node) -> str:
    if declaration.type == "assignment":
        name = field(declaration, "left")
        return f"--{text_of(name)}" if name is not None else ""
    texts = [plain_text(item.value) or "" for item in arguments_of(declaration).unnamed]
    if last_name(declaration) in FLAGS:
        return f"--{texts[0]}" if texts else ""
    return next((text for text in texts if text.startswith("--")), texts[0] if texts else "")
