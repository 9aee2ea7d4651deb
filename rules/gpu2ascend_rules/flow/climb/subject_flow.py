"""The parts of the climber for one subject in one file, put together."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache, partial

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import StringRef
from ...inference.walk.answers import Answers
from ...limits.walks import CLIMB_LIMITS, WalkLimits
from ..libraries import has_own_devices, is_foreign_file
from ..templates import string_template
from .calls.arguments import Calls
from .climber import Climber
from .comparisons import Comparisons
from .dictionaries import Dictionaries
from .options import Options
from .parts import Value
from .subject import Subject
from .variables import Variables
from .verdicts import NEUTRAL, SHOWN, Role, Verdict


def flow_of(subject: Subject, ctx: Context) -> SubjectFlow:
    """The flow of a subject in one file, the same object each time."""
    return ctx.shared(_maker(subject))


@lru_cache(maxsize=64)
def _maker(subject: Subject) -> Callable[[Context], SubjectFlow]:
    return partial(SubjectFlow, subject)


class SubjectFlow:
    """What the texts of one subject are used as in one file. Every answer is kept."""

    def __init__(self, subject: Subject, ctx: Context) -> None:
        self.ctx = ctx
        self.subject = subject
        self.calls = Calls(self)
        self.comparisons = Comparisons(self)
        self.options = Options(self)
        self.dictionaries = Dictionaries(self)
        self.variables = Variables(self)
        self.climber = Climber(self)
        self.answers = Answers(NEUTRAL, NEUTRAL, WalkLimits(depth=CLIMB_LIMITS.names - 1))
        """What names and items of dictionaries are used as; on the way round a circle that is no evidence."""
        self.names = 0
        """How many names the text that is looked into has been followed through."""
        self._roles: dict[int, Verdict] = {}
        self.reached_foreign: dict[Verdict, None] = {}
        """Where a text of the subject reaches another framework too, as far as roles were asked for."""

    def forget(self) -> None:
        """Let go of the parts, each of which refers back to this, and of the nodes that they keep."""
        parts = (self.calls, self.comparisons, self.options, self.dictionaries, self.variables, self.climber)
        for part in parts:
            vars(part).clear()
        vars(self).clear()

    @cached_property
    def is_foreign_file(self) -> bool:
        """Whether the file works with another framework than torch, and that decides for the subject."""
        return self.subject.of_torch and is_foreign_file(self.ctx)

    @cached_property
    def knows_foreign(self) -> bool:
        """Whether the file imports a library that computes on devices of its own, and that decides."""
        imports = self.ctx.source.names.imports
        return self.subject.of_torch and any(has_own_devices(binding.target) for binding in imports)

    def role_of(self, ref: StringRef) -> Verdict:
        """The role of a string literal; :attr:`Role.SHOWN` for one that is no text of the subject."""
        if ref.is_bytes or not self.subject.is_text(ref.text):
            return SHOWN
        return self.role_of_string(ref.node)

    def role_of_string(self, string: Node) -> Verdict:
        """The role of a string node whose text is of the subject."""
        known = self._roles.get(string.id)
        if known is None:
            text = self.subject.canonical(string_template(string))
            known = self.climber.climb(Value(string, text))
            if known.role is Role.NEUTRAL:
                known = SHOWN
            self._roles[string.id] = known
        return known

    def role_of_value(self, expression: Node) -> Verdict:
        """The role of an expression that has a value of the subject, whatever it looks like."""
        return self.climber.climb(Value(expression, self.subject.sample))

    def is_named(self, expression: Node) -> bool:
        """Whether an expression is of the subject, or the name of one."""
        return self.comparisons.is_named(expression)
