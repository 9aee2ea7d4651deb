"""Where ``amp.initialize`` goes, and with what: apex must see models and optimizers before they are used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from ..data_types import other_dtype
from ..module import Block, Module, is_true
from .survey import ScalerSurvey

WRAPPERS = frozenset(
    {
        "torch.nn.parallel.DistributedDataParallel",
        "torch.nn.parallel.distributed.DistributedDataParallel",
        "torch.nn.DataParallel",
        "torch.nn.parallel.DataParallel",
        "apex.parallel.DistributedDataParallel",
    }
)
_MOVES = frozenset({"cuda", "npu", "to"})
_PARAMETERS = frozenset({"parameters", "named_parameters"})


class Initialization(NamedTuple):
    """One call of ``amp.initialize``."""

    anchor: cst.CSTNode
    """The statement that it goes behind."""
    models: tuple[str, ...]
    optimizers: tuple[str, ...]
    enabled: str | None


def initialization(survey: ScalerSurvey, target_model: str) -> Initialization:
    """The call for a module that steps its optimizers by a scaler.
    Raises Declined: there is no place where all that it needs is there."""
    module = survey.module
    optimizers = tuple(dict.fromkeys(module.code(call.call.args[0].value) for call in survey.steps()))
    if not optimizers:
        raise survey.decline("no-step", survey.scalers[0].statement)
    made = [_made(survey, optimizer) for optimizer in optimizers]
    models = _models(survey, made, target_model)
    other = other_dtype(module, {*models})
    if other is not None:
        raise survey.decline("model-dtype", other, code=module.code(other))
    block, index = _common_place(survey, made)
    index = _behind_moves(module, block, index, models)
    anchor = _body(block)[index]
    _refuse_earlier(survey, anchor, models)
    return Initialization(anchor, models, optimizers, _condition(survey, anchor))


def condition_without_scaler(survey: ScalerSurvey) -> None:
    """Make sure that autocasts can go from a module whose scaler is elsewhere.

    Raises:
        Declined: one of them has a condition, which only the other module could pass on, or is off, which
            apex can be only where it is known to be on.
    """
    for call in survey.autocasts:
        enabled = survey.enabled_of(call)
        if is_false(enabled):
            raise survey.decline("off-elsewhere", call)
        if not is_true(enabled):
            raise survey.decline("condition-elsewhere", call)


def is_false(node: cst.BaseExpression | None) -> bool:
    """Whether a condition is ``False``, written out."""
    return isinstance(node, cst.Name) and node.value == "False"


def _made(survey: ScalerSurvey, optimizer: str) -> cst.Assign:
    module = survey.module
    found = [node for node in module.find(cst.Assign) if optimizer in _names_of(module, node)]
    step = next(call for call in survey.steps() if module.code(call.call.args[0].value) == optimizer)
    function = module.function(step.call)
    if not found and function is not None and _has_parameter(function, optimizer):
        raise survey.decline("optimizer-parameter", step.call, optimizer=optimizer)
    if not found:
        raise survey.decline("optimizer-elsewhere", step.call, optimizer=optimizer)
    if len({module.function(node) for node in found}) > 1:
        raise survey.decline("optimizer-twice", found[1], optimizer=optimizer)
    return found[-1]


def _names_of(module: Module, node: cst.Assign) -> set[str]:
    """What an assignment sets, also by unpacking."""
    names = set()
    for target in (item.target for item in node.targets):
        parts = (
            [item.value for item in target.elements]
            if isinstance(target, (cst.Tuple, cst.List))
            else [target]
        )
        names |= {module.code(part.with_changes(lpar=(), rpar=())) for part in parts}
    return names


def _has_parameter(function: cst.FunctionDef, name: str) -> bool:
    params = function.params
    return any(
        item.name.value == name for item in (*params.posonly_params, *params.params, *params.kwonly_params)
    )


def _models(survey: ScalerSurvey, made: list[cst.Assign], target_model: str) -> tuple[str, ...]:
    """The models whose parameters the optimizers get, in their order; else the target model."""
    module = survey.module
    found = dict.fromkeys(name for node in made for name in _owners_of_parameters(module, node))
    targets = [name.strip() for name in target_model.split(",")]
    wanted = {spelling for name in targets for spelling in (name, f"self.{name}")}
    plain = [name for name in found if name.replace(".", "").isidentifier()]
    named = tuple(dict.fromkeys(_whole(name, wanted) for name in plain))
    if named and not wanted & set(named):
        raise survey.decline("other-model", made[0], model=target_model, found=", ".join(named))
    if named:
        return named
    visible = next((name for name in _assigned_beside(module, made[0]) if name in wanted), None)
    if visible is None:
        raise survey.decline("no-model", made[0], model=target_model)
    return (visible,)


def _owners_of_parameters(module: Module, node: cst.CSTNode) -> Iterator[str]:
    """The objects whose parameters an expression asks for."""
    for call in module.find(cst.Call, node):
        if isinstance(call.func, cst.Attribute) and call.func.attr.value in _PARAMETERS:
            yield module.code(call.func.value)


def _assigned_beside(module: Module, statement: cst.Assign) -> Iterator[str]:
    """What the function around a statement assigns to."""
    for node in module.find(cst.Assign):
        if module.function(node) is module.function(statement):
            yield from (module.code(target.target) for target in node.targets)


def _whole(name: str, wanted: set[str]) -> str:
    """The target model that something is a part of, as ``model.head`` is; else itself."""
    return next((target for target in wanted if f"{name}.".startswith(f"{target}.")), name)


def _common_place(survey: ScalerSurvey, made: list[cst.Assign]) -> tuple[Block, int]:
    """The innermost list of statements that holds all of them, and the place of the last in it."""
    paths = [survey.module.blocks(node) for node in made]
    depth = 0
    while all(len(path) > depth and path[depth][0] is paths[0][depth][0] for path in paths):
        depth += 1
    if depth == 0 or len({survey.module.function(node) for node in made}) > 1:
        raise survey.decline("optimizers-in-functions", made[-1])
    return paths[0][depth - 1][0], max(path[depth - 1][1] for path in paths)


def _behind_moves(module: Module, block: Block, index: int, models: tuple[str, ...]) -> int:
    """Behind the statements that bring a model to its device: apex wants its parameters there."""
    for place, statement in enumerate(_body(block)[index + 1 :], index + 1):
        if not isinstance(statement, (cst.SimpleStatementLine, cst.If)):
            break
        moved = any(
            isinstance(call.func, cst.Attribute)
            and call.func.attr.value in _MOVES
            and module.code(call.func.value) in models
            for call in module.find(cst.Call, statement)
        )
        if moved:
            index = place
    return index


def _refuse_earlier(survey: ScalerSurvey, anchor: cst.CSTNode, models: tuple[str, ...]) -> None:
    """What must not happen before: a wrapped model, a state that is loaded."""
    module, function, line = survey.module, survey.module.function(anchor), survey.module.line(anchor)
    for call in module.find(cst.Call):
        if module.function(call) is not function or module.line(call) >= line:
            continue
        if module.name(call) in WRAPPERS and call.args and module.code(call.args[0].value) in models:
            raise survey.decline("wrapped-first", call)
    for item in survey.calls:
        is_earlier = module.function(item.call) is function and module.line(item.call) < line
        if item.method == "load_state_dict" and is_earlier:
            raise survey.decline("loaded-first", item.call)


def _condition(survey: ScalerSurvey, anchor: cst.CSTNode) -> str | None:
    """The one condition under which precision is mixed."""
    written = {_as_made(survey.module, scaler.enabled): scaler.enabled for scaler in survey.scalers}
    conditions = set(written)
    for call in survey.autocasts:
        enabled = survey.enabled_of(call)
        if not is_false(enabled):
            is_on = enabled is None or is_true(enabled)
            code = survey.module.code(enabled) if enabled is not None and not is_on else None
            conditions.add(_as_made(survey.module, code))
    if len(conditions) > 1:
        raise survey.decline("conditions", survey.scalers[0].statement)
    condition = written[conditions.pop()]
    if condition is not None:
        _refuse_hidden(survey, condition, anchor)
    return condition


def _as_made(module: Module, condition: str | None) -> str | None:
    """A condition of an attribute that is set just once, from a name: ``self.args.amp`` is ``args.amp``."""
    if condition is None or not condition.startswith("self."):
        return condition
    attribute = ".".join(condition.split(".")[:2])
    values = [
        node.value
        for node in module.find(cst.Assign)
        if any(module.code(target.target) == attribute for target in node.targets)
    ]
    if len(values) != 1 or not isinstance(values[0], (cst.Name, cst.Attribute)):
        return condition
    return module.code(values[0]) + condition.removeprefix(attribute)


def _refuse_hidden(survey: ScalerSurvey, condition: str, anchor: cst.CSTNode) -> None:
    """What apex can do only when it is on must stand where its condition is known."""
    if not _is_visible(survey, condition, anchor):
        raise survey.decline("condition-hidden", anchor, condition=condition)
    for call in survey.autocasts:
        if is_false(survey.enabled_of(call)):
            raise survey.decline("off-with-condition", call, condition=condition)
    for item in survey.calls:
        is_state = item.method in ("state_dict", "load_state_dict", "get_scale", "is_enabled")
        if is_state and not _is_visible(survey, condition, item.call):
            raise survey.decline("state-hidden", item.call, condition=condition)


def _is_visible(survey: ScalerSurvey, condition: str, anchor: cst.CSTNode) -> bool:
    """Whether the names of a condition are bound where the anchor is, or in the whole module."""
    module, function = survey.module, survey.module.function(anchor)
    line = module.line(anchor)
    bound = {param.name.value for param in module.find(cst.Param, function.params)} if function else set()
    for target in module.find(cst.AssignTarget):
        of_function = module.function(target)
        if of_function is None or (of_function is function and module.line(target) < line):
            bound |= {name.value for name in module.find(cst.Name, target.target)}
    names = {
        node.value
        for node in module.find(cst.Name, cst.parse_expression(condition))
        if node.value not in ("True", "False", "None")
    }
    roots = {name for name in names if condition.split(".")[0] == name or f".{name}" not in condition}
    return roots <= bound


def _body(block: Block) -> list[cst.CSTNode]:
    return list(block.body)
