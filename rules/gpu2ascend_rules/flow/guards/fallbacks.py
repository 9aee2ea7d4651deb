"""Places that the NPU does not come to, because a test that stays chooses another way that works there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tree_sitter import Node

from ...limits.parents import parent_of
from ...limits.walks import FORWARD_LIMITS
from ...text.guards import condition_of, gives_up, settled_in
from ...text.syntax import ancestors, encloses, field, is_field, leaves_block, parts_of, same, text_of
from .code_searches import Span
from .conditions.arms import (
    bound_in,
    conditions_before,
    fails_program,
    gives_up_in,
    is_only_way,
    is_tried,
    other_arms,
    statements_after,
)
from .conditions.opened import CLAUSES
from .cuda_guards import Guard, guard_of
from .kernel_tables import is_entry_for_cuda
from .needing.given import (
    Gift,
    Gifts,
    Given,
    decorations_of,
    decorators_of,
    gift_of,
    refers_to,
    uses_of_parameter,
)
from .needing.needs import RUN_BY_THEMSELVES, needs_of, runs_on_cpu
from .needing.registries import naming, registered_as
from .npu_answers import answer_of
from .settings import is_by_default

if TYPE_CHECKING:
    from ...engine.context import Context

_OWNERS = frozenset({"function_definition", "class_definition", "lambda"})
_BLOCKS = frozenset({"block", "module"})
_CHOICES = frozenset({"if_statement", "elif_clause"})
_STEPS = frozenset({
    "if_statement", "try_statement", "expression_statement", "with_statement", "import_statement",
    "import_from_statement", "function_definition", "class_definition", "decorated_definition",
})  # fmt: skip
"""Statements that are no way by themselves: what needs CUDA in them is for their own tests to decide."""


def has_fallback(place: Node, ctx: Context, *, by_default: bool = False) -> bool:
    """Whether the NPU takes another way than the one that a place is on.

    Args:
        by_default: Whether it does so where no setting of the project is changed.
    """
    return ctx.shared(DefaultWays if by_default else Fallbacks).serve(place)


class Fallbacks:
    """The ways of one file that the NPU does not take."""

    by_default = False
    """Where no setting is changed."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._stops: dict[int, tuple[Node, Node] | bool] = {}
        self._known: dict[int, bool] = {}
        """By the ids of places and of definitions."""
        self._open: set[int] = set()
        """What is being looked into. It counts as served where others are, too: a circle serves nothing."""
        self._leaning: dict[int, frozenset[int]] = {}
        """What is served if others are that are still looked into."""
        self._leans: set[int] = set()
        """Those on which the answer leans that is being found."""

    def forget(self) -> None:
        """Let go of the context."""
        self.__dict__.clear()

    def serve(self, place: Node) -> bool:
        """Whether another way is taken than the one that a place is on."""
        return self._found(place.id, lambda: self._is_served(place))

    def _found(self, key: int, find: Callable[[], bool]) -> bool:
        """An answer that is looked for once; one that leans on itself alone is no."""
        if key in self._known:
            return self._known[key]
        if key in self._open or key in self._leaning:
            self._leans |= self._leaning.get(key, {key})
            return True
        before, self._leans = self._leans, set()
        self._open.add(key)
        is_served = find()
        self._open.discard(key)
        others = frozenset(self._leans & self._open) if is_served else frozenset()
        if others:
            self._leaning[key] = others
        else:
            self._known[key] = is_served = is_served and not self._leans
        if not self._open:
            self._leaning.clear()
        self._leans = before | others
        return is_served

    def serve_all(self, name: str) -> bool:
        """Whether every use of an extension is on such a way, or of the CPU, and there is one."""
        read = self._ctx.source.names.readers(name, self._ctx.source.root)
        uses = [use for use in read if not runs_on_cpu(use)]
        return bool(read) and all(self.serve(use) for use in uses[: FORWARD_LIMITS.uses])

    def _answer(self, condition: Node) -> bool | None:
        return answer_of(condition, self._ctx)

    def _is_module_served(self) -> bool:
        """Whether whatever imports the module does so on such ways."""
        return False

    def _is_served(self, place: Node) -> bool:
        stop = self._stop_above(place)
        if isinstance(stop, bool):
            return stop or (place.type not in _OWNERS and self._is_module_served())
        owner, inner = stop
        return same(field(owner, "body"), inner) and self._is_owner_served(owner)

    def _stop_above(self, place: Node) -> tuple[Node, Node] | bool:
        """Where the way up from a place ends: True at what is avoided, else the function or class around it
        with its child on the way; False at the module. Each node is gone through once."""
        passed: list[int] = []
        stop: tuple[Node, Node] | bool = False
        inner = place
        for parent in ancestors(place):
            if inner.id in self._stops:
                stop = self._stops[inner.id]
                break
            passed.append(inner.id)
            if self._is_avoided(inner, parent):
                stop = True
                break
            if parent.type in _OWNERS and parent.type != "lambda":
                stop = (parent, inner)
                break
            inner = parent
        self._stops.update(dict.fromkeys(passed, stop))
        return stop

    def _is_avoided(self, inner: Node, parent: Node) -> bool:
        """Whether the NPU does not come from a node to its child, and comes to something else."""
        condition, holds = condition_of(inner, parent)
        if condition is not None and self._answer(condition) is (not holds):
            return parent.type == "boolean_operator" or self._has_other_way(inner, parent)
        if inner.type in CLAUSES and parent.type == "if_statement":
            return any(
                self._answer(before) is True and self._has_other_way(inner, parent)
                for before in conditions_before(inner, parent)
            )
        if parent.type == "case_clause":
            return self._is_case_for_cuda(parent)
        if parent.type == "try_statement":
            is_part = inner.type == "block" and is_tried(inner, parent)
            return is_part and not fails_program(parent, self._ctx.source)
        return parent.type in _BLOCKS and self._is_settled(inner, parent)

    def _is_settled(self, inner: Node, block: Node) -> bool:
        """Whether the NPU has left a block before one of its statements, other than by an error."""
        settled = self._ctx.once(("settled in", block.id), lambda: list(settled_in(block)))
        return any(
            statement.type in _CHOICES
            and self._answer(condition) is (not holds)
            and not gives_up(field(statement, "consequence") or statement)
            for condition, holds, statement in settled
            if statement.start_byte < inner.start_byte
        )

    def _is_case_for_cuda(self, clause: Node) -> bool:
        """Whether a ``case 'cuda':`` stays, and another case works."""
        pattern = next((child for child in clause.children if child.type == "case_pattern"), None)
        word = pattern.named_children[0] if pattern is not None and pattern.named_children else None
        is_kept = word is not None and guard_of(word, self._ctx) is Guard.CUDA_ONLY
        block = parent_of(clause)
        if not is_kept or block is None:
            return False
        others = [field(item, "consequence") for item in block.named_children if not same(item, clause)]
        return any(
            other is not None and not gives_up(other) and self._works(parts_of(other)) for other in others
        )

    def _has_other_way(self, arm: Node, choice: Node) -> bool:
        if choice.type == "conditional_expression":
            return True
        others = other_arms(arm, choice)
        blocks = [field(item, "consequence") or field(item, "body") or item for item in others]
        if any(not gives_up(block) and self._works(parts_of(block)) for block in blocks):
            return True
        has_else = any(item.type == "else_clause" for item in others)
        return not has_else and arm.type == "block" and self._works_after(arm, choice)

    def _works(self, statements: list[Node]) -> bool:
        """Whether statements go on without CUDA; what they test themselves is reported at those tests."""
        needs = needs_of(self._ctx)
        return not any(
            needs.is_in(Span.of(statement)) for statement in statements if statement.type not in _STEPS
        )

    def _works_after(self, arm: Node, choice: Node) -> bool:
        """Whether what follows a choice works without its arm."""
        following = list(statements_after(choice))
        if leaves_block(arm):
            ends = bool(following) and gives_up_in(following)
            return bool(following) and not ends and self._works(following)
        return not any(self._is_missed(name, choice) for name in bound_in(arm)) and self._works(following)

    def _is_missed(self, name: Node, choice: Node) -> bool:
        """Whether a variable is given a value by an arm alone, and read after it."""
        names = self._ctx.source.names
        bindings = names.bindings_in_scope(text_of(name), name)
        inside = [item for item in bindings if choice.start_byte <= item.node.start_byte < choice.end_byte]
        if len(inside) < len(bindings):
            return False
        uses = names.readers(text_of(name), names.scope_of(name))
        read = [use for use in uses if use.start_byte >= choice.end_byte]
        return any(not self.serve(use) for use in read[: FORWARD_LIMITS.uses])

    # -- the uses of what a place is in ------------------------------------------------------------

    def _is_owner_served(self, owner: Node) -> bool:
        """Whether a function or class is used on such ways only, and is used."""
        return self._found(owner.id, lambda: self._is_served(owner) or self._looked_up(owner))

    def _looked_up(self, owner: Node) -> bool:
        name = field(owner, "name")
        if name is None:
            return False
        scope = self._ctx.source.names.scope_of(owner)
        if scope.type == "class_definition":
            if text_of(name) in RUN_BY_THEMSELVES:
                return self._is_owner_served(scope)
            uses = list(self._uses_by_name(text_of(name)))
        else:
            uses = list(self._ctx.source.names.readers(text_of(name), scope))
        if any(self._is_gift_served(gift) for gift in decorations_of(owner)):
            return True
        keys = {item.key for item in registered_as(owner)}
        if keys:
            project, options = self._ctx.project, self._ctx.options
            return all(project.cuda.is_named_on_npu(key, options) is False for key in keys)
        outside = [use for use in uses if not encloses(owner, use)]
        return self._are_served(outside, text_of(name) if parent_of(scope) is None else "")

    def serve_base(self, use: Node) -> bool:
        """Whether a use is a base of a class that is used on such ways only."""
        stop = self._stop_above(use)
        if isinstance(stop, bool):
            return stop
        owner, inner = stop
        return same(field(owner, "superclasses"), inner) and self._is_owner_served(owner)

    def serve_given(self, given: Given) -> bool:
        """Whether what is given a function of the module is called on such ways only."""
        return any(
            map(self._is_parameter_served, Gifts(self._ctx.source, self._ctx.project).taking_of(given))
        )

    def _is_gift_served(self, gift: Gift) -> bool:
        """The same of what a function of any file is given."""
        gifts = Gifts(self._ctx.source, self._ctx.project)
        taking = gifts.taking_in_file(gift)
        if taking is not None:
            return self._is_parameter_served(taking)
        found = gifts.elsewhere(gift)
        return found is not None and self._ctx.project.cuda.is_dispatched(
            self._ctx.source.path, *found, self._ctx.options, on_npu=True
        )

    def _is_parameter_served(self, parameter: Node) -> bool:
        calls = list(uses_of_parameter(parameter, self._ctx.source))
        return bool(calls) and all(map(self.serve, calls[: FORWARD_LIMITS.uses]))

    def _is_entry_for_cuda(self, use: Node) -> bool:
        """Whether a use is what a table has for CUDA: the rule on tables gives the NPU another entry."""
        return is_entry_for_cuda(use, self._ctx, lambda index: answer_of(index, self._ctx))

    def _are_served(self, uses: list[Node], exported: str) -> bool:
        """Whether uses in this file are served, and those of a name of the module in others."""
        project, path = self._ctx.project, self._ctx.source.path
        elsewhere = None
        if exported:
            options = self._ctx.options
            elsewhere = project.cuda.is_used_on_npu(path, exported, options, by_default=self.by_default)
        if elsewhere or (elsewhere is None and not uses):
            return False
        return self._are_grounded(uses[: FORWARD_LIMITS.uses], is_grounded=elsewhere is False)

    def _are_grounded(self, uses: list[Node], *, is_grounded: bool) -> bool:
        """Whether all uses are served; if one is by itself, the answer leans on nothing."""
        before, leans = self._leans, set[int]()
        for use in uses:
            self._leans = set()
            if not self._is_use_served(use):
                self._leans = before
                return False
            is_grounded = is_grounded or not self._leans
            leans |= self._leans
        self._leans = before if is_grounded else before | leans
        return True

    def _uses_by_name(self, name: str) -> tuple[Node, ...]:
        """The reads of an attribute of a name; without any, where the file names what is registered so."""

        def uses() -> tuple[Node, ...]:
            read = tuple(
                use
                for use in self._ctx.source.identifiers(name)
                if is_field(use, "attribute") and not is_field(use, "name") and not self._is_of_module(use)
            )
            return read or tuple(naming(name, self._ctx.source))

        return self._ctx.once(("uses by name", name), uses)

    def _is_of_module(self, use: Node) -> bool:
        """Whether an attribute is a name of a module of the project's: no method is called by it."""
        receiver = field(parent_of(use), "object")
        named = self._ctx.source.names.qualified_name(receiver) if receiver is not None else None
        path = self._ctx.source.path
        return named is not None and self._ctx.project.path_of_module(path, named.qualified_name) is not None

    def _is_use_served(self, use: Node) -> bool:
        """Whether a use is on such a way, or only gives what is used another name."""
        if self.serve(use) or self._is_entry_for_cuda(use) or self.serve_base(use):
            return True
        gift = gift_of(use)
        if gift is not None and self._is_gift_served(gift):
            return True
        statement = self._ctx.source.enclosing(use, "assignment")
        target, value = field(statement, "left"), field(statement, "right")
        if (
            target is None
            or value is None
            or target.type != "identifier"
            or not refers_to(value, use.start_byte)
        ):
            return False
        names = self._ctx.source.names
        bindings = names.bindings_in_scope(text_of(target), target)
        scope = bindings[0].scope if bindings else names.scope_of(target)
        uses = [item for item in names.readers(text_of(target), scope) if not same(item, use)]
        return self._are_served(uses, text_of(target) if parent_of(scope) is None else "")


class DefaultWays(Fallbacks):
    """The ways of one file that the NPU does not take where no setting is changed."""

    by_default = True

    def _answer(self, condition: Node) -> bool | None:
        answer = super()._answer(condition)
        return is_by_default(condition, self._ctx) if answer is None else answer

    def _is_avoided(self, inner: Node, parent: Node) -> bool:
        """A way that a setting chooses is not taken, whatever is taken instead, unless that is an error."""
        if super()._is_avoided(inner, parent):
            return True
        if parent.type in _CHOICES and is_only_way(inner, parent):
            return False
        condition, holds = condition_of(inner, parent)
        if condition is not None and is_by_default(condition, self._ctx) is (not holds):
            return True
        before = conditions_before(inner, parent) if inner.type in CLAUSES else ()
        return any(is_by_default(condition, self._ctx) is True for condition in before)

    def _looked_up(self, owner: Node) -> bool:
        name = field(owner, "name")
        if name is None or not (super()._looked_up(owner) or self._is_unused(owner, name)):
            return False
        is_of_module = parent_of(self._ctx.source.names.scope_of(owner)) is None
        return not (is_of_module and self._ctx.project.cuda.is_named(self._ctx.source.path, text_of(name)))

    def _is_unused(self, owner: Node, name: Node) -> bool:
        """Whether no program of the project uses a function or class; what decorates it may enter it."""
        names, project = self._ctx.source.names, self._ctx.project
        scope = names.scope_of(owner)
        if parent_of(scope) is not None or decorators_of(owner) or not project.cuda.has_programs():
            return False
        if any(not encloses(owner, use) for use in names.readers(text_of(name), scope)):
            return False
        path, options = self._ctx.source.path, self._ctx.options
        return project.cuda.is_used_on_npu(path, text_of(name), options, by_default=True) is None

    def _is_module_served(self) -> bool:
        project, path = self._ctx.project, self._ctx.source.path
        return project.cuda.is_used_on_npu(path, "", self._ctx.options, by_default=True) is False
