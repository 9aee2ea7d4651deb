"""Enable AMP: a float32 training loop gets an autocast around its forward pass and a gradient scaler.

What goes where is what torch_npu's guide to mixed precision and PyTorch's own examples do: the forward pass
and the loss are computed under autocast, the backward pass is of the scaled loss, the scaler steps the
optimizer and is updated once the optimizers have stepped, and gradients are unscaled before anything reads or
changes them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import libcst as cst

from ...model.finding import Message
from ..codemod import Declined
from .lines import split_lines
from .loops.float32_losses import float32_losses, in_float32
from .loops.loop import Loop, training_of
from .loops.models import Models
from .module import AlreadyMixed, Block, Module
from .statements import StatementTransformer, parsed

_AMP = ("torch.cuda.amp", "torch.amp", "torch.autocast", "torch_npu.npu.amp", "torch.npu.amp", "apex.amp")


class Precision(NamedTuple):
    """How mixed precision is spelt."""

    module: str
    """``torch_npu.npu.amp``. The import that it needs is the caller's business."""
    autocast: str = ""
    """The arguments of the autocasts, as they are written."""
    scaler: str = ""
    """The arguments of the scaler."""


class Enabled(NamedTuple):
    """A module with mixed precision."""

    text: str
    declined: tuple[Declined, ...]
    """Why some of its functions train in float32 as before."""


def with_amp(text: str, target_model: str, precision: Precision, variable: str | None = None) -> Enabled:
    """A module with mixed precision. ``variable`` is the name of the scaler; else a free one is found.

    Raises:
        Declined: there is no plain float32 loop, or where its forward pass begins cannot be determined.
        libcst.ParserSyntaxError: the text is no Python.
    """
    split = split_lines(text, _is_of_training)
    try:
        enabled = _enabled(Module(split.text), target_model, precision, variable)
    except Declined as reason:
        raise split.declined(reason) from None
    return enabled._replace(declined=tuple(split.declined(reason) for reason in enabled.declined))


def _is_of_training(line: str) -> bool:
    return ".backward(" in line or ".step(" in line or "grad" in line


def _enabled(module: Module, target_model: str, precision: Precision, variable: str | None) -> Enabled:
    for call in module.find(cst.Call):
        name = module.name(call) or ""
        if name.startswith(_AMP):
            raise AlreadyMixed(name, module.line(call))
    models = Models(module, target_model)
    training = training_of(module, models)
    if not training.loops:
        raise (
            training.declined[0] if training.declined else Declined(Message.of("amp.enable.declined.no-loop"))
        )
    name = variable or module.free_name("scaler")
    new = module.tree.visit(_Enable(module, training.loops, models, precision, name))
    return Enabled(new.code, training.declined)


class _Enable(StatementTransformer):
    """Makes the changes that were found possible."""

    def __init__(
        self, module: Module, loops: Sequence[Loop], models: Models, precision: Precision, variable: str
    ) -> None:
        super().__init__(module)
        self._precision = precision
        self._name = variable
        self._regions: dict[cst.CSTNode, list[tuple[int, int]]] = {}
        self._backwards: dict[cst.CSTNode, str] = {}
        self._steps: dict[cst.CSTNode, str] = {}
        self._updates: dict[cst.CSTNode, str] = {}
        self._unscales: dict[cst.CSTNode, list[str]] = {}
        self._makers: dict[cst.CSTNode, str] = {}
        self._early_makers: list[cst.CSTNode] = []
        self._float32 = dict(float32_losses(module, loops, models))
        for loop in loops:
            self._take(loop)

    def _take(self, loop: Loop) -> None:
        """Note what happens to the statements of one function."""
        scaler = self._scaler_for(loop)
        for backward in loop.backwards:
            regions = self._regions.setdefault(backward.block, [])
            regions.append((_place(backward.block, backward.first), _place(backward.block, backward.last)))
            self._backwards[backward.statement] = scaler
        self._steps.update((step.statement, scaler) for step in loop.steps)
        self._updates.update((statement, scaler) for statement in loop.updated)
        for statement, optimizer in loop.unscaled:
            self._unscales.setdefault(statement, []).append(f"{scaler}.unscale_({optimizer})")

    def _scaler_for(self, loop: Loop) -> str:
        """The scaler's variable, made where the optimizer is; if that is elsewhere, once for the module."""
        module, optimizer = self.module, loop.steps[0].optimizer
        is_attribute = optimizer.startswith("self.")
        scaler = f"self.{self._name}" if is_attribute else self._name
        home = _class_of(module, loop.steps[0].statement)
        made = [
            node
            for node in module.find(cst.Assign)
            if any(module.code(target.target) == optimizer for target in node.targets)
            and (_class_of(module, node) is home if is_attribute else module.function(node) is loop.function)
        ]
        if made:
            self._makers[self._statement_in_function(made[-1])] = scaler
            return scaler
        first = module.blocks(loop.backwards[0].statement)[0]
        self._early_makers.append(first[0].body[first[1]])
        self._early_makers = [min(self._early_makers, key=module.line)]
        return self._name

    def _statement_in_function(self, node: cst.CSTNode) -> cst.CSTNode:
        """The statement of the function's own block, or of the module's, that a node is in."""
        function = self.module.function(node)
        home = function.body if function is not None else self.module.tree
        block, index = next(item for item in self.module.blocks(node) if item[0] is home)
        statement: cst.CSTNode = block.body[index]
        return statement

    # --- the transformation --------------------------------------------------------------------------

    def in_front(self, statement: cst.CSTNode) -> Iterator[str]:
        """Gradients are unscaled before they are looked at; a scaler for the whole module is made early."""
        yield from self._unscales.get(statement, ())
        if statement in self._early_makers:
            yield self._maker(self._name)

    def behind(self, statement: cst.CSTNode) -> Iterator[str]:
        """The scaler is updated when the optimizers have stepped, and made where the optimizer is."""
        if statement in self._updates:
            yield f"{self._updates[statement]}.update()"
        if statement in self._makers:
            yield self._maker(self._makers[statement])

    def _maker(self, scaler: str) -> str:
        return f"{scaler} = {self._precision.module}.GradScaler({self._precision.scaler})"

    def leave_Expr(self, original_node: cst.Expr, updated_node: cst.Expr) -> cst.Expr:
        """A scaled backward pass; a step by the scaler."""
        scaler = self._backwards.get(original_node) or self._steps.get(original_node)
        if scaler is None:
            return updated_node
        call = cst.ensure_type(updated_node.value, cst.Call)
        function = cst.ensure_type(call.func, cst.Attribute)
        owner = cst.Arg(function.value.with_changes(lpar=(), rpar=()))
        if original_node in self._steps:
            return updated_node.with_changes(
                value=call.with_changes(func=cst.parse_expression(f"{scaler}.step"), args=[owner])
            )
        scaled = cst.Call(cst.parse_expression(f"{scaler}.scale"), [owner])
        return updated_node.with_changes(value=call.with_changes(func=function.with_changes(value=scaled)))

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        """A loss that autocast refuses, of float32 tensors."""
        is_one = any(original_node is call for calls in self._float32.values() for call in calls)
        return in_float32(updated_node) if is_one else updated_node

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement:
        """A statement that computes a loss that autocast refuses, out of autocast."""
        if original_node not in self._float32:
            return updated_node
        arguments = ", ".join(filter(None, (self._precision.autocast, "enabled=False")))
        header = parsed(f"with {self._precision.module}.autocast({arguments}): pass")
        inner = cst.IndentedBlock([updated_node.with_changes(leading_lines=())])
        done: cst.With = header.with_changes(leading_lines=updated_node.leading_lines, body=inner)
        return done

    def leave_IndentedBlock(self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock) -> Any:
        """The forward passes of a block, under autocast."""
        return updated_node.with_changes(body=self._with_regions(original_node, updated_node.body))

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> Any:
        """The forward passes of a script, under autocast."""
        return updated_node.with_changes(body=self._with_regions(original_node, updated_node.body))

    def _with_regions(self, block: Block, statements: Sequence[Any]) -> list[Any]:
        body = list(statements)
        given: Sequence[cst.CSTNode] = block.body
        for begin, last in _merged(self._regions.get(block, ())):
            start = _index(body, self.became[given[begin]][0])
            end = _index(body, self.became[given[last]][-1]) + 1
            first = body[start].with_changes(leading_lines=())
            header = parsed(f"with {self._precision.module}.autocast({self._precision.autocast}): pass")
            inner = cst.IndentedBlock([first, *body[start + 1 : end]])
            body[start:end] = [header.with_changes(leading_lines=body[start].leading_lines, body=inner)]
        return body


def _class_of(module: Module, node: cst.CSTNode) -> cst.ClassDef | None:
    return module.around(node, cst.ClassDef)


def _merged(regions: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Forward passes that share statements are one."""
    merged: list[tuple[int, int]] = []
    for begin, last in sorted(regions):
        if merged and begin <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((begin, last))
    return merged


def _place(block: Block, statement: cst.CSTNode) -> int:
    return _index(block.body, statement)


def _index(body: Sequence[Any], statement: Any) -> int:
    return next(index for index, item in enumerate(body) if item is statement)
