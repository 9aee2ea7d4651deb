"""The parts of the flow of one file, put together."""

from __future__ import annotations

from functools import cached_property

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import StringRef
from ..libraries import has_own_devices, is_foreign_file
from ..templates import string_template
from ..words import is_device_text, names_ordinal
from .calls import Calls
from .climber import Climber
from .comparisons import Comparisons
from .parts import Value
from .roles import TEXT, Role, Verdict
from .tables import Tables
from .variables import Variables


def device_flow(ctx: Context) -> DeviceFlow:
    """The flow of the devices of one file, the same object each time."""
    return ctx.shared(DeviceFlow)


class DeviceFlow:
    """What the texts of one file that name a CUDA device are used as. Every answer is kept."""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
        self.calls = Calls(self)
        self.comparisons = Comparisons(self)
        self.tables = Tables(self)
        self.variables = Variables(self)
        self.climber = Climber(self)
        self._roles: dict[int, Verdict] = {}
        self.reached_foreign: list[Verdict] = []
        """Where a device of torch reaches another framework too, as far as roles were asked for."""

    def forget(self) -> None:
        """Let go of the parts, each of which refers back to this, and of the nodes that they keep."""
        for part in (self.calls, self.comparisons, self.tables, self.variables, self.climber):
            vars(part).clear()
        vars(self).clear()

    @cached_property
    def is_foreign_file(self) -> bool:
        """Whether the file works with another framework and with nothing of torch."""
        return is_foreign_file(self.ctx)

    @cached_property
    def knows_foreign(self) -> bool:
        """Whether the file imports a library that computes on devices of its own."""
        return any(has_own_devices(binding.target) for binding in self.ctx.source.names.imports)

    def role_of(self, ref: StringRef) -> Verdict:
        """The role of a string literal; :attr:`Role.TEXT` for one that names no device."""
        if ref.is_bytes or not is_device_text(ref.text):
            return TEXT
        return self.role_of_string(ref.node)

    def role_of_string(self, string: Node) -> Verdict:
        """The role of a string node whose text names a CUDA device."""
        known = self._roles.get(string.id)
        if known is None:
            text = string_template(string)
            known = self.climber.climb(Value(string, "cuda:0" if names_ordinal(text) else text))
            if known.role is Role.NEUTRAL:
                known = TEXT
            self._roles[string.id] = known
        return known

    def is_device(self, expression: Node) -> bool:
        """Whether an expression is a torch device, or the name of one."""
        return self.comparisons.is_device(expression)
