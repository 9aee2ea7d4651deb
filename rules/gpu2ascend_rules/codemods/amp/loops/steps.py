"""The optimizers of a module, where they step, and where the scaler is updated once all have stepped."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import libcst as cst

from ....model.finding import Message
from ...codemod import Declined
from ..module import Block, Module

_OPTIMIZER = re.compile(r"(?i)optim|^opt(?:s|_?[a-z0-9]{0,2})?$|_opt(?:s|_[a-z0-9]+)?$")
"""What a variable that holds an optimizer is usually called."""


def optimizers_of(module: Module) -> set[str]:
    """What is certainly an optimizer: made by ``torch.optim``, its gradients set to zero, or called one."""
    made = {
        module.code(target.target)
        for node in module.find(cst.Assign)
        if (module.name(node.value) or "").startswith("torch.optim.")
        and not (module.name(node.value) or "").startswith("torch.optim.lr_scheduler")
        for target in node.targets
    }
    zeroed = {owner(module, node) for node in module.find(cst.Expr) if is_method(node.value, "zero_grad")}
    stepped = {owner(module, node) for node in module.find(cst.Expr) if is_method(node.value, "step")}
    return made | zeroed | {name for name in stepped if _is_called_one(name)}


def owner(module: Module, expression: cst.Expr) -> str:
    """What a method that stands as a statement is called on, as it is written."""
    call = cst.ensure_type(expression.value, cst.Call)
    return module.code(cst.ensure_type(call.func, cst.Attribute).value)


def is_method(node: cst.BaseExpression, name: str) -> bool:
    """Whether an expression calls a method of that name, other than that of a parent class."""
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return False
    base = node.func.value
    of_super = isinstance(base, cst.Call) and isinstance(base.func, cst.Name) and base.func.value == "super"
    return node.func.attr.value == name and not of_super


def closures_step(module: Module, function: cst.FunctionDef | None) -> cst.Call | None:
    """Where an optimizer steps by a closure: that function, or one that the step is given."""
    for call in module.find(cst.Call):
        if is_method(call, "step") and call.args:
            given = module.code(call.args[0].value)
            if function is not None and given == function.name.value:
                return call
    return None


def update_places(
    module: Module, steps: Sequence[cst.Expr], backwards: Sequence[cst.Expr]
) -> Iterator[cst.CSTNode]:
    """The statements behind which the scaler is updated: once when all that step together have stepped.

    Raises:
        Declined: on some ways through them nothing steps, and a scaler cannot be updated then; or one steps
            more rarely than the scale changes.
    """
    groups = list(_groups(module, steps, backwards))
    for group in groups:
        place = _common(module, group)
        if place is None:
            raise Declined(Message.of("amp.enable.declined.steps-apart"), module.line(group[-1]))
        yield place
    if len(groups) > 1:
        for group in groups:
            _refuse_accumulation(module, group, backwards)


def _groups(
    module: Module, steps: Sequence[cst.Expr], backwards: Sequence[cst.Expr]
) -> Iterator[list[cst.Expr]]:
    group: list[cst.Expr] = []
    for node in sorted([*steps, *backwards], key=module.line):
        if node in steps:
            group.append(node)
        elif group:
            yield group
            group = []
    if group:
        yield group


def _common(module: Module, group: Sequence[cst.Expr]) -> cst.CSTNode | None:
    """The last statement of the innermost block that has all steps, if something steps there for certain."""
    paths = [_leaving_loops(module, node) for node in group]
    shared = next((place for place in _innermost_first(paths) if _are_one(paths, place)), None)
    if shared is None:
        return None
    block, last = paths[0][shared][0], max(path[shared][1] for path in paths)
    if not any(_always(module, path[shared:]) for path in paths):
        return None
    statement: cst.CSTNode = block.body[last]
    return statement


def _innermost_first(paths: Sequence[Sequence[object]]) -> Iterator[int]:
    yield from reversed(range(min(len(path) for path in paths)))


def _are_one(paths: Sequence[Sequence[tuple[Block, int]]], place: int) -> bool:
    return len({id(path[place][0]) for path in paths}) == len(paths[:1])


def _leaving_loops(module: Module, node: cst.Expr) -> list[tuple[Block, int]]:
    """The blocks around a step, without those of a loop over optimizers (``for o in all: o.step()``)."""
    path = module.blocks(node)
    root = owner(module, node).partition(".")[0].partition("[")[0]
    for level, (block, _) in enumerate(path):
        loop = module.parent(block)
        is_one = isinstance(loop, cst.For) and any(
            name.value == root for name in module.find(cst.Name, loop.target)
        )
        if is_one:
            return path[:level]
    return path


def _always(module: Module, path: Sequence[tuple[Block, int]]) -> bool:
    """Whether what is in the last of some nested blocks runs whenever the first does."""
    return all(isinstance(module.parent(block), cst.With) for block, _ in path[1:])


def _refuse_accumulation(module: Module, group: Sequence[cst.Expr], backwards: Sequence[cst.Expr]) -> None:
    """One scaler's scale must not change while the gradients of another optimizer accumulate."""
    first = min(module.line(node) for node in group)
    before = [node for node in backwards if module.line(node) < first]
    if not before:
        return
    around = {id(block) for block, _ in module.blocks(before[-1])}
    for node in group:
        extra = [block for block, _ in _leaving_loops(module, node) if id(block) not in around]
        if any(isinstance(module.parent(block), cst.If) for block in extra):
            raise Declined(Message.of("amp.enable.declined.accumulates"), module.line(node))


def _is_called_one(name: str) -> bool:
    last = name.rpartition(".")[2].partition("[")[0]
    return _OPTIMIZER.search(last) is not None and "sched" not in name.lower()
