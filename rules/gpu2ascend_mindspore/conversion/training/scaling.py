"""Mixed precision: regions of ``autocast``, and a ``GradScaler`` around the gradients."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tree_sitter import Node

from gpu2ascend_rules.engine.scan import scan_names
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import (
    Arguments,
    ancestors,
    arguments_of,
    enclosing,
    field,
    parts_of,
    same,
    text_of,
)

from ..evidence import ROOTS, Evidence
from ..lines import removed
from ..use import Reason, Use, changed, refused

_REGIONS = ("torch.cuda.amp.autocast", "torch.autocast", "torch.amp.autocast")
SCALERS = ("torch.cuda.amp.GradScaler", "torch.amp.GradScaler", "torch.GradScaler")
FINITE = "is_finite"
"""What new text calls whether all gradients are numbers."""
_TYPES: Mapping[str, str] = {"torch.float16": "ms.float16", "torch.half": "ms.float16"} | {
    "torch.bfloat16": "ms.bfloat16"
}
_DEVICES = frozenset({"cuda", "npu", "gpu"})
_SCALER = "ms.amp.DynamicLossScaler(scale_value=2**16, scale_factor=2, scale_window=2000)"


def opened(evidence: Evidence, statements: Sequence[Node]) -> tuple[list[Node], Node | None]:
    """Statements with those of the one region of mixed precision in its place, and that region."""
    found: list[Node] = []
    regions: list[Node] = []
    for statement in statements:
        body = field(statement, "body") if statement.type == "with_statement" else None
        if body is None or type_of(evidence, statement) is None:
            found.append(statement)
            continue
        regions.append(statement)
        found += held_by(statement)
    return (found, regions[0]) if len(regions) == 1 else (list(statements), None)


def held_by(region: Node) -> list[Node]:
    """The statements of a region."""
    body = field(region, "body")
    return parts_of(body) if body is not None else []


def type_of(evidence: Evidence, region: Node) -> str | None:
    """The type that a region of mixed precision computes in; None where it is no such region."""
    clause = next((one for one in region.named_children if one.type == "with_clause"), None)
    if clause is None or len(clause.named_children) != 1:
        return None
    call = clause.named_children[0].named_children[0]
    function = field(call, "function") if call.type == "call" else None
    name = _name(evidence, function)
    if function is None or name not in _REGIONS:
        return None
    arguments = arguments_of(call)
    return _type_given(evidence, arguments) or None if not arguments.unpacked else None


def _type_given(evidence: Evidence, arguments: Arguments) -> str:
    """The type by the arguments of a region; empty where one of them says something else."""
    found = "ms.float16"
    for one in arguments.items:
        text = text_of(one.value)
        if one.keyword == "dtype":
            found = _TYPES.get(_name(evidence, one.value) or "", "")
        elif one.keyword == "enabled":
            found = found if text == "True" or one.value.type in ("identifier", "attribute") else ""
        elif text.strip("\"'") not in _DEVICES:
            found = ""
    return found


def _name(evidence: Evidence, node: Node | None) -> str | None:
    resolution = evidence.source.names.qualified_name(node) if node is not None else None
    return resolution.qualified_name if resolution is not None else None


def takes_part(evidence: Evidence, region: Node, model: str, place: Node) -> Iterator[Edit]:
    """The edits that have a model compute in the type of a region, written before a statement."""
    indent = " " * place.start_point[1]
    text = f"ms.amp.auto_mixed_precision({model}, 'auto', dtype={type_of(evidence, region)})\n{indent}"
    condition = enabled_by(region)
    if condition:
        text = f"if {condition}:\n{indent}    {text}"
    yield Edit(place.start_byte, place.start_byte, text)


def enabled_by(region: Node) -> str:
    """The variable that turns a region on; empty where it always is."""
    clause = next(one for one in region.named_children if one.type == "with_clause")
    call = clause.named_children[0].named_children[0]
    found = arguments_of(call).keyword("enabled")
    return text_of(found.value) if found is not None and found.value.type != "true" else ""


def header(region: Node, text: str) -> Edit | None:
    """The edit that writes something else in the place of a region's head; None where a comment is in it."""
    body = field(region, "body")
    if body is None or body.start_point[0] == region.start_point[0]:
        return None
    colon = next((one for one in region.children if one.type == ":"), None)
    if colon is None or b"#" in (region.text or b"")[: colon.start_byte - region.start_byte]:
        return None
    return Edit(region.start_byte, colon.end_byte, text)


def uses_of_scalers(evidence: Evidence, steps: set[str]) -> Iterator[Use]:
    """What becomes of the scalers that steps use, and of those that none uses."""
    for ref in scan_names(evidence.source, ROOTS):
        if ref.name not in SCALERS or ref.call is None:
            continue
        evidence.take_care_of(ref.node)
        assignment = parent_of(ref.call)
        target = field(assignment, "left")
        arguments = arguments_of(ref.call)
        plain = not arguments.unpacked and all(
            one.keyword == "enabled" or text_of(one.value).strip("\"'") in _DEVICES for one in arguments.items
        )
        if target is None or text_of(target) not in steps or not plain:
            yield refused(ref.name, ref.call, Reason.STEP)
        else:
            yield changed(ref.name, ref.call, _scaler(ref.call), {"ms"})


def _scaler(call: Node) -> list[Edit]:
    """The edits that make a scaler there, which scales by one where it is turned off."""
    enabled = _enabled(call)
    if enabled is None:
        return [Edit(call.start_byte, call.end_byte, _SCALER)]
    return [
        Edit(call.start_byte, enabled.start_byte, f"({_SCALER} if "),
        Edit(enabled.end_byte, call.end_byte, " else ms.amp.StaticLossScaler(1.0))"),
    ]


def scaled_by(call: Node) -> Node | None:
    """The scaler of ``scaler.scale(loss)``; None where a call is no such."""
    function = field(call, "function") if call.type == "call" else None
    name = field(function, "attribute")
    owner = field(function, "object")
    arguments = arguments_of(call) if function is not None else None
    if text_of(name) != "scale" or arguments is None or len(arguments.items) != 1:
        return None
    return owner


def outermost_loop(statement: Node) -> Node:
    """The outermost loop around a statement within its function, or the statement itself."""
    found = statement
    one: Node | None = statement
    while one is not None:
        if one.type in ("for_statement", "while_statement"):
            found = one
        one = enclosing(one, "for_statement", "while_statement", "function_definition", "class_definition")
        if one is not None and one.type in ("function_definition", "class_definition"):
            return found
    return found


def finite(scaler: str, gradients: str, place: Node) -> str:
    """The lines that divide gradients again and ask whether all are numbers, before what is at a place."""
    indent = " " * place.start_point[1]
    return (
        f"{gradients} = {scaler}.unscale({gradients})\n{indent}"
        f"{FINITE} = ms.amp.all_finite({gradients})\n{indent}"
    )


def is_checked(evidence: Evidence, scaler: str) -> str:
    """The condition of an update: a scaler that is turned off does not look at the gradients."""
    made = [one for one in evidence.source.names.bindings(scaler) if one.value is not None]
    given = [one for one in made if one.value is not None and _enabled(one.value) is not None]
    return f"{FINITE} or isinstance({scaler}, ms.amp.StaticLossScaler)" if given else FINITE


def _enabled(call: Node) -> Node | None:
    """The condition under which a scaler is turned on; None where it always is."""
    found = arguments_of(call).keyword("enabled") if call.type == "call" else None
    return found.value if found is not None and text_of(found.value) != "True" else None


def written(
    data: bytes, scaler: str, unscaled: Node | None, updated: Node, summed: str = ""
) -> Iterator[Use]:
    """What becomes of the scaler's own calls in a step; gradients of several turns are divided there."""
    if unscaled is not None:
        edits = _unscaled(data, scaler, unscaled, updated, summed)
        yield changed("torch.amp.GradScaler.unscale_", unscaled, edits)
    text = f"{scaler}.adjust({FINITE})"
    edit = Edit(updated.start_byte, updated.end_byte, text)
    yield changed("torch.amp.GradScaler.update", updated, [edit])


def _unscaled(data: bytes, scaler: str, unscaled: Node, updated: Node, summed: str) -> list[Edit]:
    if not summed:
        return [removed(data, unscaled)]
    outer = unscaled
    for one in ancestors(unscaled):
        if same(one, parent_of(updated)):
            break
        outer = one
    text = finite(scaler, summed, outer)
    if outer.id == unscaled.id:
        return [Edit(unscaled.start_byte, unscaled.end_byte, text.rstrip())]
    return [Edit(outer.start_byte, outer.start_byte, text), removed(data, unscaled)]
