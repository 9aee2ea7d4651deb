"""Names that are made of a word, and of which a project has only the one for CUDA.

``globals()[f'run_{kind}']`` finds ``run_cuda`` as long as the word is ``cuda``; once it is ``npu``, nothing.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from tree_sitter import Node

from ..engine.context import Context
from ..limits.parents import parent_of
from ..text.source_file import SourceFile
from ..text.syntax import (
    arguments_of,
    call_of,
    field,
    is_field,
    last_name,
    operator_of,
    passed_to,
    same,
    text_of,
)
from .subject import SAYS
from .subjects.devices import DEVICES, device_flow
from .templates import UNKNOWN_PART, plain_text
from .tracing.texts import Texts

_JOINS = frozenset(
    {"binary_operator", "concatenated_string", "interpolation", "parenthesized_expression", "string"}
)
_PATHS = frozenset({"join", "joinpath", "Path", "PurePath", "str", "fspath", "abspath", "expanduser"})
_WRITES = re.compile(
    r"(?i:.*(?:save|write|dump|export|handler|logger|mkdir|makedirs|remove|rmtree|unlink|touch))\w*|to(?:_\w+)?"
)
"""Functions that make a file of whatever name they are given, or remove it."""
_OUTPUT = re.compile(r"(?:.*_)?(?:out|output|save|log|logging|result|dst|dest)s?(?:_.*)?|\w*_to", re.I)
"""Names of what is written."""
_MODE = re.compile(r"[wax][bt+]*")
_IS_THERE = frozenset({"hasattr", "exists", "isfile", "isdir", "is_file", "is_dir"})
_MEMBERSHIP = ("in", "not in")
_MODULES = frozenset({"import_module", "__import__"})
_ASKS = frozenset({"getattr", "hasattr", "get", "pop", "attrgetter", "methodcaller", "__getitem__"})
_PATH = re.compile(r"[\w.@+-]+(?:/[\w.@+-]+)*")
_DATA = (".json", ".yaml", ".yml", ".toml")
_SETTINGS = ("conf", "config", "configs", "cfg", "settings", "params", "data")
_KEY = r"""(?m)(?:^|[{,\[.\s])["']?KEY["']?[ \t]*[:=\]]"""
_MOST_FOLDERS = 20
_MOST_MODULES = 60
_MOST_READS = 20
_AROUND = 60
"""Characters before and behind a name that show what it is."""
_LONGEST = 2_000
"""Bytes of two lines."""


_WORD = re.compile(f"{DEVICES.sample}|{DEVICES.sample.upper()}")


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
    words = _WORD.findall(name)
    if len(words) != 1 or UNKNOWN_PART in name:
        return None
    missing = _WORD.sub(_counterpart, name)
    is_word = name == DEVICES.sample  # which other expressions are, too
    own, alike = list(_places(node, ctx)), [] if is_word else list(_written_alike(node, ctx))
    if any(_is_written(place) or _is_filled(place, ctx) for place in (*own, *alike)):
        return None
    for has in dict.fromkeys(filter(None, (_question(place, name) for place in own))):
        if has(name, ctx) and not has(missing, ctx):
            has_default = any(map(_has_default, own)) or any(map(_is_tested, alike))
            return MadeName(node, name, missing, has_default)
    return None


def _counterpart(word: re.Match[str]) -> str:
    return DEVICES.counterpart if word[0].islower() else DEVICES.counterpart.upper()


def _places(node: Node, ctx: Context) -> Iterator[Node]:
    """An expression, and the reads of what holds its value."""
    yield node
    holder = parent_of(node)
    target = field(holder, "left") if holder is not None and holder.type == "assignment" else None
    if target is not None and target.type in ("identifier", "attribute"):
        yield from device_flow(ctx).reads_of(target)[:_MOST_READS]


def _written_alike(node: Node, ctx: Context) -> Iterator[Node]:
    """The other expressions of a file that make the same text, and the reads of what holds it."""
    data = node.text or b""
    for at in islice(ctx.source.find_all(data), _MOST_READS):
        other = ctx.source.node_at(at, at + len(data))
        if other is not None and other.type == node.type and not same(other, node):
            yield from _places(other, ctx)


def _outermost(part: Node) -> Node:
    """The whole expression that puts texts together, of which a part is known; a path with its folders."""
    node = part
    while (parent := parent_of(node)) is not None:
        call = parent_of(parent) if parent.type == "argument_list" else None
        if parent.type in _JOINS:
            node = parent
        elif call is not None and last_name(call) in _PATHS:
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
    given = arguments_of(node).at(0) if node.type == "call" and last_name(node) in _PATHS else None
    if given is not None:
        return _text_of(given.value, texts)
    return texts.of(node)


def _question(place: Node, name: str) -> Callable[[str, Context], bool] | None:
    """What tells whether a name that is asked for at a place is there; None where nothing is asked for."""
    passed = passed_to(place)
    called = last_name(passed.call) if passed is not None else ""
    if called in _MODULES:
        return _has_module
    if name.isidentifier():
        asked = _asked(place)
        is_table = asked.isidentifier() and (asked.islower() or asked.isupper())
        if name == DEVICES.sample and (is_table or not asked.isidentifier()):
            return _is_key_of_data if is_table else None  # keys in code change with what looks them up
        return None if asked in ("", "environ") else _has_entry if is_table else _has_name
    if name.endswith(".log"):
        return None
    return _has_file if _PATH.fullmatch(name) is not None and called not in SAYS | _ASKS else None


def _asked(place: Node) -> str:
    """The last name of the table that is looked up by an expression, or what else is asked for its name."""
    passed, holder = passed_to(place), parent_of(place)
    table = field(holder, "value") if holder is not None and is_field(place, "subscript") else None
    if table is None and passed is not None and last_name(passed.call) in _ASKS:
        table = field(field(passed.call, "function"), "object") or passed.call
    return text_of(table).partition("[")[0].rpartition(".")[2]


def _has_default(place: Node) -> bool:
    """Whether a look-up gives something else where there is no such name, or is asked for it first."""
    call = _call_around(place)
    called = last_name(call) if call is not None else ""
    has_other = called in _ASKS and call is not None and len(arguments_of(call).items) > 2
    return called == "get" or has_other or _is_tested(place)


def _is_tested(place: Node) -> bool:
    """Whether the program asks whether there is such a name."""
    test, call = parent_of(place), _call_around(place)
    if test is not None and test.type == "comparison_operator":
        return any(child.type in _MEMBERSHIP for child in test.children)
    return call is not None and last_name(call) in _IS_THERE


def _call_around(place: Node) -> Node | None:
    """The call that is given an expression, or that is made of a method of it."""
    passed, holder = passed_to(place), parent_of(place)
    is_object = holder is not None and holder.type == "attribute" and is_field(place, "object")
    return passed.call if passed is not None else call_of(holder) if is_object else None


def _is_written(place: Node) -> bool:
    """Whether a call makes the file whose name it is given, or what it is called shows that it is written."""
    call, holder = _call_around(place), parent_of(place)
    if holder is not None and holder.type in ("assignment", "keyword_argument"):
        target = field(holder, "left") or field(holder, "name")
        if _OUTPUT.fullmatch(text_of(target).rpartition(".")[2]):
            return True
    if call is None:
        return False
    modes = (argument.value for argument in arguments_of(call).items if not same(argument.value, place))
    return _WRITES.fullmatch(last_name(call)) is not None or any(
        _MODE.fullmatch(plain_text(mode) or "") for mode in modes
    )


def _is_filled(place: Node, ctx: Context) -> bool:
    """Whether the file itself makes the entry of a table that an expression asks for."""
    entry = parent_of(place)
    if entry is None or entry.type != "subscript" or not is_field(place, "subscript"):
        return False
    return ctx.source.has(re.compile(re.escape(text_of(entry).encode()) + rb"[ \t]*[-+*/|]?=(?!=)"))


def _has_module(name: str, ctx: Context) -> bool:
    return ctx.project.path_of_module(ctx.source.path or "", name) is not None


def _has_name(name: str, ctx: Context) -> bool:
    """Whether the project has something of a name, or a text around has it as that of a variable."""
    variable = rf"(?<![\w'\"]){name}[ \t]*(?::[^=\n]*)?=(?!=)|^[ \t]*{name}[ \t]*:"
    return _has_entry(name, ctx) or _is_around(name, variable, ctx)


def _has_entry(name: str, ctx: Context) -> bool:
    """Whether a class of the project has a method of a name, or a text around has it as that of a function or
    class, as a keyword or as a literal, as the key of a table or a registry is."""
    entry = rf"\b(?:def|class)[ \t]+{name}\b|[(,][ \t]*\n?[ \t]*{name}[ \t]*=(?!=)|(['\"]){name}\1"
    return bool(ctx.project.defines_method(name)) or _is_around(name, entry, ctx)


def _is_key_of_data(name: str, ctx: Context) -> bool:
    """Whether a data file around has a key of a name, in a table with one for the CPU."""
    keys = [re.compile(_KEY.replace("KEY", key)) for key in (name, "cpu")]
    return any(all(key.search(text) for key in keys) for text in _data_around(ctx))


def _data_around(ctx: Context) -> Iterable[str]:
    """The texts of the data files in the folders above a file, and in those for configurations there."""

    def found() -> Iterator[str]:
        for folder in _folders_above(ctx):
            for place in (folder, *(posixpath.join(folder, name) for name in _SETTINGS)):
                data = (name for name in sorted(_names_in(place, ctx)) if name.endswith(_DATA))
                texts = (ctx.project.text_at(posixpath.join(place, name)) for name in data)
                yield from (text for text in texts if text is not None)

    return ctx.once("data around", lambda: tuple(islice(found(), _MOST_MODULES)))


def _is_around(name: str, pattern: str, ctx: Context) -> bool:
    """Whether the file has a pattern with a name, a module that it imports, or one beside these."""
    form = re.compile(pattern, re.M)
    own = (_around(ctx.source, at, name) for at in ctx.source.find_all(name.encode()))
    others = (part for text in _texts_around(ctx) for part in _parts_with(name, text))
    return any(form.search(part) is not None for parts in (own, others) for part in parts)


def _parts_with(name: str, text: str) -> Iterator[str]:
    """What stands around a name in a text: a search through all of it takes many times as long."""
    at = text.find(name)
    while at >= 0:
        yield text[max(0, at - _AROUND) : at + len(name) + _AROUND]
        at = text.find(name, at + len(name))


def _around(source: SourceFile, at: int, name: str) -> str:
    """The line of a place and the one before; of a line that nobody writes the name alone."""
    line = source.lines.line_of(at)
    start, end = source.lines.line_span(max(line - 1, 0))[0], source.lines.line_span(line)[1]
    return source.slice(start, end) if end - start <= _LONGEST else name


def _texts_around(ctx: Context) -> Iterable[str]:
    """The texts of the modules of the project that a file imports, and of those in their folders."""
    return ctx.once("texts around", lambda: tuple(_found_around(ctx)))


def _found_around(ctx: Context) -> Iterator[str]:
    own = ctx.source.path or ""
    paths = {own: None}
    for binding in ctx.source.names.imports:
        target = ctx.source.names.imported_meaning(binding)
        for module in (target, target.rpartition(".")[0]):
            found = ctx.project.path_of_module(own, module) if module else None
            if found is not None:
                paths[found] = None
                break
    for folder in dict.fromkeys(map(posixpath.dirname, tuple(paths))):
        beside = (item for item in ctx.project.names_in(folder) if item.endswith(".py"))
        paths.update(dict.fromkeys(posixpath.join(folder, item) for item in beside))
    del paths[own]
    texts = (ctx.project.text_at(path) for path in tuple(paths)[:_MOST_MODULES])
    yield from (text for text in texts if text is not None)


def _has_file(name: str, ctx: Context) -> bool:
    """Whether a file or a folder of the project has a path, seen from a folder above the file that asks."""
    paths = (posixpath.normpath(posixpath.join(folder, name)) for folder in _folders_above(ctx))
    return any(
        posixpath.basename(path) in _names_in(posixpath.dirname(path), ctx) or _names_in(path, ctx)
        for path in paths
    )


def _folders_above(ctx: Context) -> Iterator[str]:
    """The folder of a file, and those above it."""
    folder = posixpath.dirname(ctx.source.path or "")
    for _ in range(_MOST_FOLDERS):
        yield folder
        if not folder:
            return
        folder = posixpath.dirname(folder)


def _names_in(folder: str, ctx: Context) -> frozenset[str]:
    return ctx.once(("names in", folder), lambda: frozenset(ctx.project.names_in(folder)))
