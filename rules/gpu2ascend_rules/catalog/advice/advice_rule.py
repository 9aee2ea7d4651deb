"""What all advice has in common: it is a hint, it says where it holds, and one option turns it off."""

from __future__ import annotations

from typing import Any

from tree_sitter import Node

from ...engine.rule import HasSpan, Rule
from ...model.finding import ADVICE, Finding, Fix, Message, Severity


class AdviceRule(Rule):
    """Base class of the rules of advice."""

    only_with_option = "advice"
    is_specific = False

    def advise(
        self, node: Node, key: str, *, fix: Fix | None = None, api: str | None = None, **arguments: Any
    ) -> Finding:
        """Advice about a node."""
        return self.report(node, key, Severity.HINT, fix=fix, api=api, kind=ADVICE, **arguments)

    def report(self, at: Node | HasSpan, key: str, severity: Severity, **given: Any) -> Finding:
        """A finding whose text ends with the versions and the hardware that it is for."""
        hardware = Message.of("advice.on-everywhere")
        if self.first_version is None:
            scope = Message.of("advice.scope", hardware=hardware)
        else:
            scope = Message.of("advice.scope-from", version=self.first_version, hardware=hardware)
        return super().report(at, key, severity, scope=scope, **given)
