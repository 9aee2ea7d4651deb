"""Where a training loop looks at gradients: they must be unscaled by then, once for each step."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import libcst as cst

from ....model.finding import Message
from ...codemod import Declined
from ..module import Module
from .models import Models

_LOOKS = re.compile(r"(?i)grad|get_total_norm")
"""Functions of this name read or change gradients, wherever they are from, but for those of the next."""
_NO_LOOKS = re.compile(
    r"(?i)^grad$|no_?grad|zero_?grad|enable_?grad|enabled|requires?_?grad|is_grad|checkpoint"
)
_HOOKS = frozenset(
    {
        "register_hook",
        "register_backward_hook",
        "register_full_backward_hook",
        "register_full_backward_pre_hook",
        "register_post_accumulate_grad_hook",
    }
)
"""What they are given runs in the middle of the backward pass."""
_PENALTY = re.compile(r"(?i)grad(?:ient)?s?_?penalt|penalt\w*_?grad")
_BUILTINS = frozenset({"getattr", "hasattr", "id", "isinstance", "len", "print", "repr", "str", "type"})
_STATEMENTS: tuple[type[cst.CSTNode], ...] = (
    cst.SimpleStatementLine,
    cst.SimpleStatementSuite,
    cst.If,
    cst.For,
    cst.While,
    cst.With,
    cst.Match,
)


def refuse_hidden_looks(module: Module) -> None:
    """No gradient may be looked at before the backward pass is over, when it can be unscaled.

    Raises:
        Declined: a penalty on gradients needs them in the middle of the forward pass, or a hook in that of
            the backward pass.
    """
    for call in module.find(cst.Call):
        for arg in call.args:
            is_given = arg.keyword is not None and arg.keyword.value == "create_graph"
            if is_given and module.code(arg.value) != "False":
                raise declined(module, "create-graph", call)
        name = _last_name(call)
        if _PENALTY.search(name):
            raise declined(module, "penalty", call, name=name)
        if name in _HOOKS:
            raise declined(module, "hook", call, name=name)


_WAYS_OUT: tuple[type[cst.CSTNode], ...] = (cst.Continue, cst.Break, cst.Return)


class GradientUse:
    """The statements of a function that read or change gradients, or may do so."""

    def __init__(
        self, module: Module, function: cst.FunctionDef | None, models: Models, optimizers: set[str]
    ) -> None:
        self._module = module
        self._holders = (models.names | optimizers) - {"self"}
        self._helpers = {
            node.name.value for node in module.find(cst.FunctionDef) if self._is_look(node.body, frozenset())
        }
        self._harmless = {node.name.value for node in module.find(cst.FunctionDef)} | _BUILTINS
        self._looks = [
            node
            for kind in _STATEMENTS
            for node in module.find(kind)
            if module.function(node) is function
            and any(
                self._is_look(part, self._helpers) or self._gets_holder(part) for part in _own_parts(node)
            )
        ]
        self._looks.sort(key=module.line)

    def anchor(self, backward: cst.Expr, step: cst.Expr) -> cst.CSTNode | None:
        """The statement before which the gradients of a step are unscaled; ``None`` if nothing looks at them.

        Raises:
            Declined: they are looked at more often than the optimizer steps, or the step may be left out.
        """
        module = self._module
        between = (module.line(backward), module.line(step))
        for look in self._looks:
            if between[0] < module.line(look) < between[1]:
                block = module.blocks(step)[-1][0]
                for other, place in module.blocks(look):
                    if other is block:
                        statement: cst.CSTNode = block.body[place]
                        self._refuse_ways_out(statement, step)
                        return statement
                raise self._declined(look)
        return None

    def _refuse_ways_out(self, anchor: cst.CSTNode, step: cst.Expr) -> None:
        """Gradients that are unscaled must be stepped on: the scaler unscales them once before its update.
        Raises Declined: the step may be passed by."""
        module = self._module
        for kind in _WAYS_OUT:
            for node in module.find(kind):
                if not module.line(anchor) <= module.line(node) < module.line(step):
                    continue
                if module.function(node) is module.function(step) and self._leaves(node, step):
                    raise declined(module, "left-early", anchor)

    def _leaves(self, way_out: cst.CSTNode, step: cst.Expr) -> bool:
        """Whether a way out passes a step by, and is not that of a loop of its own."""
        if isinstance(way_out, cst.Return):
            return True
        module = self._module
        loops = [loop for kind in (cst.For, cst.While) if (loop := module.around(way_out, kind)) is not None]
        inner = max(loops, key=module.line, default=None)
        return inner is not None and any(node is step for node in module.find(cst.Expr, inner))

    def refuse_between(self, first: cst.Expr, second: cst.Expr) -> None:
        """No gradient may be looked at between two backward passes that one step follows.
        Raises Declined: one is."""
        for look in self._looks:
            is_between = self._module.line(first) < self._module.line(look) < self._module.line(second)
            if is_between and any(self._is_look(part, self._helpers) for part in _own_parts(look)):
                raise self._declined(look)

    def _declined(self, look: cst.CSTNode) -> Declined:
        return Declined(Message.of("amp.enable.declined.gradients"), self._module.line(look))

    def _is_look(self, node: cst.CSTNode, helpers: set[str] | frozenset[str]) -> bool:
        module = self._module
        for attribute in module.find(cst.Attribute, node):
            if attribute.attr.value == "grad" and module.name(attribute) != "torch.autograd.grad":
                return True
        for call in module.find(cst.Call, node):
            name = _last_name(call)
            if name in helpers or (_LOOKS.search(name) and not _NO_LOOKS.search(name)):
                return True
            if name == "getattr" and any(module.code(arg.value) in ("'grad'", '"grad"') for arg in call.args):
                return True
        return False

    def _gets_holder(self, node: cst.CSTNode) -> bool:
        """Whether a function is given what holds gradients: a model, its parameters, an optimizer."""
        module = self._module
        for call in module.find(cst.Call, node):
            if _last_name(call) in self._harmless:
                continue
            for arg in call.args:
                code = re.sub(r"\.(?:named_)?parameters\(\)$", "", module.code(arg.value))
                if code in self._holders and not _last_name(call)[:1].isupper():
                    return True
        return False


def _last_name(call: cst.Call) -> str:
    called = call.func.attr if isinstance(call.func, cst.Attribute) else call.func
    return called.value if isinstance(called, cst.Name) else ""


def declined(module: Module, key: str, node: cst.CSTNode, **arguments: object) -> Declined:
    """That mixed precision cannot be put in, at the place that is in the way."""
    return Declined(Message.of(f"amp.enable.declined.{key}", **arguments), module.line(node))


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
