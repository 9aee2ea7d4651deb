"""CUS002: a function that a rule of the user's replaces by another."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ..engine.context import Context
from ..engine.rule import Example, replace
from ..model.custom_rule import CustomRule, FuncNameModifyRule, last_part
from ..model.finding import Finding, Fix, Message, Severity
from ..patterns.expressions import needed_by_name
from ..renames.qualified_names import is_handed_on, moved_import
from ..text.names import absolute_name
from ..text.scopes import Binding, BindingKind
from ..text.syntax import field, text_of
from .module_names import module_after
from .rule_base import OwnRule
from .uses import Use, is_local, uses_of

_RULES = """{"rules": {"FuncNameModifyRule": [
    {"old_name": "to_gpu", "new_name": "to_npu"},
    {"old_name": "apex.amp.scale_loss", "new_name": "scaling.loss.scaled"}
]}}"""
_WITH_MODULE = """{"rules": {
    "ModuleNameModifyRule": [{"old_name": "tools.gpu", "new_name": "tools.npu"}],
    "FuncNameModifyRule": [{"old_name": "to_gpu", "new_name": "to_npu"}]
}}"""


class CustomFunctionName(OwnRule):
    """A FuncNameModifyRule of the rule file replaces this function.

    What it does: Replaces the rule's ``old_name`` with its ``new_name``, in imports and at every use.

    Why it matters on the NPU: Your rule file, given with ``--rule``, says so.

    Example: With ``{"old_name": "to_gpu", "new_name": "to_npu"}``, ``from tools import to_gpu`` becomes
    ``from tools import to_npu``, and ``tools.to_gpu(x)`` becomes ``tools.to_npu(x)``.

    Use instead: what the rule file says; ``gpu2ascend explain custom-rules`` describes it.
    """

    code = "CUS002"
    takes = FuncNameModifyRule
    examples = (
        Example(
            "from tools import to_gpu\nto_gpu(x)\n", "from tools import to_npu\nto_npu(x)\n", rules=_RULES
        ),
        Example(
            "import tools\ntools.to_gpu(x)\ny.to_gpu()\n",
            "import tools\ntools.to_npu(x)\ny.to_npu()\n",
            rules=_RULES,
        ),
        Example(
            "from apex import amp\nwith amp.scale_loss(loss) as scaled: pass\n",
            "from apex import amp\nimport scaling.loss\nwith scaling.loss.scaled(loss) as scaled: pass\n",
            rules=_RULES,
        ),
        Example(
            "from tools.gpu import to_gpu, other\nto_gpu(x)\n",
            "from tools.gpu import other\nfrom tools.npu import to_npu\nto_npu(x)\n",
            rules=_WITH_MODULE,
        ),
        Example("def to_gpu(x): pass\nto_gpu(y)\n", rules=_RULES),
        Example.unchanged("import other\nother.scale_loss(loss)\n", rules=_RULES),
    )

    def find(
        self, rules: tuple[CustomRule, ...], ctx: Context
    ) -> Iterator[tuple[CustomRule, Finding | None]]:
        done: set[int] = set()
        for rule in rules:
            if not isinstance(rule, FuncNameModifyRule):
                continue
            for binding in _imports(rule.old_name, ctx):
                if binding.node.start_byte not in done:
                    done.add(binding.node.start_byte)
                    yield rule, self._imported(rule, binding, ctx)
            for finding in self._defined(rule, ctx):
                yield rule, finding
            for use in uses_of(ctx, rule.old_name):
                if use.identifier.start_byte not in done:
                    used = self._used(rule, use, ctx)
                    if used is not None:
                        done.add(use.identifier.start_byte)
                        yield rule, used

    def _imported(self, rule: FuncNameModifyRule, binding: Binding, ctx: Context) -> Finding:
        module = field(binding.statement, "module_name")
        place = text_of(module)
        owner, _, new = rule.new_name.rpartition(".")
        if owner and owner != rule.old_name.rpartition(".")[0]:
            place = owner
        elif len(ctx.source.names.imported_by(binding.statement)) > 1:
            # It gets a statement of its own, of which a rule for the module takes no notice any more.
            place = module_after(place, ctx)
        # A name without dots is the project's, and changes in all its files.
        keeps_name = "." in rule.old_name and is_handed_on(binding, ctx)
        edits = moved_import(binding, place, new, ctx, keeps_name=keeps_name)
        fix = None
        if edits is not None:
            fix = self.safe(Message.of("fix.replace", text=rule.new_name), edits=tuple(edits))
        return self._finding(rule, binding.node, fix, binding.target)

    def _defined(self, rule: FuncNameModifyRule, ctx: Context) -> Iterator[Finding]:
        """What is to be said of functions of the project that have the name: these stay as they are."""
        if "." not in rule.old_name:
            for binding in ctx.source.names.bindings(rule.old_name):
                if binding.kind is BindingKind.DEFINITION:
                    yield self.report(
                        binding.node, "defined", Severity.INFORMATION, api=rule.old_name, line=rule.place.line
                    )

    def _used(self, rule: FuncNameModifyRule, use: Use, ctx: Context) -> Finding | None:
        """What is to be said of a use that no change of an import takes along."""
        is_plain = use.node.type == "identifier"
        api = use.qualified or rule.old_name
        if is_local(ctx.source, use):
            return None  # a variable that happens to have the name, or a function of the file itself
        if is_plain and use.binding is not None:
            return None  # changed with its import, or by another name for it
        if not is_plain and use.binding is None and use.call is None:
            return None  # an attribute of an object, not its method
        fix = self._fix_of_use(rule, use) if use.may_change else None
        return self._finding(rule, use.node, fix, api)

    def _fix_of_use(self, rule: FuncNameModifyRule, use: Use) -> Fix | None:
        title = Message.of("fix.replace", text=rule.new_name)
        old_class, new_class = rule.old_name.rpartition(".")[0], rule.new_name.rpartition(".")[0]
        if new_class == old_class and (use.is_method or use.node.type == "attribute"):
            return self.safe(title, edits=(replace(use.identifier, last_part(rule.new_name)),))
        if "." not in rule.new_name:
            return self.safe(title, edits=(replace(use.identifier, rule.new_name),))
        if use.is_method or (
            use.node.type != "identifier" and use.binding is None and "." not in rule.old_name
        ):
            return None  # a method: whatever it is called on would be lost
        edits = (replace(use.node, rule.new_name),)
        return self.safe(title, edits=edits, requires=needed_by_name(rule.new_name))

    def _finding(self, rule: FuncNameModifyRule, node: Node, fix: Fix | None, api: str) -> Finding:
        return self.report(
            node, "replace", Severity.WARNING, fix=fix, api=api, new=rule.new_name, line=rule.place.line
        )


def _imports(name: str, ctx: Context) -> Iterator[Binding]:
    """The ``from`` imports of a function."""
    for binding in ctx.source.names.imports:
        if binding.name == "*" or binding.statement.type != "import_from_statement":
            continue
        target = absolute_name(binding.target, ctx.source.path)
        if target == name or ("." not in name and last_part(target) == name):
            yield binding
