"""Tests of the release of torch, which the chosen version decides."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from tree_sitter import Node

from ....data import load_json
from ....facts.packages.third_party import is_cuda_member
from ....text.syntax import arguments_of, text_of
from ...templates import plain_text

if TYPE_CHECKING:
    from ....engine.context import Context

_CUDA = "torch.cuda."


def answer_of_member_test(call: Node, ctx: Context) -> bool | None:
    """``hasattr(faiss, 'StandardGpuResources')``: no build for the NPU's machine has it; nor has the module
    that ``hasattr(torch.cuda, 'nvtx')`` comes to ask."""
    owner, name = arguments_of(call).at(0), arguments_of(call).at(1)
    found = ctx.source.names.qualified_name(owner.value) if owner is not None else None
    member = plain_text(name.value) if name is not None and name.value.type == "string" else None
    if found is None or member is None:
        return None
    asked = f"{found.qualified_name}.{member}"
    return False if is_cuda_member(asked) or _is_missing(asked, ctx) else None


def _is_missing(name: str, ctx: Context) -> bool:
    """Whether torch_npu has nothing in the place of a name below torch.cuda, nor torch in another."""
    if not name.startswith(_CUDA) or name in load_json("cuda_names")["moved"]:
        return False
    counterpart = ctx.facts.npu_counterpart(name)
    is_there = counterpart is not None and counterpart.relation != "similar"
    return not is_there and not ctx.facts.npu_name_exists(f"torch_npu.npu.{name.removeprefix(_CUDA)}")


if TYPE_CHECKING:
    from ....engine.context import Context

_OF_TORCH = re.compile(r"\btorch\.__version__|\bTORCH_VERSION\b|\btorch_version\b", re.I)
_WRITTEN = re.compile(r"(?:[\w.]*\(\s*)?(['\"])(\d+(?:\.\d+)*)\1\s*\)?")
_TUPLE = re.compile(r"[(\[]\s*(\d+(?:\s*,\s*\d+)*)\s*,?\s*[)\]]")
_ORDER: dict[str, Callable[[tuple[int, ...], tuple[int, ...]], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def answer_of_version_test(comparison: Node, ctx: Context) -> bool | None:
    """Whether ``version.parse(torch.__version__) >= version.parse("2.0")`` holds for the chosen version."""
    if comparison.child_count != 3:
        return None
    left, order, right = (text_of(child) for child in comparison.children)
    given, asked = _release(right), _OF_TORCH.search(left)
    if given is None or not asked or order not in _ORDER:
        return None
    chosen = tuple(ctx.version)[: len(given)]
    return _ORDER[order](chosen, given)


def _release(text: str) -> tuple[int, ...] | None:
    written = _WRITTEN.fullmatch(text.strip())
    if written is not None:
        return tuple(int(part) for part in written[2].split("."))
    numbers = _TUPLE.fullmatch(text.strip())
    return tuple(int(part) for part in numbers[1].split(",")) if numbers is not None else None
