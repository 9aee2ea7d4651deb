"""CUS005: an API that the user, or an analysis of its library, says to fail on the NPU."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ..engine.context import Context
from ..engine.rule import Example
from ..model.custom_rule import CustomRule, UnsupportedApiRule
from ..model.finding import Finding, Severity
from ..text.names import absolute_name
from ..text.syntax import text_of
from .rule_base import OwnRule
from .uses import uses_of

_RULES = """{"rules": {"UnsupportedApiRule": [
    {"name": "fast.attend", "message": "needs CUDA"}, {"name": "fast.kernels"}
]}}"""


class CustomUnsupportedApi(OwnRule):
    """An API is used that one of your rules, or the analysis of its library, marks as unsupported.

    What it does: Reports every use of the ``name`` of an UnsupportedApiRule, and every import of it if it is
    a module. ``--api-files`` creates such rules from what ``analyze --mode third_party`` found in a library.

    Why it matters on the NPU: Your rule file, given with ``--rule``, says so, or the API calls an API of
    PyTorch that does not work on the NPU.

    Example: With ``{"name": "fast.attend"}``, ``fast.attend(q, k)`` is reported.

    Use instead: what the rule's message says; or migrate the library as well.
    """

    code = "CUS005"
    takes = UnsupportedApiRule
    examples = (
        Example("import fast\ny = fast.attend(q, k)\n", rules=_RULES),
        Example("from fast import attend as f\ny = f(q, k)\n", rules=_RULES),
        Example("from fast.kernels import add\n", rules=_RULES),
        Example.unchanged("import other\ny = other.attend(q, k)\n", rules=_RULES),
    )

    def find(
        self, rules: tuple[CustomRule, ...], ctx: Context
    ) -> Iterator[tuple[CustomRule, Finding | None]]:
        done: set[int] = set()
        imported = _imported_modules(ctx)
        for rule in rules:
            if not isinstance(rule, UnsupportedApiRule) or rule.word.encode() not in ctx.source.data:
                continue
            uses = [use.node for use in uses_of(ctx, rule.name) if use.is_certain]
            for node in uses or imported.get(rule.name, []):
                if node.start_byte not in done:
                    done.add(node.start_byte)
                    yield rule, self._found(rule, node)

    def _found(self, rule: UnsupportedApiRule, node: Node) -> Finding:
        key = "said" if rule.message else "unsupported"
        return self.report(
            node, key, Severity.ERROR, kind="unsupported", api=rule.name, text=rule.message or ""
        )


def _imported_modules(ctx: Context) -> dict[str, list[Node]]:
    """Where the file imports what, by each of the modules that the import runs."""
    found: dict[str, list[Node]] = {}
    for binding in ctx.source.names.imports:
        is_from = binding.statement.type == "import_from_statement"
        name = absolute_name(binding.target, ctx.source.path) if is_from else text_of(binding.node)
        module = name.rpartition(".")[0] if is_from else name
        while module:
            found.setdefault(module, []).append(binding.node)
            module = module.rpartition(".")[0]
        found.setdefault(name, []).append(binding.node)
    return found
