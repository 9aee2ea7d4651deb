"""Models that torch wraps to train them on several devices; in MindSpore nothing is wrapped.

What the wrapper does there is written out: the weights of the first process are those of all from the start
on, and the training step averages the gradients (``training/averaging.py``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from gpu2ascend_rules.engine.scan import scan_names
from gpu2ascend_rules.facts.releases.canonical import public_name
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import (
    Argument,
    Arguments,
    arguments_of,
    field,
    is_assigned,
    is_field,
    text_of,
)

from ...correspondences.call_edits import edits_of
from ...correspondences.rendering import Slot
from ...correspondences.values import Refused
from ..evidence import ROOTS, Evidence
from ..lines import removed
from ..use import Reason, Use, changed, refused, written

DISTRIBUTED = "torch.nn.parallel.DistributedDataParallel"
FUNCTION = "torch.nn.parallel.data_parallel"
_WRAPPERS = frozenset({DISTRIBUTED, "torch.nn.DataParallel", "torch.nn.parallel.DataParallel"})
_WITHOUT_MEANING = frozenset(
    {
        "device_ids", "output_device", "dim", "find_unused_parameters", "broadcast_buffers", "bucket_cap_mb",
        "gradient_as_bucket_view", "static_graph", "check_reduction",
    }
)  # fmt: skip
"""Arguments that say how and where the wrapper works."""
_USUAL_NAMES = frozenset({"model", "net", "network", "ddp_model"})


def uses_of_wrappers(evidence: Evidence) -> Iterator[Use]:
    """What becomes of models that are wrapped, and of what is asked of the wrapped ones."""
    wrapped: set[str] = set()
    for ref in scan_names(evidence.source, ROOTS):
        name = public_name(ref.name)
        if name == FUNCTION and ref.call is not None:
            evidence.take_care_of(ref.node)
            yield _called(ref.call)
            continue
        if name not in _WRAPPERS or ref.call is None:
            continue
        evidence.take_care_of(ref.node)
        use = _wrapped(evidence, name, ref.call)
        if use.reason is None:
            wrapped.add(text_of(_target(ref.call)).rpartition(".")[2])
        yield use
    yield from _inner_models(evidence, wrapped)


def _called(call: Node) -> Use:
    """``data_parallel(module, x, devices)`` as ``module(x)``."""
    arguments = arguments_of(call)
    module, inputs = arguments.get("module", 0), arguments.get("inputs", 1)
    others = [one for one in arguments.items if one not in (module, inputs)]
    known = {None, "device_ids", "output_device", "dim"}
    if (
        module is None
        or inputs is None
        or arguments.unpacked
        or any(one.keyword not in known for one in others)
    ):
        return refused(FUNCTION, call, Reason.ARGUMENTS)
    return written(FUNCTION, call, ["", Slot(module.value), "(", Slot(inputs.value), ")"])


def weights_sent(model: str, parameters: str, indent: str) -> str:
    """The lines that give all processes the weights of the first."""
    return (
        f"{indent}for parameter in {model}.{parameters}:\n"
        f"{indent}    mint.distributed.broadcast(parameter, 0)\n"
    )


def _wrapped(evidence: Evidence, name: str, call: Node) -> Use:
    """``model = DistributedDataParallel(net)`` as ``model = net``, and the weights sent to all."""
    is_distributed = name == DISTRIBUTED
    if is_distributed and not evidence.context.options.distributed:
        return refused(name, call, Reason.PROCESSES)
    model = _model_given(arguments_of(call))
    target, statement = _target(call), _statement(call)
    if model is None:
        return refused(name, call, Reason.ARGUMENTS)
    if is_distributed and (statement is None or evidence.source.names.bindings("parameter")):
        return refused(name, call, Reason.LAYOUT)
    try:
        edits = edits_of(call, ["", Slot(model.value), ""])
    except Refused:
        return refused(name, call, Reason.LAYOUT)
    if statement is not None and text_of(target) == text_of(model.value):
        gone = removed(evidence.source.data, statement)
        edits = [gone] if not is_distributed else []
    if not is_distributed:
        return changed(name, call, edits)
    assert statement is not None
    return changed(name, call, _with_weights_sent(statement, text_of(target), edits), {"mint"})


def _model_given(arguments: Arguments) -> Argument | None:
    """The model that is wrapped; None where an argument means something that MindSpore has not."""
    model = arguments.get("module", 0)
    others = [one for one in arguments.items if one is not model and one.keyword not in _WITHOUT_MEANING]
    is_plain = not arguments.unpacked and all(one.keyword is None for one in others)
    return model if is_plain else None


def _with_weights_sent(statement: Node, model: str, edits: Sequence[Edit]) -> list[Edit]:
    """The edits of a statement with the one that sends the weights, in its place where it is not edited."""
    indent = " " * statement.start_point[1]
    sent = weights_sent(model, "get_parameters()", indent).strip()
    if edits:
        return [*edits, Edit(statement.end_byte, statement.end_byte, f"\n{indent}{sent}")]
    return [Edit(statement.start_byte, statement.end_byte, sent)]


def _target(call: Node) -> Node:
    """What a call is assigned to; the call itself where it is not assigned."""
    parent = parent_of(call)
    target = field(parent, "left") if parent is not None and is_field(call, "right") else None
    return target if target is not None and target.type in ("identifier", "attribute") else call


def _statement(call: Node) -> Node | None:
    """The statement that assigns a call to one name, if it has its lines to itself."""
    parent = parent_of(call)
    if _target(call) is call or parent is None or parent.type != "assignment":
        return None
    statement = parent_of(parent)
    block = parent_of(statement)
    if statement is None or statement.type != "expression_statement" or block is None:
        return None
    first = block.start_point[0] if block.type == "block" else -1
    owner = parent_of(block)
    in_line = owner is not None and block.type == "block" and owner.start_point[0] == first
    return None if in_line else statement


def _inner_models(evidence: Evidence, wrapped: set[str]) -> Iterator[Use]:
    """``model.module`` of what was wrapped is the model itself."""
    if evidence.context.options.distributed and not _has_own_module(evidence):
        wrapped = wrapped | _USUAL_NAMES
    for name in evidence.source.identifiers("module") if wrapped else ():
        attribute = parent_of(name)
        owner = field(attribute, "object")
        if attribute is None or owner is None or not is_field(name, "attribute"):
            continue
        if text_of(owner).rpartition(".")[2] in wrapped and owner.type in ("identifier", "attribute"):
            yield changed(f"{DISTRIBUTED}.module", attribute, [Edit(owner.end_byte, attribute.end_byte, "")])


def _has_own_module(evidence: Evidence) -> bool:
    """Whether the file itself sets an attribute of that name: what has it is no wrapper."""
    for name in evidence.source.identifiers("module"):
        attribute = parent_of(name)
        if attribute is not None and is_field(name, "attribute") and is_assigned(attribute):
            return True
    return False
