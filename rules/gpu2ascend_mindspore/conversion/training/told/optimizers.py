"""Calls of optimizers that belong to no training step."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.inference.classes.torch_classes import OPTIMIZER
from gpu2ascend_rules.limits.parents import parent_of, parent_type
from gpu2ascend_rules.text.syntax import call_of, field, text_of

from ...evidence import Evidence
from ...use import Reason, Use, changed, refused
from ..lines import removed


def uses_without_step(evidence: Evidence, optimizers: set[str], unknown: set[str]) -> Iterator[Use]:
    """The calls of optimizers that belong to no step: gradients are kept nowhere, to be zero or used."""
    for method in ("zero_grad", "step"):
        for name in evidence.source.identifiers(method):
            attribute = parent_of(name)
            if attribute is None or attribute.type != "attribute":
                continue
            call, owner = call_of(attribute), field(attribute, "object")
            if call is None or owner is None or evidence.is_taken_care_of(call):
                continue
            api, statement = f"{OPTIMIZER}.{method}", parent_of(call)
            known = text_of(owner) in optimizers
            is_statement = parent_type(call) == "expression_statement"
            if known and method == "zero_grad" and statement is not None and is_statement:
                evidence.take_care_of(call)
                yield changed(api, statement, [removed(evidence.source.data, statement)])
            elif known or text_of(owner) in unknown or _is_optimizer(evidence, owner):
                evidence.take_care_of(call)
                yield refused(api, call, Reason.STEP)


def _is_optimizer(evidence: Evidence, node: Node) -> bool:
    found = evidence.instance(node)
    name = found.class_name if found is not None else ""
    return name.startswith("torch.optim.") and ".lr_" not in name
