"""AMP transplant: ``torch.cuda.amp`` becomes ``apex.amp``, for PyTorch 1.5.0, which has no other.

What apex needs is what its documentation of ``amp.initialize`` and ``amp.scale_loss`` says: models and
optimizers are handed over once, before the model is wrapped; a loss is scaled within a context that knows
its optimizers; casting is then in force everywhere, so that autocasts go.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import libcst as cst

from ....model.finding import Message
from ...codemod import Declined
from ..lines import Split, split_lines
from ..module import Module
from ..statements import StatementTransformer, without
from .imports import ApexImport
from .initialization import Initialization, condition_without_scaler, initialization, is_false
from .losses import ScaledBackward, backwards
from .survey import ScalerCall, ScalerSurvey
from .uses import refuse_foreign_scalers, refuse_other_uses

_CLIPS = frozenset(
    {
        "torch.nn.utils.clip_grad_norm_",
        "torch.nn.utils.clip_grad_value_",
        "torch.nn.utils.clip_grad.clip_grad_norm_",
        "torch.nn.utils.clip_grad.clip_grad_value_",
    }
)
_MIXED = re.compile(r"autocast|GradScaler")
_WORDS = r"(?i:scaler|autocast)|\.(?:scale|step|update|unscale_)\("
"""What a line has that may do something by a scaler, whatever that is called."""
_ALIAS = re.compile(r"\b(?:GradScaler|autocast)\s+as\s+(\w+)")
_LINE = 100
"""What is longer is wrapped."""
_SEPARATING = (cst.Arg, cst.Assign, cst.DictElement, cst.Return)


class Reservation(NamedTuple):
    """What a person must know of something that was carried over. ``line`` counts from 1."""

    message: Message
    line: int


class Transplanted(NamedTuple):
    """A module that was carried over."""

    text: str
    reservations: tuple[Reservation, ...] = ()


def transplanted(text: str, target_model: str) -> Transplanted:
    """A module with ``apex.amp`` in the place of ``torch.cuda.amp``; the same text if it has none.

    Raises:
        Declined: it cannot be carried over exactly; the reason says why.
        libcst.ParserSyntaxError: the text is no Python.
    """
    words = re.compile("|".join([_WORDS, *(rf"\b{name}\(" for name in _ALIAS.findall(text))]))
    is_concerned = _MIXED.search(text) is not None
    split = Split(text, ())
    if is_concerned:
        split = split_lines(text, lambda line: words.search(line) is not None, suites=True)
    try:
        done = _transplanted(split.text, target_model)
    except Declined as reason:
        raise split.declined(reason) from None
    if done is None:
        return Transplanted(text)
    return done._replace(
        reservations=tuple(item._replace(line=split.given_line(item.line)) for item in done.reservations)
    )


def _transplanted(text: str, target_model: str) -> Transplanted | None:
    module = Module(text)
    survey = ScalerSurvey(module)
    if survey.is_empty:
        return None
    apex = ApexImport(survey)
    refuse_other_uses(survey)
    start: Initialization | None = None
    if survey.scalers:
        start = initialization(survey, target_model)
    else:
        refuse_foreign_scalers(survey)
        condition_without_scaler(survey)
    transformer = _Transplant(survey, start, backwards(survey), apex)
    return Transplanted(module.tree.visit(transformer).code, tuple(_reservations(survey)))


def _reservations(survey: ScalerSurvey) -> Iterator[Reservation]:
    """What the rest of the program, and checkpoints of before, must be like."""
    loads = [item.call for item in survey.calls if item.method == "load_state_dict"]
    if loads:
        yield Reservation(Message.of("amp.transplant.reservation.state"), survey.module.line(loads[0]))
    if survey.autocasts and not survey.scalers:
        line = survey.module.line(survey.autocasts[0])
        yield Reservation(Message.of("amp.transplant.reservation.initialized-elsewhere"), line)


class _Transplant(StatementTransformer):
    """Makes the changes that were found possible."""

    def __init__(
        self,
        survey: ScalerSurvey,
        start: Initialization | None,
        losses: Sequence[ScaledBackward],
        apex: ApexImport,
    ) -> None:
        super().__init__(survey.module)
        self._survey = survey
        self._start = start
        self._apex = apex
        self._losses = {item.statement: item for item in losses}
        self._calls = {item.call: item for item in survey.calls}
        self._clips = dict(self._clipped())
        self._scalers = {scaler.statement for scaler in survey.scalers}
        self._loss_ids = {scaler.target: index for index, scaler in enumerate(survey.scalers)}

    # --- statements ----------------------------------------------------------------------------------

    def behind(self, statement: cst.CSTNode) -> Iterator[str]:
        """The import of apex, and its initialization."""
        if statement is self._apex.anchor:
            yield self._apex.statement()
        if self._start is not None and statement is self._start.anchor:
            yield self._initialize(self._start)

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.RemovalSentinel:
        """A scaled backward pass gets its context; what made a scaler goes."""
        loss = self._losses.get(original_node)
        if loss is not None:
            return self._scaled(loss, updated_node)
        if original_node in self._scalers or not updated_node.body:
            return cst.RemovalSentinel.REMOVE
        condition = self._condition() if self._loads_state(original_node) else None
        if condition is not None:
            return cst.If(
                test=condition,
                body=cst.IndentedBlock([updated_node.with_changes(leading_lines=())]),
                leading_lines=updated_node.leading_lines,
            )
        return updated_node

    def leave_Expr(
        self, original_node: cst.Expr, updated_node: cst.Expr
    ) -> cst.BaseSmallStatement | cst.RemovalSentinel:
        """``update`` and ``unscale_`` go: apex does both by itself."""
        item = self._calls.get(original_node.value) if isinstance(original_node.value, cst.Call) else None
        if item is not None and item.method in ("update", "unscale_"):
            return cst.RemovalSentinel.REMOVE
        return updated_node

    def leave_With(
        self, original_node: cst.With, updated_node: cst.With
    ) -> cst.With | cst.FlattenSentinel[cst.BaseStatement]:
        """A ``with`` loses its autocasts, and its body the indent if nothing else is left."""
        kept = [
            item
            for old, item in zip(original_node.items, updated_node.items, strict=True)
            if not (self._survey.is_autocast(old.item) and not self._is_off(old.item))
        ]
        if len(kept) == len(updated_node.items):
            return updated_node
        if kept:
            last = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
            return updated_node.with_changes(items=[*kept[:-1], last])
        return cst.FlattenSentinel(_unwrapped(updated_node))

    def leave_Decorator(
        self, original_node: cst.Decorator, updated_node: cst.Decorator
    ) -> cst.Decorator | cst.RemovalSentinel:
        """Decorators of ``torch.cuda.amp`` go."""
        return cst.RemovalSentinel.REMOVE if original_node in self._survey.decorators else updated_node

    def leave_Import(
        self, original_node: cst.Import, updated_node: cst.Import
    ) -> cst.Import | cst.RemovalSentinel:
        """An import without the names that go."""
        result: cst.Import | cst.RemovalSentinel = self._without_old(original_node, updated_node)
        return result

    def leave_ImportFrom(
        self, original_node: cst.ImportFrom, updated_node: cst.ImportFrom
    ) -> cst.ImportFrom | cst.RemovalSentinel:
        """An import without the names that go."""
        result: cst.ImportFrom | cst.RemovalSentinel = self._without_old(original_node, updated_node)
        return result

    # --- expressions ---------------------------------------------------------------------------------

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        """The methods that have a counterpart, and the clipping of gradients."""
        if original_node in self._clips:
            masters = cst.parse_expression(f"{self._apex.name}.master_params({self._clips[original_node]})")
            first = updated_node.args[0].with_changes(value=masters)
            return updated_node.with_changes(args=[first, *updated_node.args[1:]])
        if self._survey.is_autocast(original_node) and self._is_off(original_node):
            return cst.parse_expression(f"{self._apex.name}.disable_casts()")
        item = self._calls.get(original_node)
        if item is None:
            return updated_node
        if item.method == "step":
            owner = updated_node.args[0].value
            return updated_node.with_changes(
                func=cst.Attribute(owner, cst.Name("step")), args=updated_node.args[1:]
            )
        if item.method in ("state_dict", "load_state_dict"):
            return self._state(original_node, updated_node, item.method)
        if item.method in ("get_scale", "is_enabled"):
            return self._asked(original_node, item)
        return updated_node

    # --- parts ---------------------------------------------------------------------------------------

    def _condition(self) -> cst.BaseExpression | None:
        """The condition under which apex is on; nothing if it always is."""
        enabled = self._start.enabled if self._start is not None else None
        return cst.parse_expression(enabled) if enabled is not None else None

    def _loads_state(self, line: cst.SimpleStatementLine) -> bool:
        """Whether a line does nothing but load the state of a scaler."""
        only = line.body[0] if len(line.body) == 1 else None
        call = only.value if isinstance(only, cst.Expr) else None
        item = self._calls.get(call) if isinstance(call, cst.Call) else None
        return item is not None and item.method == "load_state_dict"

    def _state(self, original_node: cst.Call, updated_node: cst.Call, method: str) -> cst.BaseExpression:
        """The state of apex, which has one only when it is on; that of a scaler that is off is empty."""
        owner = cst.parse_expression(self._apex.name)
        call = updated_node.with_changes(func=cst.Attribute(owner, cst.Name(method)))
        condition = self._condition()
        line = self.module.statement(original_node)
        if condition is None or (line is not None and self._loads_state(line)):
            return call
        otherwise = cst.Name("None") if method == "load_state_dict" else cst.Dict([])
        return self._separate(original_node, cst.IfExp(condition, call, otherwise))

    def _asked(self, original_node: cst.Call, item: ScalerCall) -> cst.BaseExpression:
        """The scale, as the state of apex has it; whether it is on."""
        condition = self._condition()
        if item.method == "is_enabled":
            return cst.Name("True") if condition is None else self._separate(original_node, condition)
        loss = self._loss_ids[item.scaler]
        scale = cst.parse_expression(f'{self._apex.name}.state_dict()["loss_scaler{loss}"]["loss_scale"]')
        if condition is None:
            return scale
        return self._separate(original_node, cst.IfExp(condition, scale, cst.Float("1.0")))

    def _separate(self, original_node: cst.Call, value: cst.BaseExpression) -> cst.BaseExpression:
        """A value in the place of a call, in parentheses where something may bind more tightly."""
        is_plain = isinstance(value, (cst.Name, cst.Attribute)) or value.lpar
        if is_plain or isinstance(self.module.parent(original_node), _SEPARATING):
            return value
        return value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])

    def _without_old(self, original_node: cst.Import | cst.ImportFrom, updated_node: Any) -> Any:
        left = self._apex.kept(original_node)
        if left is None:
            return updated_node
        if not left:
            return cst.RemovalSentinel.REMOVE
        return updated_node.with_changes(names=without(left))

    def _is_off(self, node: cst.BaseExpression) -> bool:
        return isinstance(node, cst.Call) and is_false(self._survey.enabled_of(node))

    def _initialize(self, start: Initialization) -> str:
        models, optimizers = _group(start.models), _group(start.optimizers)
        arguments = [models, optimizers, 'opt_level="O1"', 'loss_scale="dynamic"']
        if start.enabled is not None:
            arguments.append(f"enabled={start.enabled}")
        if len(self._loss_ids) > 1:
            arguments.append(f"num_losses={len(self._loss_ids)}")
        call, listed = f"{models}, {optimizers} = {self._apex.name}.initialize", ", ".join(arguments)
        line = f"{call}({listed})"
        return line if len(line) <= _LINE else f"{call}(\n    {listed}\n)"

    def _scaled(self, loss: ScaledBackward, line: cst.SimpleStatementLine) -> cst.With:
        module = self._survey.module
        optimizers = _group(loss.optimizers)
        which = f", loss_id={self._loss_ids[loss.scaler]}" if len(self._loss_ids) > 1 else ""
        scaled = module.free_name("scaled_loss")
        context = f"{self._apex.name}.scale_loss({module.code(loss.loss)}, {optimizers}{which})"
        statement = cst.ensure_type(cst.parse_statement(f"with {context} as {scaled}:\n    pass\n"), cst.With)
        call = loss.backward.with_changes(func=cst.Attribute(cst.Name(scaled), cst.Name("backward")))
        inner = line.with_changes(body=[cst.Expr(call)], leading_lines=())
        return statement.with_changes(body=cst.IndentedBlock([inner]), leading_lines=line.leading_lines)

    def _clipped(self) -> list[tuple[cst.Call, str]]:
        """The calls that clip the gradients of an optimizer as a whole, between ``unscale_`` and the step.

        Others stay: with level O1 the parameters of apex are those of the model.
        """
        module = self._survey.module
        found = []
        for item in self._survey.calls:
            if item.method != "unscale_":
                continue
            function, optimizer = module.function(item.call), module.code(item.call.args[0].value)
            owned = self._parameters_of(optimizer)
            last = min(
                (
                    module.line(step.call)
                    for step in self._survey.steps()
                    if module.function(step.call) is function
                    and module.line(step.call) > module.line(item.call)
                ),
                default=0,
            )
            found += [
                (call, optimizer)
                for call in module.find(cst.Call)
                if module.name(call) in _CLIPS
                and module.function(call) is function
                and module.line(item.call) < module.line(call) < last
                and call.args
                and module.code(call.args[0].value) == owned
            ]
        return found

    def _parameters_of(self, optimizer: str) -> str | None:
        """What an optimizer was made for, as it is written."""
        module = self._survey.module
        made = [
            node.value
            for node in module.find(cst.Assign)
            if any(module.code(target.target) == optimizer for target in node.targets)
        ]
        first = made[-1].args[:1] if made and isinstance(made[-1], cst.Call) else ()
        return module.code(first[0].value) if first else None


def _group(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"[{', '.join(names)}]"


def _unwrapped(node: cst.With) -> list[cst.BaseStatement]:
    """The statements of a ``with``, the first with the comments before it."""
    if isinstance(node.body, cst.IndentedBlock):
        body = [
            item
            for item in node.body.body
            if isinstance(item, (cst.BaseCompoundStatement, cst.SimpleStatementLine))
        ]
        comment = node.body.header.comment
        first_lines = [*node.leading_lines, *([cst.EmptyLine(comment=comment)] if comment else [])]
    else:
        suite = cst.ensure_type(node.body, cst.SimpleStatementSuite)
        body = [cst.SimpleStatementLine(suite.body, trailing_whitespace=suite.trailing_whitespace)]
        first_lines = [*node.leading_lines]
    first = body[0]
    return [first.with_changes(leading_lines=[*first_lines, *first.leading_lines]), *body[1:]]
