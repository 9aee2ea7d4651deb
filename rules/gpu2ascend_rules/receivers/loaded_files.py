"""What code shows of a file that it loads: whose it is, and what was saved in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from tree_sitter import Node

from ..engine.context import Context
from ..limits.parents import parent_of
from ..text.scopes import Reaching
from ..text.syntax import Argument, arguments_of, field, is_field, last_name, passed_to, text_of
from ..text.uses import scope_of_variable, uses_of_variable

_HOST = re.compile(r"https?://([\w.-]+)")
_OF_TORCH = "download.pytorch.org"
_LOOPS = ("for_statement", "while_statement")


def names_no_gpu(call: Node, loaded: Argument | None, ctx: Context) -> bool:
    """Whether what a call loads is PyTorch's own, was saved or sent by the same program, or holds arrays."""
    return (
        _is_of_torch(loaded, ctx)
        or is_kept_in_arrays(call, ctx)
        or _is_sent(loaded, ctx)
        or _is_just_saved(call, loaded, ctx)
        or _is_of_this_run(call, ctx)
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


def _is_of_this_run(call: Node, ctx: Context) -> bool:
    """Whether a function loads behind the loop in which it trains: what the same run has saved."""
    function = ctx.source.enclosing(call, "function_definition")
    words = ctx.source.identifiers_in("backward", function) if function is not None else ()
    loops = (ctx.source.enclosing(word, *_LOOPS, "function_definition") for word in words)
    of_function = (
        loop
        for loop in loops
        if loop is not None and ctx.source.enclosing(loop, "function_definition") == function
    )
    return any(loop.end_byte <= call.start_byte for loop in of_function) and (
        ctx.source.enclosing(call, *_LOOPS, "function_definition") == function
    )


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
    statement = parent_of(loaded)
    target = field(statement, "left") if statement is not None and statement.type == "assignment" else None
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
