"""Where a file that is loaded comes from, of which it is known that no GPU is named in it."""

from __future__ import annotations

from tree_sitter import Node

from ...engine.context import Context
from ...receivers.residence import is_file_of_torch, is_kept_in_arrays
from ...text.syntax import Argument, arguments_of, last_name, text_of


def names_no_gpu(call: Node, loaded: Argument | None, ctx: Context) -> bool:
    """Whether what a call loads is PyTorch's own, was saved or sent by the same program, or holds arrays."""
    return any(
        (
            is_file_of_torch(loaded, ctx),
            is_kept_in_arrays(call, ctx),
            _is_sent(loaded, ctx),
            _is_just_saved(call, loaded, ctx),
        )
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
