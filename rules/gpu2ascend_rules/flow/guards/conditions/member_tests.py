"""Tests for a member of a module, which the NPU's build of it may lack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from ....data import load_json
from ....facts.packages.third_party import is_cuda_member
from ....text.syntax import arguments_of
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
