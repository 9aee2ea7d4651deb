"""Two optimizers that one loss trains: an encoder's and a decoder's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tree_sitter import Node

from gpu2ascend_rules.text.syntax import text_of

from ...evidence import Evidence
from ..identities import identity
from ..trained import owner_trained_by, owners_trained_by
from .calls import receiver_of

MORE = "more_gradients"
"""What new text calls the gradients for the second optimizer."""


class Second(NamedTuple):
    """The second optimizer of a step."""

    stepped: Node
    optimizer: Node


def second_of(evidence: Evidence, stepped: Sequence[Node], first: Node) -> Second | None:
    """The second of two optimizers with a module each that a step updates, one after the other."""
    owners = [receiver_of(one) for one in stepped]
    others = [
        Second(statement, owner)
        for statement, owner in zip(stepped, owners, strict=True)
        if owner is not None and text_of(owner) != text_of(first) and owner_trained_by(evidence, owner)
    ]
    modules = [
        {identity(evidence, trained) for trained in owners_trained_by(evidence, one)}
        for one in (first, *(other.optimizer for other in others))
    ]
    options = evidence.context.options
    is_pair = len(others) == 1 and all(modules) and modules[0].isdisjoint(modules[1])
    return others[0] if is_pair and not (options.distributed or options.graph) else None


def divided(first: Node, second: Second, gradients: str, indent: str) -> str:
    """The line that divides the gradients for both among them."""
    count = f"len({text_of(first)}.parameters)"
    return f"\n{indent}{gradients}, {MORE} = {gradients}[:{count}], {gradients}[{count}:]"
