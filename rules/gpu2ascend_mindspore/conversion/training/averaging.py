"""The averaging of gradients over all processes, as text for a training step.

Behind the gradients and before anything looks at them: that a gradient is not a number, and how long all of
them are together, has to be the same for all processes.
"""

from __future__ import annotations

from typing import NamedTuple

from tree_sitter import Node

from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import LOOPS, OWN_SCOPES, ancestors, field, text_of

from ..evidence import Evidence
from .variables import assigned_in


class Averaging(NamedTuple):
    """How a step averages its gradients."""

    lines: str = ""
    """What stands behind the gradients, each line with its indentation; empty in a single process."""
    before: tuple[Edit, ...] = ()
    """What is written before the loops around the step."""
    needs: frozenset[str] = frozenset()


def averaging_of(evidence: Evidence, statement: Node, optimizer: Node, gradients: str) -> Averaging:
    """How the gradients that a statement takes for an optimizer are averaged."""
    if not evidence.context.options.distributed:
        return Averaging()
    indent = " " * statement.start_point[1]
    loop = loop_behind(statement, optimizer)
    if loop is None:
        text = (
            f"\n{indent}if mint.distributed.is_initialized():\n{indent}    {gradients} = tuple(\n"
            f"{indent}        ops.AllReduce()(one) / mint.distributed.get_world_size()"
            f" for one in {gradients}\n{indent}    )"
        )
        return Averaging(text, (), frozenset({"mint", "ops"}))
    owner = text_of(optimizer)
    reducer = f"{owner.rpartition('.')[2]}_reducer"
    outer = " " * loop.start_point[1]
    made = (
        f"{reducer} = None\n{outer}if mint.distributed.is_initialized():\n"
        f"{outer}    {reducer} = nn.DistributedGradReducer({owner}.parameters, mean=True)\n{outer}"
    )
    text = f"\n{indent}if {reducer} is not None:\n{indent}    {gradients} = {reducer}({gradients})"
    return Averaging(text, (Edit(loop.start_byte, loop.start_byte, made),), frozenset({"mint", "nn"}))


def loop_behind(statement: Node, optimizer: Node) -> Node | None:
    """The outermost loop around a statement that makes no new optimizer of the name."""
    found: Node | None = None
    for one in ancestors(statement):
        if one.type in LOOPS:
            if _makes(one, text_of(optimizer)):
                break
            found = one
        elif one.type in (*OWN_SCOPES, "module"):
            break
    return found


def _makes(loop: Node, name: str) -> bool:
    """Whether a loop assigns a name, or an attribute, of a text."""
    body = field(loop, "body")
    if body is None:
        return False
    if name in assigned_in([body]):
        return True
    targets = (field(node, "left") for node in nodes_in(body) if node.type == "assignment")
    return any(target is not None and text_of(target) == name for target in targets)


def is_free(evidence: Evidence, optimizer: Node) -> bool:
    """Whether a file does not use the name of the reducer for something else."""
    return not evidence.source.names.bindings(f"{text_of(optimizer).rpartition('.')[2]}_reducer")
