"""What the four rules have in common: they take what to look for from the user's rule file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from ..engine.context import Context
from ..engine.rule import Rule
from ..model.custom_rule import CustomRule
from ..model.finding import Applicability, Edit, Finding, Fix, Message, Requirement, Rewrite


class OwnRule(Rule):
    """A rule that does what rules of one type in a rule file say."""

    takes: ClassVar[type]
    """The rules of the file that it serves."""

    def find(
        self, rules: tuple[CustomRule, ...], ctx: Context
    ) -> Iterator[tuple[CustomRule, Finding | None]]:
        """Each place that one of the rules matches, with what is to be said about it.

        The rules are all of the type that this one takes, in the order of their file. ``None`` where a rule
        matches and leaves the code as it is.
        """
        raise NotImplementedError

    def safe(
        self,
        title: Message,
        edits: tuple[Edit, ...] = (),
        rewrites: tuple[Rewrite, ...] = (),
        requires: frozenset[Requirement] = frozenset(),
    ) -> Fix:
        """The fix that a rule of the file asks for: the user wants it, so it is made."""
        return self.fix(Applicability.SAFE, edits=edits, rewrites=rewrites, requires=requires, title=title)
