"""Code that stays CUDA's whatever accelerator there is, and what calls it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...facts.releases.neutral import CUDA, neutral_name
from ...flow import Role
from ...flow.guards.code_searches import Span
from ...flow.subjects.commands import command_role
from ...limits.parents import parent_of
from ...limits.walks import NAME_LIMITS
from ...text.guards import known_at
from ...text.scopes import Binding
from ...text.source_file import SourceFile
from ...text.syntax import ancestors, arguments_of, call_of, chain_from_root, field, is_field, same, text_of

MONITOR = "nvidia-smi"
_TENSOR_TYPES = (b"'torch.cuda.", b'"torch.cuda.')
"""How the texts begin that are tensor types of CUDA: no other device has them."""
_NO_CUDA = re.compile(
    r"[\w.()]+ != .cuda.$|.cuda. not in [\w.()]+$|not [\w.]+(is_cuda|cuda\.is_available..)$"
)
"""A condition that holds wherever there is no CUDA."""
_MADE_BY = ("__init__", "__new__")


def is_behind_test(place: Node, ctx: Context, callers: int = NAME_LIMITS.conditions) -> bool:
    """Whether a place runs only where a test for CUDA holds: one around it, or around all calls of its
    function."""
    child = place
    for parent in ancestors(place):
        if parent.type == "lambda":
            return False
        if parent.type == "function_definition":
            return callers > 0 and _is_called_behind_tests(parent, ctx, callers - 1)
        if any(_says_cuda(condition, holds, ctx) for condition, holds in known_at(child, parent)):
            return True
        child = parent
    return False


def _is_called_behind_tests(function: Node, ctx: Context, callers: int) -> bool:
    """Whether a function is only called behind tests, as far as its file and others that import it show."""
    name = field(function, "name")
    if name is None:
        return False
    text, scope = text_of(name), ctx.source.names.scope_of(function)
    if scope.type == "class_definition":
        uses = [word for word in ctx.source.identifiers(text) if not same(word, name)]
        is_open = not text.startswith("_") or text.startswith("__")
    else:
        uses = list(ctx.source.names.readers(text, scope))
        is_open = bool(ctx.project.cuda.guards_elsewhere(ctx.source.path, text, ctx.options))
    return (
        bool(uses)
        and not is_open
        and all(_is_called(use) and is_behind_test(use, ctx, callers) for use in uses)
    )


def _says_cuda(condition: Node, holds: bool, ctx: Context) -> bool:
    """Whether there is CUDA where a condition holds, or does not."""
    text = text_of(condition)
    if not holds:
        denied = field(condition, "argument")  # of ``not``
        return bool(_NO_CUDA.match(text)) or (denied is not None and _says_cuda(denied, True, ctx))
    if " or " in text or text.startswith("not "):
        return False
    return "cuda" in text or any("cuda" in text_of(origin) for origin in ctx.origins(condition))


def stays_in(span: Span, ctx: Context) -> bool:
    """Whether a part of the file has a name below torch.cuda that keeps its place, or what goes with one."""
    places: list[int] = ctx.once("names that stay CUDA's", lambda: sorted(_that_stay(ctx)))
    return bisect_left(places, span.start) < bisect_left(places, span.end)


def runs_what_stays(span: Span, ctx: Context) -> bool:
    """Whether a part of the file calls a function of the project that needs a name which stays CUDA's."""
    places: list[int] = ctx.once("calls that stay CUDA's", lambda: sorted(_calls_that_stay(ctx)))
    return bisect_left(places, span.start) < bisect_left(places, span.end)


def _calls_that_stay(ctx: Context) -> Iterator[int]:
    names = _functions_that_stay(ctx)
    for binding in ctx.source.names.imports:
        names |= _imported_that_stay(binding, ctx)
    for use in (use for name in names for use in ctx.source.identifiers(name)):
        if _is_called(use):
            yield use.start_byte


def _functions_that_stay(ctx: Context) -> set[str]:
    """The functions of a file, and the classes that call one to make an object, that use a name below
    torch.cuda which stays, behind no test of their own."""
    found: set[str] = set()
    places = [use for use, name in _uses_of_cuda(ctx) if not _changes(name, chain_from_root(use).node, ctx)]
    while places:
        function = ctx.source.enclosing(use := places.pop(), "function_definition")
        name = text_of(field(function, "name") or use)
        if function is None or name in found or is_behind_test(use, ctx, callers=0):
            continue
        if name in _MADE_BY:
            name = text_of(field(ctx.source.enclosing(function, "class_definition"), "name") or function)
        found.add(name)
        places += [word for word in ctx.source.identifiers(name) if _is_called(word)]
    return found


def _is_called(word: Node) -> bool:
    called = parent_of(word) if is_field(word, "attribute") else word
    return called is not None and call_of(called) is not None


def _imported_that_stay(binding: Binding, ctx: Context) -> set[str]:
    """Those that an import brings from another file of the project, by their names here."""
    module, _, name = binding.target.rpartition(".")
    for asked in (binding.target, module):
        path, text = (ctx.project.find_module(ctx.source.path, asked) if asked else None) or ("", "")
        if "torch.cuda." in text:
            with Context(SourceFile(text, path), ctx.options, ctx.project) as other:
                found = _functions_that_stay(other)
            return found if asked == binding.target else {binding.name} if name in found else set()
    return set()


def _uses_of_cuda(ctx: Context) -> Iterator[tuple[Node, str]]:
    """The names of torch.cuda that the file uses: where each begins, and what it means."""
    names = ctx.source.names
    roots = [binding.name for binding in names.imports if binding.target.partition(".")[0] == "torch"]
    for root in dict.fromkeys((*roots, "torch")):  # which ``from utils import *`` may bring
        for use in names.references(root):
            name = names.name_of(chain_from_root(use).node)
            if name == CUDA or name.startswith(f"{CUDA}."):
                yield use, name


def _that_stay(ctx: Context) -> Iterator[int]:
    yield from _runs_of_monitor(ctx)
    for word in _TENSOR_TYPES:
        yield from ctx.source.find_all(word)
    for use, name in _uses_of_cuda(ctx):
        if not _changes(name, chain_from_root(use).node, ctx):
            yield use.start_byte


def _runs_of_monitor(ctx: Context) -> Iterator[int]:
    """Where the file runs nvidia-smi, and calls its functions that do."""
    for offset in ctx.source.find_all(MONITOR.encode()):
        node = ctx.source.node_at(offset, offset + 1)
        string = ctx.source.enclosing(node, "string", "comment") if node is not None else None
        if string is None or string.type == "comment" or command_role(string, ctx) is Role.SHOWN:
            continue
        yield offset
        function = ctx.source.enclosing(string, "function_definition")
        name = field(function, "name")
        if function is not None and name is not None:
            readers = ctx.source.names.readers(text_of(name), ctx.source.names.scope_of(function))
            yield from (use.start_byte for use in readers)


def _changes(name: str, node: Node, ctx: Context) -> bool:
    """Whether a name below torch.cuda is replaced by itself, by the table of neutral names."""
    found = neutral_name(name)
    if found is None or found.since is None or found.since > ctx.version:
        return False
    call = call_of(node)
    if found.form in ("similar", "none"):
        return False
    if found.form == "module":
        return found.cuda.endswith("name")
    if found.form == "keywords":
        given = arguments_of(call) if call is not None else None
        return given is not None and not given.positional and not given.unpacked
    return call is not None or found.form not in ("guarded", "index")
