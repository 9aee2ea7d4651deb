"""What a module does with ``torch.cuda.amp``: its scalers, the optimizers they step, its autocasts."""

from __future__ import annotations

from typing import NamedTuple

import libcst as cst

from ....model.finding import Message
from ...codemod import Declined
from ..module import Module, argument, is_true

AUTOCASTS = frozenset({"torch.cuda.amp.autocast", "torch.cuda.amp.autocast_mode.autocast"})
GENERIC_AUTOCASTS = frozenset({"torch.autocast", "torch.amp.autocast", "torch.amp.autocast_mode.autocast"})
GENERIC_SCALERS = frozenset({"torch.amp.GradScaler", "torch.amp.grad_scaler.GradScaler"})
SCALERS = GENERIC_SCALERS | {"torch.cuda.amp.GradScaler", "torch.cuda.amp.grad_scaler.GradScaler"}
CUSTOM = frozenset({"torch.cuda.amp.custom_fwd", "torch.cuda.amp.custom_bwd"})

_DEFAULTS = {"init_scale": 2.0**16, "growth_factor": 2.0, "backoff_factor": 0.5, "growth_interval": 2000.0}
_ORDER = (*_DEFAULTS, "enabled")


class Scaler(NamedTuple):
    """One gradient scaler."""

    target: str
    """The variable as it is written: ``scaler``, ``self.scaler``."""
    statement: cst.SimpleStatementLine
    enabled: str | None
    """The condition as it is written; ``None`` if it always scales."""


class ScalerCall(NamedTuple):
    """A method call on a scaler."""

    method: str
    call: cst.Call
    scaler: str


class ScalerSurvey:
    """What was found. Making one raises :class:`Declined` for what has no place in apex."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.scalers = [scaler for node in module.find(cst.Call) if (scaler := self._scaler(node))]
        self.calls = list(self._scaler_calls())
        self.autocasts = [node for node in module.find(cst.Call) if self.is_autocast(node)]
        self.decorators = [node for node in module.find(cst.Decorator) if self._is_amp(node.decorator)]
        self._check_autocasts()

    @property
    def is_empty(self) -> bool:
        """Whether the module has nothing of ``torch.cuda.amp``."""
        imports = (self.module.code(node) for node in self.module.find(cst.ImportFrom))
        imported = any(text.startswith("from torch.cuda.amp ") for text in imports)
        return not (imported or self.scalers or self.autocasts or self.decorators)

    def is_autocast(self, node: cst.BaseExpression) -> bool:
        """Whether an expression makes an autocast of the GPU."""
        if not isinstance(node, cst.Call):
            return False
        name = self.module.name(node)
        if name in GENERIC_AUTOCASTS:
            device = argument(node, 0, "device_type")
            return isinstance(device, cst.SimpleString) and str(device.evaluated_value).startswith("cuda")
        return name in AUTOCASTS

    def enabled_of(self, call: cst.Call) -> cst.BaseExpression | None:
        """The condition of an autocast."""
        generic = self.module.name(call) in GENERIC_AUTOCASTS
        return argument(call, 2 if generic else 0, "enabled")

    def decline(self, key: str, node: cst.CSTNode, **arguments: object) -> Declined:
        """That a construct cannot be carried over, at its place."""
        return Declined(Message.of(f"amp.transplant.declined.{key}", **arguments), self.module.line(node))

    def steps(self) -> list[ScalerCall]:
        """The calls that step an optimizer."""
        return [call for call in self.calls if call.method == "step"]

    def _scaler(self, call: cst.Call) -> Scaler | None:
        if self.module.name(call) not in SCALERS:
            return None
        assignment = self.module.parent(call)
        statement = self.module.statement(call)
        if statement is None or len(statement.body) != 1:
            raise self.decline("scaler-use", call)
        if isinstance(assignment, cst.Assign) and len(assignment.targets) == 1:
            target = self.module.code(assignment.targets[0].target)
        elif isinstance(assignment, cst.AnnAssign):
            target = self.module.code(assignment.target)
        else:
            raise self.decline("scaler-use", call)
        if not all(part.isidentifier() for part in target.split(".")):
            raise self.decline("scaler-use", call)
        return Scaler(target, statement, self._scaler_condition(call))

    def _scaler_condition(self, call: cst.Call) -> str | None:
        """The condition under which it scales; the other arguments must be the defaults, as apex has them."""
        enabled: cst.BaseExpression | None = None
        order = ("device", *_ORDER) if self.module.name(call) in GENERIC_SCALERS else _ORDER
        for position, arg in enumerate(call.args):
            if arg.star or (arg.keyword is None and position >= len(order)):
                raise self.decline("scaler-arguments-hidden", call)
            name = arg.keyword.value if arg.keyword is not None else order[position]
            if name == "device":
                if not (isinstance(arg.value, cst.SimpleString) and arg.value.evaluated_value == "cuda"):
                    raise self.decline("scaler-device", call, device=self.module.code(arg.value))
            elif name == "enabled":
                enabled = arg.value
            elif _number(arg.value) != _DEFAULTS.get(name):
                raise self.decline("scaler-arguments", call)
        return None if is_true(enabled) or enabled is None else self.module.code(enabled)

    def _scaler_calls(self) -> list[ScalerCall]:
        targets = {scaler.target for scaler in self.scalers}
        if len(targets) != len(self.scalers):
            raise self.decline("several-makers", self.scalers[0].statement)
        found = []
        for call in self.module.find(cst.Call):
            if isinstance(call.func, cst.Attribute):
                owner = self.module.code(call.func.value)
                if owner in targets:
                    found.append(ScalerCall(call.func.attr.value, call, owner))
        return found

    def _is_amp(self, node: cst.BaseExpression) -> bool:
        return self.module.name(node) in AUTOCASTS | GENERIC_AUTOCASTS | CUSTOM

    def _check_autocasts(self) -> None:
        for call in self.autocasts:
            dtype = argument(call, 1, "dtype")
            if dtype is not None and self.module.name(dtype) not in ("torch.float16", "torch.half"):
                raise self.decline("dtype", call, dtype=self.module.code(dtype))
        for decorator in self.decorators:
            node = decorator.decorator
            if isinstance(node, cst.Call) and self.module.name(node) in CUSTOM and node.args:
                raise self.decline("cast-inputs", decorator)
            if isinstance(node, cst.Call) and self.is_autocast(node) and not is_true(self.enabled_of(node)):
                raise self.decline("decorator-condition", decorator)


def _number(node: cst.BaseExpression) -> float | None:
    """A number that is written out; ``2.0 ** 16`` is one."""
    if isinstance(node, (cst.Integer, cst.Float)):
        return float(node.evaluated_value)
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Power):
        base, exponent = _number(node.left), _number(node.right)
        if base is not None and exponent is not None and abs(exponent) <= 64:
            return float(base**exponent)
    return None
