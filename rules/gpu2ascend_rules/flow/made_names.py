"""Names that are made of a word, and of which a project has only the one for CUDA.

``globals()[f'run_{kind}']`` finds ``run_cuda`` as long as the word is ``cuda``; once it is ``npu``, nothing.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tree_sitter import Node

from ..engine.context import Context
from ..limits.parents import parent_of
from ..text.syntax import arguments_of, field, is_field, last_name, operator_of, passed_to
from .subject import SAYS
from .subjects.devices import DEVICES, device_flow
from .templates import UNKNOWN_PART, plain_text
from .tracing.texts import Texts

_JOINS = frozenset({"binary_operator", "concatenated_string", "parenthesized_expression"})
_WRITES = frozenset(
    {"save", "save_model", "savefig", "imsave", "imwrite", "dump", "to_csv", "mkdir", "makedirs", "to"}
)
"""Functions that make a file of whatever name they are given."""
_MODULES = frozenset({"import_module", "__import__"})
_ASKS = frozenset({"getattr", "hasattr", "get", "pop", "attrgetter", "methodcaller", "__getitem__"})
_PATH = re.compile(r"[\w.@+-]+(?:/[\w.@+-]+)*")
_MOST_FOLDERS = 20
_MOST_MODULES = 30
_MOST_READS = 20


class MadeName(NamedTuple):
    """A name that the project has for CUDA alone."""

    node: Node
    """The expression that makes it."""
    name: str
    missing: str
    """The name that the expression gives on the NPU."""
    has_default: bool
    """Whether something else takes its place where it is missing."""


def made_name(part: Node, text: str, ctx: Context) -> MadeName | None:
    """The name that an expression makes of the name of a device, if the project has it for CUDA alone.

    Args:
        part: An expression with the word in its text.
        text: The text, parts that are not known as ``{}``.
    """
    node = _outermost(part)
    whole = _text_of(node, Texts(ctx.source, part, text))
    name = whole.rpartition(UNKNOWN_PART)[2].lstrip("/") if "/" in whole or "." in whole else whole
    if name.count(DEVICES.sample) != 1 or UNKNOWN_PART in name:
        return None
    missing = name.replace(DEVICES.sample, DEVICES.counterpart)
    for place in _places(node, ctx):
        has = _question(place, name)
        if has is not None and has(name, ctx) and not has(missing, ctx):
            return MadeName(node, name, missing, _has_default(place))
    return None


def _places(node: Node, ctx: Context) -> Iterator[Node]:
    """An expression, and the reads of the variable that holds its value."""
    yield node
    holder = parent_of(node)
    target = field(holder, "left") if holder is not None and holder.type == "assignment" else None
    if target is not None and target.type == "identifier":
        yield from device_flow(ctx).reads_of(target)[:_MOST_READS]


def _outermost(part: Node) -> Node:
    """The whole expression that puts texts together, of which a part is known; a path with its folders."""
    node = part
    while (parent := parent_of(node)) is not None:
        call = parent_of(parent) if parent.type == "argument_list" else None
        if parent.type in _JOINS:
            node = parent
        elif call is not None and last_name(call) in ("join", "joinpath"):
            node = call
        else:
            break
    return node


def _text_of(node: Node, texts: Texts) -> str:
    """The text of an expression, also of one that puts the parts of a path together."""
    if node.type == "parenthesized_expression":
        return _text_of(node.named_children[0], texts)
    if node.type == "call" and last_name(node) in ("join", "joinpath"):
        receiver = field(field(node, "function"), "object")
        parts = [item.value for item in arguments_of(node).positional]
        if receiver is not None and receiver.type == "string":
            return texts.of(node)
        return "/".join(_text_of(part, texts) for part in parts)
    left, right = field(node, "left"), field(node, "right")
    if node.type == "binary_operator" and operator_of(node) == "/" and left is not None and right is not None:
        return f"{_text_of(left, texts)}/{_text_of(right, texts)}"
    if node.type == "call" and last_name(node) == "Path" and arguments_of(node).at(0) is not None:
        return texts.of(arguments_of(node).positional[0].value)
    return texts.of(node)


def _question(place: Node, name: str) -> Callable[[str, Context], bool] | None:
    """What tells whether a name that is asked for at a place is there; None where nothing is asked for."""
    passed, subscript = passed_to(place), parent_of(place)
    called = last_name(passed.call) if passed is not None else ""
    if passed is not None and called in _MODULES:
        return _has_module
    is_looked_up = called in _ASKS or (
        subscript is not None and subscript.type == "subscript" and is_field(place, "subscript")
    )
    if name.isidentifier():
        return _has_name if is_looked_up else None
    is_path = _PATH.fullmatch(name) is not None and not (passed is not None and _is_written(passed.call))
    return _has_file if is_path and called not in SAYS else None


def _has_default(place: Node) -> bool:
    """Whether a look-up gives something else where there is no such name."""
    passed = passed_to(place)
    if passed is None:
        return False
    count = len(arguments_of(passed.call).items)
    return last_name(passed.call) in ("hasattr", "get") or (last_name(passed.call) in _ASKS and count > 2)


def _is_written(call: Node) -> bool:
    """Whether a call makes the file whose name it is given."""
    mode = arguments_of(call).get("mode", 1) if last_name(call) == "open" else None
    return last_name(call) in _WRITES or (mode is not None and (plain_text(mode.value) or "r")[:1] in "wax")


def _has_module(name: str, ctx: Context) -> bool:
    return ctx.project.path_of_module(ctx.source.path or "", name) is not None


def _has_name(name: str, ctx: Context) -> bool:
    """Whether the file, a module that it imports or a class of the project defines a name, or one of these
    texts has it as a literal, as the key of a table or a registry is."""
    defined = re.compile(
        rb"\b(?:def|class)[ \t]+%b\b|(?<![\w'\"])%b[ \t]*(?::[^=\n]*)?=(?!=)|(['\"])%b\1"
        % ((name.encode(),) * 3)
    )
    if ctx.source.has(defined) or ctx.project.defines_method(name):
        return True
    return any(defined.search(text.encode("utf-8", "replace")) for text in _imported(ctx))


def _imported(ctx: Context) -> Iterator[str]:
    """The texts of the modules of the project that a file imports."""
    for binding in ctx.source.names.imports[:_MOST_MODULES]:
        target = ctx.source.names.imported_meaning(binding)
        for module in (target, target.rpartition(".")[0]):
            found = ctx.project.find_module(ctx.source.path or "", module) if module else None
            if found is not None:
                yield found[1]
                break


def _has_file(name: str, ctx: Context) -> bool:
    """Whether a file or a folder of the project has a path, seen from a folder above the file that asks."""
    folder = posixpath.dirname(ctx.source.path or "")
    for _ in range(_MOST_FOLDERS):
        path = posixpath.normpath(posixpath.join(folder, name))
        if posixpath.basename(path) in ctx.project.names_in(posixpath.dirname(path)):
            return True
        if ctx.project.names_in(path):
            return True
        if not folder:
            return False
        folder = posixpath.dirname(folder)
    return False
