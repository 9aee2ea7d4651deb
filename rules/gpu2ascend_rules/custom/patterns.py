"""CUS004: an expression of a form that a rule of the user's describes."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ..engine.context import Context
from ..engine.rule import Example
from ..limits.parents import parent_of
from ..model.custom_rule import CustomRule, PatternRule, last_part
from ..model.finding import Applicability, Finding, Fix, Message, Severity
from ..patterns.expressions import needed_by
from ..patterns.pattern import Form, Match, parse_pattern, parse_replacement, variable_of
from ..text.syntax import chain_of
from .reading.replacement import replacement_edits
from .rule_base import OwnRule

_HEIGHT = 40
"""Levels from the name that is searched for up to the whole expression, at most."""

_RULES = """{"rules": {"PatternRule": [
    {"pattern": "fast.attend($q, $k, scale=$s, $*rest)", "replace": "slow.attend($q, $k, 1 / $s, $*rest)"},
    {"pattern": "$x.half()", "replace": "$x.bfloat16()", "message": "bfloat16 is safer", "safe": false},
    {"pattern": "torch.compile($*all)", "message": "not on our cluster"}
]}}"""


class CustomPattern(OwnRule):
    """A PatternRule of the rule file matches this expression.

    What it does: Reports every expression that matches the rule's pattern, and writes its ``replace``
    instead.

    Why it matters on the NPU: Your rule file, given with ``--rule``, says so.

    Example: With ``{"pattern": "foo($x, device=$d)", "replace": "bar($x)"}``, ``foo(net, device=0)`` becomes
    ``bar(net)``.

    Use instead: what the rule file says; ``gpu2ascend explain custom-rules`` describes it.
    """

    code = "CUS004"
    takes = PatternRule
    examples = (
        Example(
            "import fast\ny = fast.attend(q, k, drop, scale=a + b)\n",
            "import fast\ny = slow.attend(q, k, 1 / (a + b), drop)\n",
            rules=_RULES,
        ),
        Example("y = net.half()\n", unsafe="y = net.bfloat16()\n", rules=_RULES),
        Example("import torch\nnet = torch.compile(net, mode='fast')\n", rules=_RULES),
        Example.unchanged("import other\ny = other.attend(q, k, scale=s)\n", rules=_RULES),
    )

    def find(
        self, rules: tuple[CustomRule, ...], ctx: Context
    ) -> Iterator[tuple[CustomRule, Finding | None]]:
        done: set[tuple[int, int]] = set()
        for rule in rules:
            if isinstance(rule, PatternRule):
                form = parse_pattern(rule.pattern)
                for node, match in _matches(form, ctx):
                    span = node.start_byte, node.end_byte
                    if span not in done:
                        done.add(span)
                        yield rule, self._finding(rule, form, node, match, ctx)

    def _finding(self, rule: PatternRule, form: Form, node: Node, match: Match, ctx: Context) -> Finding:
        fix = self._fix(rule, form, node, match, ctx)
        severity = Severity.WARNING if fix is not None else Severity.INFORMATION
        if rule.message:
            return self.report(node, "own", severity, fix=fix, text=rule.message, line=rule.place.line)
        return self.report(
            node, "replace", severity, fix=fix, pattern=rule.pattern, new=rule.replace, line=rule.place.line
        )

    def _fix(self, rule: PatternRule, form: Form, node: Node, match: Match, ctx: Context) -> Fix | None:
        if rule.replace is None or not match.is_certain:
            return None
        replacement = parse_replacement(rule.replace, form)
        edits = replacement_edits(ctx.source, node, match, replacement)
        if not edits:
            return None
        applicability = Applicability.SAFE if rule.safe else Applicability.UNSAFE
        title = Message.of("fix.replace", text=rule.replace)
        return self.fix(applicability, edits=edits, requires=needed_by(replacement.source.text), title=title)


def _matches(form: Form, ctx: Context) -> Iterator[tuple[Node, Match]]:
    """Each expression that the form matches, with what its metavariables mean."""
    seen: set[int] = set()
    for node in _candidates(form, ctx):
        if node.id not in seen:
            seen.add(node.id)
            match = Match(ctx.source)
            if match.fits(form.node, node):
                yield node, match


def _candidates(form: Form, ctx: Context) -> Iterator[Node]:
    """The expressions around each place that has the form's name, by the file's own names for it."""
    imports = ctx.source.names.imports
    chain = chain_of(form.node)
    is_name = chain is not None and variable_of(chain.root) is None
    types = {"identifier", "attribute"} if is_name else {form.node.type}
    aliases = {item.name for item in imports if last_part(item.target) == form.word}
    for name in sorted(aliases | {form.word}):
        for identifier in ctx.source.identifiers(name):
            node: Node | None = identifier
            for _ in range(_HEIGHT):
                if node is None or node.type.endswith(("_statement", "_definition", "block", "module")):
                    break
                if node.type in types and _is_expression(node, ctx):
                    yield node
                node = parent_of(node)


def _is_expression(node: Node, ctx: Context) -> bool:
    """Whether a node is read, and is not the name of an attribute, a keyword, a parameter or an import."""
    return node.type != "identifier" or ctx.source.names.is_reference(node)
