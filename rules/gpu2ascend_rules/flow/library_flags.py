"""Answers of torch.cuda that become flags of another library: ``Reader(gpu=torch.cuda.is_available())``.

What such a flag does is for the library to say. Most ask torch.cuda again, and raise when they are set to
use a GPU that is not there: on the NPU the answer for CUDA is the one that runs, on the CPU.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Node

from ..limits.parents import parent_of
from ..text.climbing import Outermost
from ..text.syntax import is_field, passed_to, target_of, text_of
from .libraries import Origin, source_of_callee
from .words import words_of

if TYPE_CHECKING:
    from ..engine.context import Context

_WORDS = frozenset({"cuda", "gpu", "gpus", "ngpu", "ngpus", "cudnn"})
_SERVE_NPUS = frozenset(
    {
        "torch", "torchvision", "torchaudio", "transformers", "accelerate", "diffusers", "peft", "trl",
        "deepspeed", "mmengine", "mmcv",
    }
)  # fmt: skip
"""Libraries whose flags of that kind are for whatever accelerator torch has, the NPU among them."""
_KEEP = ("not_operator", "boolean_operator", "conditional_expression", "parenthesized_expression")


class LibraryFlag(NamedTuple):
    """A parameter of another library that an expression decides over."""

    library: str
    parameter: str


def flag_of_library(answer: Node, ctx: Context) -> LibraryFlag | None:
    """The flag of another library that an answer of torch.cuda is for, by itself or by a variable whose every
    use is one."""
    node = _whole(answer, ctx)
    flag = _given_as(node, ctx)
    if flag is not None:
        return flag
    name = target_of(node)
    if name is None or name.type != "identifier" or not is_field(node, "right"):
        return None
    flags = [_given_as(_whole(use, ctx), ctx) for use in _reads(name, ctx)]
    return flags[0] if flags and all(flags) else None


def _reads(name: Node, ctx: Context) -> list[Node]:
    """The uses of a variable that is given one value."""
    names = ctx.source.names
    bindings = names.bindings_in_scope(text_of(name), name)
    if len(bindings) != 1:
        return []
    uses = names.references(text_of(name))
    return [use for use in uses if names.bindings_in_scope(text_of(name), use) == bindings]


def _whole(answer: Node, ctx: Context) -> Node:
    """The call of a name, and the choices and negations around it."""
    node = answer
    holder = parent_of(node)
    if holder is not None and holder.type == "call" and is_field(node, "function"):
        node = holder
    return ctx.source.once(_whole, lambda: Outermost(*_KEEP)).of(node)


def _given_as(value: Node, ctx: Context) -> LibraryFlag | None:
    passed = passed_to(value)
    parameter = passed.argument.keyword if passed is not None else None
    if passed is None or parameter is None or _WORDS.isdisjoint(words_of(parameter)):
        return None
    source = source_of_callee(passed.call, ctx)
    if source.origin not in (Origin.LIBRARY, Origin.FOREIGN, Origin.TORCH) or source.library in _SERVE_NPUS:
        return None
    return LibraryFlag(source.library, parameter)
