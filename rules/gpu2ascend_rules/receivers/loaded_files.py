"""What code shows of a file that it loads: whose it is, and what was saved in it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence

from tree_sitter import Node

from ..engine.context import Context
from ..flow.subject import SAYS
from ..limits.below import nodes_of
from ..limits.parents import parent_of
from ..text.scopes import Reaching
from ..text.syntax import (
    Argument,
    arguments_of,
    encloses,
    field,
    is_field,
    last_name,
    outermost,
    passed_to,
    target_of,
    text_of,
)
from ..text.uses import scope_of_variable, uses_of_variable

_HOST = re.compile(r"https?://([\w.-]+)")
_OF_TORCH = "download.pytorch.org"
_LOOPS = ("for_statement", "while_statement")
_PATHS = frozenset({"identifier", "attribute", "string", "binary_operator", "call", "subscript"})
_NEAREST = 8
"""Loops of training before a load, of which one may have had the file written."""
_LONGEST = 200
"""Bytes of an argument that may be a path."""


def names_no_gpu(call: Node, loaded: Argument | None, ctx: Context) -> bool:
    """Whether what a call loads is PyTorch's own, was saved or sent by the same program, or holds arrays."""
    return (
        _is_of_torch(loaded, ctx)
        or is_kept_in_arrays(call, ctx)
        or _is_sent(loaded, ctx)
        or _is_just_saved(call, loaded, ctx)
        or _is_of_this_run(call, loaded, ctx)
    )


def _is_sent(loaded: Argument | None, ctx: Context) -> bool:
    """Whether bytes in memory are loaded that the file saved there, or that its caller hands over in a file
    that also saves to memory: they are of no GPU, but of what the same program sent or kept."""
    buffers = _buffers(loaded, ctx)
    calls = (ctx.source.enclosing(word, "call") for word in ctx.source.identifiers("save") if buffers)
    saving = (call for call in calls if call is not None and ctx.source.names.called_in(call) == "torch.save")
    saved = {buffer.id for call in saving for buffer in _buffers(arguments_of(call).get("f", 1), ctx)}
    return bool(saved and buffers) and all(
        buffer.id in saved or _is_handed_over(buffer, ctx) for buffer in buffers
    )


def _is_just_saved(call: Node, loaded: Argument | None, ctx: Context) -> bool:
    """Whether a function loads what it has saved before in any case: the same variable names the file."""
    function = ctx.source.enclosing(call, "function_definition")
    if function is None or loaded is None or loaded.value.type != "identifier":
        return False
    saves = (ctx.source.enclosing(word, "call") for word in ctx.source.identifiers_in("save", function))
    return any(save is not None and _is_saved_by(save, loaded.value, ctx) for save in saves)


def _is_saved_by(save: Node, file: Node, ctx: Context) -> bool:
    given = arguments_of(save).get("f", 1) if ctx.source.names.called_in(save) == "torch.save" else None
    block = ctx.source.enclosing(save, "block")
    is_before = save.end_byte <= file.start_byte and block is not None and file.end_byte <= block.end_byte
    return is_before and given is not None and text_of(given.value) == text_of(file)


def _is_of_this_run(call: Node, loaded: Argument | None, ctx: Context) -> bool:
    """Whether a function loads behind the loop in which it trains what that loop writes, or has something
    else write: the same run has saved it, in any case."""
    function = ctx.source.enclosing(call, *_LOOPS, "function_definition")
    if function is None or function.type in _LOOPS or loaded is None:
        return False
    loops = ctx.once(("training loops", function.id), lambda: tuple(_training_loops(function, ctx)))
    behind = bisect_right(loops, call.start_byte, key=lambda loop: loop.end_byte)
    return any(
        encloses(_certain_part(loop), call)
        and not _handed_over(loop, ctx).isdisjoint(_paths(loaded.value, loop, ctx))
        for loop in loops[max(behind - _NEAREST, 0) : behind]
    )


def _training_loops(function: Node, ctx: Context) -> Iterator[Node]:
    """The outermost loops of a function with a backward pass."""
    known: set[int] = set()
    for word in ctx.source.identifiers_in("backward", function):
        outer, loop = ctx.source.enclosing(word, *_LOOPS, "function_definition"), None
        while outer is not None and outer.type in _LOOPS:
            loop, outer = outer, ctx.source.enclosing(outer, *_LOOPS, "function_definition")
        if loop is not None and outer == function and loop.id not in known:
            known.add(loop.id)
            yield loop


def _certain_part(loop: Node) -> Node:
    """The part of a program in which what stands behind a loop runs only if the loop has."""
    return outermost(loop, "block", "with_statement", "try_statement")


def _handed_over(loop: Node, ctx: Context) -> frozenset[str]:
    """What the calls in a loop are given, but those that read or show it."""
    return ctx.once(("handed over", loop.id), lambda: frozenset(_given_in(loop, ctx)))


def _given_in(loop: Node, ctx: Context) -> Iterator[str]:
    for call in nodes_of(loop, "call"):
        if last_name(call) not in SAYS and ctx.source.names.called_in(call) != "torch.load":
            for item in arguments_of(call).items:
                if item.value.type in _PATHS and item.value.end_byte - item.value.start_byte <= _LONGEST:
                    yield text_of(item.value)


def _paths(file: Node, loop: Node, ctx: Context) -> Iterator[str]:
    """The texts by which a loop may know a file that is loaded behind it: its path, and the folder of it."""
    bindings = ctx.source.names.bindings_in_scope(text_of(file), file) if file.type == "identifier" else ()
    at = bisect_left(bindings, file.start_byte, key=lambda item: item.node.start_byte)
    last = bindings[at - 1] if at else None
    is_new = last is not None and last.node.start_byte >= loop.end_byte
    path = last.value if last is not None else file
    if not is_new or path is not None:
        yield text_of(path if is_new else file)
    folder = _folder_of(path, ctx) if path is not None else None
    if folder is not None and folder.type in ("identifier", "attribute"):
        yield text_of(folder)


def _folder_of(path: Node, ctx: Context) -> Node | None:
    """What a path begins with: ``folder + '/best.pth'``, ``os.path.join(folder, 'best.pth')``."""
    while path.type == "binary_operator":
        path = field(path, "left") or path.named_children[0]
    if path.type == "string":
        inner = next((item for item in path.named_children if item.type != "string_start"), None)
        return field(inner, "expression") if inner is not None and inner.type == "interpolation" else None
    first = arguments_of(path).at(0) if ctx.source.names.called_in(path) == "os.path.join" else None
    return first.value if first is not None else path


def _buffers(given: Argument | None, ctx: Context) -> list[Node]:
    """The calls that make the memory which an argument may be; nothing if it may be anything else."""
    found = ctx.origins(given.value) if given is not None else ()
    return list(found) if all(ctx.source.names.called_in(item) == "io.BytesIO" for item in found) else []


def _is_handed_over(buffer: Node, ctx: Context) -> bool:
    """Whether a caller gives the bytes that memory is made of, and not a file or an answer of the network."""
    content = arguments_of(buffer).at(0)
    return content is not None and all(
        item.type == "identifier" or last_name(item) == "getvalue" for item in ctx.origins(content.value)
    )


def _is_of_torch(loaded: Argument | None, ctx: Context) -> bool:
    """Whether what is loaded is a file of PyTorch's own, whose tensors are on the CPU."""
    origins = _tables_or_values(loaded.value, ctx) if loaded is not None else ()
    hosts = {host for origin in origins for host in _HOST.findall(text_of(origin))}
    return hosts == {_OF_TORCH}


def _tables_or_values(value: Node, ctx: Context) -> Iterator[Node]:
    """What a value may be; of an item of a table the whole table: ``url = URLS[name]``."""
    for origin in (value,) if value.type == "subscript" else ctx.origins(value):
        table = field(origin, "value") if origin.type == "subscript" else None
        yield from (origin,) if table is None else ctx.origins(table)


def is_kept_in_arrays(loaded: Node, ctx: Context) -> bool:
    """Whether what is loaded is put into arrays of NumPy, ``self.obs[a:b] = loaded[0]``, or taken as one,
    ``torch.from_numpy(loaded)``. What was saved are arrays, then: no tensor of a device can be put there."""
    target = target_of(loaded)
    is_kept = target is not None and target.type == "identifier"
    uses = _uses_of(target, ctx) if target is not None and is_kept else ()
    if any(_is_taken_as_array(use, ctx) for use in (loaded, *uses)):
        return True
    arrays = [array for use in uses for array in _filled_with(use)]
    made = (ctx.source.names.called_in(origin) for array in arrays for origin in ctx.origins(array))
    return bool(arrays) and all(name.startswith("numpy.") for name in made)


def _uses_of(target: Node, ctx: Context) -> Sequence[Node]:
    """The uses of a variable that what it is given at one place reaches."""
    name, scope = text_of(target), scope_of_variable(target, ctx.source)
    known = ctx.once(("uses by binding", name, scope.id), lambda: _uses_by_binding(target, ctx))
    return known.get(target.start_byte, ())


def _uses_by_binding(target: Node, ctx: Context) -> Mapping[int, Sequence[Node]]:
    bindings = ctx.source.names.bindings_in_scope(text_of(target), target)
    found: dict[int, list[Node]] = {}
    if not bindings:
        return found
    reaching = Reaching(bindings)
    for use in uses_of_variable(target, ctx.source):
        for binding in reaching.at(use):
            found.setdefault(binding.node.start_byte, []).append(use)
    return found


def _is_taken_as_array(value: Node, ctx: Context) -> bool:
    passed = passed_to(value)
    return passed is not None and ctx.source.names.called_in(passed.call) == "torch.from_numpy"


def _filled_with(value: Node) -> Iterator[Node]:
    """What a value, or an item of it, is put into."""
    holder = parent_of(value)
    item = holder if holder is not None and holder.type == "subscript" else value
    place = field(parent_of(item), "left")
    if place is not None and place.type == "subscript" and is_field(item, "right"):
        yield from place.children_by_field_name("value")
