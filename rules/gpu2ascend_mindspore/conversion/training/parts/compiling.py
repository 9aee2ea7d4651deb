"""A training step that is compiled once, and called with what changes from step to step.

The function of the loss stays where it stood. Its first version is what ``ms.jit`` compiles: what the loop
assigns comes as an argument, and everything else is part of the graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tree_sitter import Node

from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.scopes import Binding, BindingKind
from gpu2ascend_rules.text.syntax import enclosing, field, text_of

from ...compiled.constructs import Obstacle, changed_names, is_called, obstacles_in
from ...evidence import Evidence
from ...use import Reason
from ..averaging import loop_behind
from ..variables import assigned_in, identifiers_in, read_before_assigned
from .moving import regions_without_effect

COMPILED = "take_gradients"
"""What new text calls the compiled function."""
_WITHOUT_VALUE = (BindingKind.IMPORT, BindingKind.DEFINITION)


class Compiled(NamedTuple):
    """How a step is compiled."""

    names: tuple[str, ...]
    """What the function is given in each step."""
    holder: str
    """What keeps the compiled function."""
    before: tuple[Edit, ...]
    """What is written before the loops around the step."""

    def lines(self, call: str, indent: str) -> tuple[str, str]:
        """The lines that compile a function of gradients once, and the call of what was made of it."""
        test = f"getattr(self, '{COMPILED}', None)" if "." in self.holder else self.holder
        made = f"if {test} is None:\n{indent}    {self.holder} = ms.jit({call})\n{indent}"
        return made, f"{self.holder}({', '.join(self.names)})"


def compiled(
    evidence: Evidence, forward: Sequence[Node], optimizer: Node, taken: set[int], scalers: frozenset[str]
) -> Compiled | Obstacle:
    """How statements that compute a loss, and the loss itself, are compiled, or what prevents it.

    Args:
        taken: The loops and classes that keep the function of another step already; this one's is added.
        scalers: What scales the loss: its factor is a parameter, which a graph reads anew.
    """
    first = forward[0]
    loop = loop_behind(first, optimizer)
    method = enclosing(first, "function_definition")
    region, keeper = (loop, loop) if loop is not None else (method, _class_of(method))
    if region is None or keeper is None or keeper.id in taken or evidence.source.names.bindings(COMPILED):
        return Obstacle(first, Reason.GRAPH_STEP, "")
    taken.add(keeper.id)
    plain = {one.id for one in regions_without_effect(evidence, forward)}
    for statement in forward:
        for found in obstacles_in(evidence, statement):
            if found.node.id not in plain:
                return found
    given = _Given(evidence, forward, region, scalers)
    if given.obstacle is not None:
        return given.obstacle
    if loop is None:
        return Compiled(tuple(given.names), f"self.{COMPILED}", ())
    indent = " " * loop.start_point[1]
    edit = Edit(loop.start_byte, loop.start_byte, f"{COMPILED} = None\n{indent}")
    return Compiled(tuple(given.names), COMPILED, (edit,))


class _Given:
    """What the statements of a step read that differs from step to step."""

    def __init__(
        self, evidence: Evidence, forward: Sequence[Node], region: Node, scalers: frozenset[str]
    ) -> None:
        self.names: list[str] = []
        self.obstacle: Obstacle | None = None
        self._names, self._region = evidence.source.names, region
        self._forward = forward
        carried, assigned = set(read_before_assigned(forward)), set(assigned_in(forward))
        kept = set(changed_names(region)) - scalers
        for name in (one for statement in forward for one in _in_order(statement)):
            text = text_of(name)
            if text in self.names or text == "self" or (text in assigned and text not in carried):
                continue
            bindings = self._names.bindings_in_scope(text, name)
            if text not in carried and not any(self._differs(one) for one in bindings):
                if text in kept and bindings:
                    self.obstacle = Obstacle(name, Reason.GRAPH_FROZEN, text)
                continue
            if is_called(name):
                self.obstacle = Obstacle(name, Reason.GRAPH_STEP, text)
            self.names.append(text)

    def _differs(self, binding: Binding) -> bool:
        """Whether a binding gives a name another value in each step, outside of what is compiled."""
        place = binding.node.start_byte
        if binding.kind in _WITHOUT_VALUE or not self._region.start_byte <= place < self._region.end_byte:
            return False
        return not any(one.start_byte <= place < one.end_byte for one in self._forward)


def _in_order(statement: Node) -> list[Node]:
    return sorted(identifiers_in(statement), key=lambda one: one.start_byte)


def _class_of(function: Node | None) -> Node | None:
    """The class of a method, whose objects can keep what was compiled."""
    if function is None:
        return None
    owner = enclosing(function, "class_definition", "function_definition")
    parameters = field(function, "parameters")
    first = parameters.named_children[0] if parameters is not None and parameters.named_children else None
    is_method = owner is not None and owner.type == "class_definition" and first is not None
    return owner if is_method and text_of(first or function) == "self" else None
