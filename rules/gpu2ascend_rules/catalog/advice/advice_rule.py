"""What all advice has in common: it is a hint, it says where it holds, and one option turns it off."""

from __future__ import annotations

import enum
from typing import Any, ClassVar

from tree_sitter import Node

from ...engine.context import Context
from ...engine.rule import Family, HasSpan, Rule
from ...model.finding import ADVICE, Finding, Fix, Message, Severity
from ...model.hardware import Hardware


class Holds(enum.Enum):
    """The hardware that an advice is for; the value ends the id of the text that says so."""

    EVERYWHERE = "everywhere"
    A2 = "a2"
    """A2 and later."""


class AdviceRule(Rule):
    """Base class of the rules of advice."""

    family = Family.ADVICE
    only_with_option = "advice"
    is_specific = False
    holds: ClassVar[Holds] = Holds.EVERYWHERE

    def is_for(self, ctx: Context) -> bool:
        """Whether the advice holds for the chosen hardware."""
        return self.holds is Holds.EVERYWHERE or ctx.options.hardware is not Hardware.A910

    def advise(
        self, node: Node, key: str, *, fix: Fix | None = None, api: str | None = None, **arguments: Any
    ) -> Finding:
        """Advice about a node."""
        return self.report(node, key, Severity.HINT, fix=fix, api=api, kind=ADVICE, **arguments)

    def report(self, at: Node | HasSpan, key: str, severity: Severity, **given: Any) -> Finding:
        """A finding whose text ends with the versions and the hardware that it is for."""
        hardware = Message.of(f"advice.on-{self.holds.value}")
        if self.first_version is None:
            scope = Message.of("advice.scope", hardware=hardware)
        else:
            scope = Message.of("advice.scope-from", version=self.first_version, hardware=hardware)
        return super().report(at, key, severity, scope=scope, **given)
