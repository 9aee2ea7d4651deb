"""From ``apex.amp`` to the gradient scaler and autocast of torch_npu, where the one does what the other does.

First the module becomes the float32 loop that it would be without apex; mixed precision is then put into that
(:mod:`.enable`). Only opt_level O1 mixes as autocast does: O0 does not mix, O2 and O3 convert the model.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import libcst as cst

from ...model.finding import Message
from ..codemod import Declined
from .enable import Precision, with_amp
from .module import Module, argument
from .statements import StatementTransformer, without

_APEX = "apex.amp"
_CARRIED = frozenset({"initialize", "scale_loss", "master_params", "state_dict", "load_state_dict"})
_WITHOUT_EFFECT = frozenset(
    {"models", "optimizers", "opt_level", "loss_scale", "enabled", "verbosity", "num_losses"}
)


class _Initialized(NamedTuple):
    """The arguments of ``amp.initialize``."""

    statement: cst.SimpleStatementLine
    model: str
    optimizer: str
    autocast: str
    scaler: str


def native_amp(text: str, target_model: str, amp: str) -> str:
    """A module's text with the mixed precision of the module ``amp`` in the place of apex's.

    Raises:
        Declined: it does not use apex.amp, or not in a way that can be carried over exactly.
        libcst.ParserSyntaxError: the text is no Python.
    """
    module = Module(text)
    start = _initialized(module)
    variable = module.free_name("scaler")
    scaler = f"self.{variable}" if start.optimizer.startswith("self.") else variable
    plain = module.tree.visit(_WithoutApex(module, start, scaler)).code
    return with_amp(plain, target_model, Precision(amp, start.autocast, start.scaler), variable).text


def _declined(module: Module, key: str, node: cst.CSTNode, **arguments: object) -> Declined:
    return Declined(Message.of(f"amp.native.declined.{key}", **arguments), module.line(node))


def _initialized(module: Module) -> _Initialized:
    calls = [call for call in module.find(cst.Call) if (module.name(call) or "").startswith(f"{_APEX}.")]
    for call in calls:
        method = (module.name(call) or "").removeprefix(f"{_APEX}.")
        if method not in _CARRIED:
            raise _declined(module, "other", call, name=method)
    made = [call for call in calls if module.name(call) == f"{_APEX}.initialize"]
    if len(made) != 1:
        raise Declined(Message.of("amp.native.declined.initialize"), module.line(made[1]) if made else 1)
    return _read(module, made[0])


def _is_without_effect(arg: cst.Arg) -> bool:
    is_known = arg.keyword is not None and arg.keyword.value in _WITHOUT_EFFECT
    return is_known or (isinstance(arg.value, cst.Name) and arg.value.value == "None")


def _read(module: Module, call: cst.Call) -> _Initialized:
    statement = module.statement(call)
    model, optimizer = argument(call, 0, "models"), argument(call, 1, "optimizers")
    if statement is None or len(statement.body) != 1 or model is None or optimizer is None:
        raise _declined(module, "initialize", call)
    if not isinstance(statement.body[0], cst.Assign) or isinstance(model, (cst.List, cst.Tuple)):
        raise _declined(module, "initialize", call)
    for arg in call.args[2:]:
        if not _is_without_effect(arg):
            raise _declined(module, "argument", call, argument=module.code(arg).rstrip(", "))
    level = argument(call, 3, "opt_level")
    if level is not None and not (isinstance(level, cst.SimpleString) and level.evaluated_value == "O1"):
        raise _declined(module, "level", call, level=module.code(level))
    enabled = argument(call, 2, "enabled")
    condition = f"enabled={module.code(enabled)}" if enabled is not None else ""
    scale = _scale(module, call)
    return _Initialized(
        statement,
        module.code(model),
        module.code(optimizer),
        condition,
        ", ".join(part for part in (scale, condition) if part),
    )


def _scale(module: Module, call: cst.Call) -> str:
    """The scaler's arguments for a loss scale: dynamic by default, or a number that stays."""
    scale = argument(call, None, "loss_scale")
    if scale is None or (isinstance(scale, cst.SimpleString) and scale.evaluated_value == "dynamic"):
        return ""
    if isinstance(scale, (cst.Integer, cst.Float)):
        return f"init_scale={float(scale.evaluated_value)}, dynamic=False"
    raise _declined(module, "argument", call, argument=f"loss_scale={module.code(scale)}")


def _only_expression(
    body: cst.BaseSuite,
) -> tuple[cst.BaseStatement | cst.BaseSmallStatement | None, cst.BaseExpression | None]:
    """The one line of a body, and the expression that it consists of."""
    line = body.body[0] if len(body.body) == 1 else None
    small = line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else line
    return line, small.value if isinstance(small, cst.Expr) else None


class _WithoutApex(StatementTransformer):
    """Takes apex out: what is left is a float32 loop."""

    def __init__(self, module: Module, start: _Initialized, scaler: str) -> None:
        super().__init__(module)
        self._start = start
        self._scaler = scaler

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.RemovalSentinel:
        """The initialization goes, and an import of which nothing is left."""
        if original_node is self._start.statement or not updated_node.body:
            return cst.RemovalSentinel.REMOVE
        return updated_node

    def leave_ImportFrom(self, original_node: cst.ImportFrom, updated_node: cst.ImportFrom) -> Any:
        """``from apex import amp`` goes."""
        module = updated_node.module
        if isinstance(updated_node.names, cst.ImportStar) or module is None or module.value != "apex":
            return updated_node
        kept = [alias for alias in updated_node.names if self.module.code(alias.name) != "amp"]
        if not kept:
            return cst.RemovalSentinel.REMOVE
        return updated_node.with_changes(names=without(kept))

    def leave_With(self, original_node: cst.With, updated_node: cst.With) -> Any:
        """``with amp.scale_loss(loss, optimizer) as scaled: scaled.backward()`` is ``loss.backward()``."""
        calls = [item.item for item in original_node.items]
        if not any(self.module.name(call) == f"{_APEX}.scale_loss" for call in calls):
            return updated_node
        call, item = calls[0], original_node.items[0]
        line, backward = _only_expression(updated_node.body)
        loss = argument(call, 0, "loss") if isinstance(call, cst.Call) else None
        if (
            len(calls) != 1
            or item.asname is None
            or loss is None
            or not isinstance(backward, cst.Call)
            or not isinstance(backward.func, cst.Attribute)
            or self.module.code(backward.func) != f"{self.module.code(item.asname.name)}.backward"
        ):
            raise _declined(self.module, "scale-loss", original_node)
        if not isinstance(loss, (cst.Name, cst.Attribute, cst.Call, cst.Subscript)):
            loss = loss.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        plain = cst.Expr(backward.with_changes(func=backward.func.with_changes(value=loss)))
        kept = line if isinstance(line, cst.SimpleStatementLine) else cst.SimpleStatementLine([])
        lines = [*updated_node.leading_lines, *kept.leading_lines]
        return kept.with_changes(body=[plain], leading_lines=lines)

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        """The functions of apex.amp that are in expressions."""
        name = self.module.name(original_node)
        if name == f"{_APEX}.master_params":
            return cst.parse_expression(f"{self._start.model}.parameters()")
        if name in (f"{_APEX}.state_dict", f"{_APEX}.load_state_dict"):
            self._refuse_hidden(original_node)
            method = name.rpartition(".")[2]
            return updated_node.with_changes(func=cst.parse_expression(f"{self._scaler}.{method}"))
        return updated_node

    def _refuse_hidden(self, call: cst.Call) -> None:
        """The scaler is a variable of the function that makes the optimizer."""
        home = self.module.function(self._start.statement)
        is_attribute = self._scaler.startswith("self.")
        if not is_attribute and home is not None and self.module.function(call) is not home:
            raise _declined(self.module, "state", call)
