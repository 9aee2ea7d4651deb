"""CUS001: an argument that a rule of the user's replaces or deletes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ..engine.context import Context
from ..engine.rule import Example
from ..limits.checkpoints import checkpoint
from ..model.custom_rule import ArgsModifyRule, CustomRule
from ..model.finding import Finding, Message, Requirement, Rewrite, Severity
from ..patterns.expressions import needed_by
from ..text.syntax import Argument, Arguments, arguments_of, text_of
from .reading.regex_work import MAX_TEXT, is_found
from .rule_base import OwnRule
from .uses import Use, uses_of

_RULES = """{"rules": {"ArgsModifyRule": [
    {"func_name": "torch.empty", "arg_keyword": "device", "arg_new": "", "white_list": ["^None$"]},
    {"func_name": "build", "arg_idx": 1, "arg_new": "'hccl'"}
]}}"""


class CustomArgument(OwnRule):
    """An ArgsModifyRule of the rule file changes an argument of this call.

    What it does: Replaces an argument with the rule's ``arg_new``, or deletes it if that is empty.

    Why it matters on the NPU: Your rule file, given with ``--rule``, says so.

    Example: With ``{"func_name": "build", "arg_idx": 1, "arg_new": "'hccl'"}``, ``build(net, 'nccl')``
    becomes ``build(net, 'hccl')``.

    Use instead: what the rule file says; ``gpu2ascend explain custom-rules`` describes it.
    """

    code = "CUS001"
    takes = ArgsModifyRule
    examples = (
        Example(
            "import torch\nx = torch.empty(2, device=d)\n", "import torch\nx = torch.empty(2)\n", rules=_RULES
        ),
        Example("build(net, 'nccl')\n", "build(net, 'hccl')\n", rules=_RULES),
        Example("build(*both)\n", rules=_RULES),
        Example.unchanged("import torch\nx = torch.empty(2, device=None)\n", rules=_RULES),
    )

    def find(
        self, rules: tuple[CustomRule, ...], ctx: Context
    ) -> Iterator[tuple[CustomRule, Finding | None]]:
        calls: dict[int, _Changes] = {}
        for rule in rules:
            if isinstance(rule, ArgsModifyRule):
                for use in uses_of(ctx, rule.func_name):
                    if use.call is not None:
                        changes = calls.setdefault(use.call.id, _Changes(use, use.call, []))
                        yield from self._noted(rule, changes)
        for changes in calls.values():
            if changes.made:
                finding = self._changed(changes)
                for rule, _ in changes.made:
                    yield rule, finding

    def _noted(self, rule: ArgsModifyRule, changes: _Changes) -> Iterator[tuple[CustomRule, Finding | None]]:
        """Note what a rule does to a call; gives what is to be said when it does nothing."""
        arguments = arguments_of(changes.call)
        argument = _argument(rule, arguments)
        if argument is None:
            if arguments.unpacked:
                yield rule, self._untouched(rule, changes.use, "unpacked")
            return
        text = text_of(argument.value)
        if rule.white_list and len(text) > MAX_TEXT:
            yield rule, self._untouched(rule, changes.use, "long")
        elif text == rule.arg_new or _is_listed(text, rule):
            yield rule, None
        elif any(other.node.start_byte == argument.node.start_byte for _, other in changes.made):
            yield rule, None  # of two rules for an argument the earlier one counts
        else:
            changes.made.append((rule, argument))

    def _changed(self, changes: _Changes) -> Finding:
        use, call = changes.use, changes.call
        # From the last argument to the first, so that the others keep their places.
        made = sorted(changes.made, key=lambda item: -item[1].node.start_byte)
        rewrite = Rewrite(call.start_byte, call.end_byte, tuple(_step(*item) for item in made))
        requires = frozenset[Requirement]().union(*(needed_by(rule.arg_new) for rule, _ in made))
        old = ", ".join(text_of(argument.node) for _, argument in reversed(made))
        new = ", ".join(rule.arg_new for rule, _ in reversed(made) if rule.arg_new)
        title = Message.of("fix.replace", text=new) if new else Message.of("fix.remove")
        fix = self.safe(title, rewrites=(rewrite,), requires=requires) if use.may_change else None
        return self.report(
            use.node,
            "replace" if new else "delete",
            Severity.WARNING,
            fix=fix,
            api=_api(changes.made[0][0], use),
            old=old,
            line=", ".join(str(rule.place.line) for rule, _ in changes.made),
            **({"new": new} if new else {}),
        )

    def _untouched(self, rule: ArgsModifyRule, use: Use, key: str) -> Finding:
        return self.report(use.node, key, Severity.INFORMATION, api=_api(rule, use), line=rule.place.line)


class _Changes(NamedTuple):
    """What the rules do to one call."""

    use: Use
    call: Node
    made: list[tuple[ArgsModifyRule, Argument]]


def _api(rule: ArgsModifyRule, use: Use) -> str:
    return use.qualified or rule.func_name


def _is_listed(text: str, rule: ArgsModifyRule) -> bool:
    checkpoint()
    return any(is_found(regex, text) for regex in rule.white_list)


def _argument(rule: ArgsModifyRule, arguments: Arguments) -> Argument | None:
    if rule.arg_keyword is not None:
        return arguments.keyword(rule.arg_keyword)
    return arguments.at(rule.arg_idx) if rule.arg_idx is not None else None


def _step(rule: ArgsModifyRule, argument: Argument) -> tuple[str, str]:
    if argument.keyword is not None:
        return ("set", f"{argument.keyword}={rule.arg_new}") if rule.arg_new else ("drop", argument.keyword)
    return (
        ("put", f"{argument.position}={rule.arg_new}") if rule.arg_new else ("remove", f"{argument.position}")
    )
