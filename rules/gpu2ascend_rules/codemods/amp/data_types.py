"""Where models get another data type than float32, from which mixed precision starts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

import libcst as cst

from ...limits.walks import WALK_LIMITS
from .module import Module, argument

_FLOAT32 = re.compile(r"float32|(?:torch|cuda)\.(?:float\b|FloatTensor)")
_DEFAULTS = frozenset({"torch.set_default_dtype", "torch.set_default_tensor_type"})
_OTHER_METHODS = frozenset({"half", "double", "bfloat16"})
_OTHER_DTYPES = frozenset(f"torch.{name}" for name in ("float16", "half", "bfloat16", "float64", "double"))
_FLOAT32_DTYPES = frozenset({"torch.float32", "torch.float"})
_TAKES_DTYPE = frozenset({"to", "type"})


def other_dtype(module: Module, models: Set[str]) -> cst.Call | None:
    """Where a model, or everything, gets a data type of which autocast makes no use.

    Args:
        module: The module.
        models: The names of its models.
    """
    for call in module.find(cst.Call):
        if module.name(call) in _DEFAULTS and not _FLOAT32.search(module.code(call)):
            return call
        if _sets(module, call) is False and _torch_name_of(module, call, models):
            return call
    for assignment in module.find(cst.Assign):
        if any(module.code(target.target) in models for target in assignment.targets):
            found = next(_made_otherwise(module, assignment.value), None)
            if found is not None:
                return found
    return None


def _sets(module: Module, call: cst.Call) -> bool | None:
    """Whether a call of a method makes float32 of what it belongs to; ``None`` where it leaves the type."""
    if not isinstance(call.func, cst.Attribute):
        return None
    method = call.func.attr.value
    if method in _OTHER_METHODS and not call.args:
        return False
    if method == "float" and not call.args:
        return True
    if method not in _TAKES_DTYPE:
        return None
    names = {module.name(item.value) for item in call.args}
    if names & _FLOAT32_DTYPES:
        return True
    given = argument(call, None, "dtype")
    is_known = bool(names & _OTHER_DTYPES) and (given is None or module.name(given) in _OTHER_DTYPES)
    return False if is_known else None


def _torch_name_of(module: Module, call: cst.Call, models: Set[str]) -> bool:
    """``model.half()`` and ``model.cuda().half()``, where nothing makes float32 of it again."""
    node: cst.BaseExpression = call
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        node = node.func.value
    return module.code(node) in models and not _is_undone(module, call)


def _is_undone(module: Module, call: cst.Call) -> bool:
    outer: cst.CSTNode | None = call
    while isinstance(outer, cst.Call):
        function = module.parent(outer)
        outer = module.parent(function) if isinstance(function, cst.Attribute) else None
        if isinstance(outer, cst.Call) and _sets(module, outer):
            return True
    return False


def _made_otherwise(module: Module, value: cst.BaseExpression, depth: int = 0) -> Iterator[cst.Call]:
    """The calls by which what is given to a model has another data type: ``Net().half().cuda()``."""
    if depth > WALK_LIMITS.callers:
        return
    if isinstance(value, cst.IfExp):
        yield from _made_otherwise(module, value.body, depth + 1)
        yield from _made_otherwise(module, value.orelse, depth + 1)
        return
    node = value
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        decided = _sets(module, node)
        if decided is not None:
            yield from () if decided else (node,)
            return
        node = node.func.value
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Name):
        for returned in _returned_by(module, node.func.value):
            yield from _made_otherwise(module, returned, depth + 1)


def _returned_by(module: Module, name: str) -> Iterator[cst.BaseExpression]:
    """What the function of a name returns, and what the variable was given that it returns."""
    for function in module.find(cst.FunctionDef):
        if function.name.value != name or module.function(function) is not None:
            continue
        for statement in module.find(cst.Return, function.body):
            if isinstance(statement.value, cst.Name):
                yield from _given(module, function, statement.value.value)
            if statement.value is not None:
                yield statement.value


def _given(module: Module, function: cst.FunctionDef, name: str) -> Iterator[cst.BaseExpression]:
    for assignment in module.find(cst.Assign, function.body):
        if any(module.code(target.target) == name for target in assignment.targets):
            yield assignment.value
    for call in module.find(cst.Call, function.body):
        if _sets(module, call) is False and module.code(call).startswith(f"{name}."):
            yield call
