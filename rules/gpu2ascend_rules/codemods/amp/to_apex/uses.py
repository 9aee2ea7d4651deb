"""Uses of ``torch.cuda.amp`` that have no counterpart in apex, each with its reason."""

from __future__ import annotations

import libcst as cst

from .survey import AUTOCASTS, CUSTOM, SCALERS, ScalerCall, ScalerSurvey

_HANDLED = frozenset(
    {"scale", "step", "update", "unscale_", "state_dict", "load_state_dict", "get_scale", "is_enabled"}
)


def refuse_other_uses(survey: ScalerSurvey) -> None:
    """Every use of a scaler and of ``torch.cuda.amp`` must be one that has a counterpart.
    Raises Declined: one has none."""
    for item in survey.calls:
        _refuse_call(survey, item)
    _refuse_passed(survey)
    for call in survey.autocasts:
        holder = survey.module.parent(call)
        as_context = isinstance(holder, cst.WithItem) and holder.asname is None
        if isinstance(holder, cst.IfExp):
            raise survey.decline("autocast-chosen", call, condition=survey.module.code(holder.test))
        if not as_context and not isinstance(holder, cst.Decorator):
            raise survey.decline("autocast-use", call)
    _refuse_references(survey)


def refuse_foreign_scalers(survey: ScalerSurvey) -> None:
    """A file that makes no scaler must not use one, either. Raises Declined: it does."""
    module = survey.module
    for call in module.find(cst.Call):
        scaled = call.func.value if isinstance(call.func, cst.Attribute) else None
        if not isinstance(scaled, cst.Call) or not isinstance(scaled.func, cst.Attribute):
            continue
        if module.code(call.func).endswith(".backward") and scaled.func.attr.value == "scale":
            raise survey.decline("scaler-elsewhere", call, scaler=module.code(scaled.func.value))


def _refuse_call(survey: ScalerSurvey, item: ScalerCall) -> None:
    module = survey.module
    if item.method not in _HANDLED:
        raise survey.decline("method", item.call, method=item.method)
    is_statement = isinstance(module.parent(item.call), cst.Expr)
    if item.method in ("update", "unscale_") and not is_statement:
        raise survey.decline("method-result", item.call, method=item.method)
    if item.method == "update" and item.call.args:
        raise survey.decline("update-argument", item.call)
    if item.method in ("step", "unscale_"):
        first = item.call.args[0] if item.call.args else None
        is_named = first is not None and first.keyword is not None and first.keyword.value != "optimizer"
        if first is None or first.star or is_named:
            raise survey.decline("optimizer-hidden", item.call, method=item.method)
    if item.method == "get_scale" and _is_in_update(survey, item):
        raise survey.decline("scale-compared", item.call)


def _is_in_update(survey: ScalerSurvey, asked: ScalerCall) -> bool:
    """Whether a scale is asked for between a backward pass and the update that belongs to it."""
    module = survey.module
    before = [
        item
        for item in survey.calls
        if item.scaler == asked.scaler
        and item.method in ("scale", "update")
        and module.function(item.call) is module.function(asked.call)
        and module.line(item.call) < module.line(asked.call)
    ]
    return bool(before) and before[-1].method == "scale"


def _refuse_passed(survey: ScalerSurvey) -> None:
    module = survey.module
    calls = {id(item.call.func) for item in survey.calls}
    targets = {scaler.target for scaler in survey.scalers}
    for node in (*module.find(cst.Name), *module.find(cst.Attribute)):
        if module.code(node) not in targets or module.is_label(node):
            continue
        parent = module.parent(node)
        is_target = isinstance(parent, cst.AssignTarget) or (
            isinstance(parent, cst.AnnAssign) and parent.target is node
        )
        if not is_target and id(parent) not in calls:
            raise survey.decline("scaler-passed", node, scaler=module.code(node))


def _refuse_references(survey: ScalerSurvey) -> None:
    """What is named without being called would be left without its import."""
    module = survey.module
    for node in (*module.find(cst.Name), *module.find(cst.Attribute)):
        if module.is_label(node) or module.name(node) not in AUTOCASTS | SCALERS | CUSTOM:
            continue
        if module.around(node, cst.ImportFrom) is not None or module.around(node, cst.Import) is not None:
            continue
        parent = module.parent(node)
        annotated = module.around(node, cst.AnnAssign)
        if annotated is not None and annotated.value is not None and module.name(annotated.value) in SCALERS:
            continue  # it goes with the scaler
        is_called = isinstance(parent, cst.Call) and parent.func is node
        if not is_called and not isinstance(parent, cst.Decorator):
            raise survey.decline("reference", node, name=module.code(node))
