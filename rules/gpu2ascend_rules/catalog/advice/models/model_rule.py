"""What rules about the code of models have in common: they look at a file's model code once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tree_sitter import Node

from ....engine.context import Context
from ....engine.rule import on
from ....inference.models.code import ENTRIES, ModelCode
from ....model.finding import Finding
from ....receivers.residence import model_code
from ..advice_rule import AdviceRule


class ModelRule(AdviceRule):
    """Base class of the rules that look at all functions which compute in a forward pass."""

    only_with = "torch"

    @on.definition(*ENTRIES)
    def defined(self, definition: Node, ctx: Context) -> Iterator[Finding]:
        """Called for each method that may begin a model's code: the first one counts for all."""
        if ctx.is_first(type(self), definition):
            yield from self.in_model(model_code(ctx), ctx)

    def in_model(self, code: ModelCode, ctx: Context) -> Iterator[Finding]:
        """The advice on the code of models in a file."""
        raise NotImplementedError

    def once_each(
        self, places: Iterator[Node], advise: Callable[[Node, int], Finding], ctx: Context
    ) -> Iterator[Finding]:
        """One advice for each function, at the first of its places, with how many they are."""
        by_function: dict[int, list[Node]] = {}
        for place in places:
            function = ctx.source.enclosing(place, "function_definition")
            by_function.setdefault(function.id if function is not None else 0, []).append(place)
        for found in by_function.values():
            yield advise(found[0], len(found))
