"""Where a training loop looks at gradients: they must be unscaled by then, once for each step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from ...model.finding import Message
from .module import Declined, Module

_LOOKS = frozenset(
    {
        "clip_grad_norm_",
        "clip_grad_norm",
        "clip_grad_value_",
        "clip_grads_with_norm_",
        "get_total_norm",
    }
)
"""Functions of torch.nn.utils that read or change the gradients of parameters, however they are imported."""

_STATEMENTS: tuple[type[cst.CSTNode], ...] = (
    cst.SimpleStatementLine,
    cst.SimpleStatementSuite,
    cst.If,
    cst.For,
    cst.While,
    cst.With,
    cst.Match,
)


class GradientUse:
    """The statements of a function that read or change gradients."""

    def __init__(self, module: Module, function: cst.FunctionDef | None) -> None:
        self._module = module
        self._helpers = {
            node.name.value for node in module.find(cst.FunctionDef) if self._is_look(node.body, frozenset())
        }
        self._looks = [
            node
            for kind in _STATEMENTS
            for node in module.find(kind)
            if module.function(node) is function
            and any(self._is_look(part, self._helpers) for part in _own_parts(node))
        ]
        self._looks.sort(key=module.line)

    def anchor(self, backward: cst.Expr, step: cst.Expr) -> cst.CSTNode | None:
        """The statement before which the gradients of a step are unscaled; ``None`` if nothing looks at them.

        Raises:
            Declined: they are looked at more often than the optimizer steps.
        """
        module = self._module
        between = (module.line(backward), module.line(step))
        for look in self._looks:
            if between[0] < module.line(look) < between[1]:
                block = module.blocks(step)[-1][0]
                for other, place in module.blocks(look):
                    if other is block:
                        statement: cst.CSTNode = block.body[place]  # type: ignore[attr-defined]
                        return statement
                raise self._declined(look)
        return None

    def refuse_between(self, first: cst.Expr, second: cst.Expr) -> None:
        """No gradient may be looked at between two backward passes that one step follows.

        Raises:
            Declined: one is.
        """
        for look in self._looks:
            if self._module.line(first) < self._module.line(look) < self._module.line(second):
                raise self._declined(look)

    def _declined(self, look: cst.CSTNode) -> Declined:
        return Declined(Message.of("amp.enable.declined.gradients"), self._module.line(look))

    def _is_look(self, node: cst.CSTNode, helpers: Sequence[str] | set[str] | frozenset[str]) -> bool:
        module = self._module
        for attribute in module.find(cst.Attribute, node):
            name = attribute.attr.value
            if name in _LOOKS or (name == "grad" and module.name(attribute) != "torch.autograd.grad"):
                return True
        for call in module.find(cst.Call, node):
            called = call.func.attr if isinstance(call.func, cst.Attribute) else call.func
            if isinstance(called, cst.Name) and (called.value in _LOOKS or called.value in helpers):
                return True
        return False


def _own_parts(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """A line of simple statements, or the expressions that a compound statement begins with."""
    if isinstance(node, (cst.SimpleStatementLine, cst.SimpleStatementSuite)):
        yield node
    for name in ("test", "iter", "items", "subject"):
        part = getattr(node, name, None)
        if isinstance(part, cst.CSTNode):
            yield part
        elif isinstance(part, Sequence):
            yield from part
