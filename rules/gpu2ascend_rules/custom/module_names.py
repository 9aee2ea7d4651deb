"""CUS003: a module that a rule of the user's replaces by another."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ..engine.context import Context
from ..engine.rule import Example, replace
from ..engine.scan import imported_name
from ..model.custom_rule import CustomRule, ModuleNameModifyRule, last_part
from ..model.finding import Edit, Finding, Fix, Message, Requirement, Severity
from ..renames.qualified_names import moved_import
from ..text.names import absolute_name
from ..text.scopes import Binding
from ..text.syntax import field, text_of
from .rule_base import OwnRule
from .uses import Use, uses_of

_RULES = """{"rules": {"ModuleNameModifyRule": [
    {"old_name": "nccl", "new_name": "hccl", "parent_module": "comm"},
    {"old_name": "apex.optimizers", "new_name": "torch_npu.optim"},
    {"old_name": "cupy", "new_name": "numpy"}
]}}"""


class CustomModuleName(OwnRule):
    """A ModuleNameModifyRule of the rule file replaces this module.

    What it does: Replaces the module's name with the rule's ``new_name``, in imports and in dotted names.

    Why it matters on the NPU: Your rule file, given with ``--rule``, says so.

    Example: With ``{"old_name": "nccl", "new_name": "hccl", "parent_module": "comm"}``, ``comm.nccl.send(x)``
    becomes ``comm.hccl.send(x)``.

    Use instead: what the rule file says; ``gpu2ascend explain custom-rules`` describes it.
    """

    code = "CUS003"
    takes = ModuleNameModifyRule
    examples = (
        Example(
            "import comm.nccl\nfrom comm.nccl import send\ncomm.nccl.wait()\n",
            "import comm.hccl\nfrom comm.hccl import send\ncomm.hccl.wait()\n",
            rules=_RULES,
        ),
        Example(
            "import apex.optimizers as fused\nfused.FusedAdam(p)\n",
            "import torch_npu.optim as fused\nfused.FusedAdam(p)\n",
            rules=_RULES,
        ),
        Example(
            "from comm import nccl, mpi\nnccl.send(x)\n",
            "from comm import mpi\nfrom comm import hccl\nhccl.send(x)\n",
            rules=_RULES,
        ),
        Example("import cupy\ncupy.zeros(2)\n", "import numpy as cupy\ncupy.zeros(2)\n", rules=_RULES),
        Example.unchanged("import torch.cuda.nccl\n", rules=_RULES),
    )

    def find(
        self, rules: tuple[CustomRule, ...], ctx: Context
    ) -> Iterator[tuple[CustomRule, Finding | None]]:
        done: set[int] = set()
        for rule in rules:
            if isinstance(rule, ModuleNameModifyRule):
                for node, fix in self._places(rule, ctx):
                    if node.start_byte not in done:
                        done.add(node.start_byte)
                        yield rule, self._finding(rule, node, fix)

    def _finding(self, rule: ModuleNameModifyRule, node: Node, fix: Fix | None) -> Finding:
        return self.report(
            node,
            "replace",
            Severity.WARNING,
            fix=fix,
            api=rule.full_name,
            new=rule.new_name,
            line=rule.place.line,
        )

    def _places(self, rule: ModuleNameModifyRule, ctx: Context) -> Iterator[tuple[Node, Fix | None]]:
        for binding in ctx.source.names.imports:
            yield from self._import(rule, binding, ctx)
        for use in uses_of(ctx, rule.full_name):
            if not _is_left_to_import(rule, use, ctx):
                yield use.node, self._fix_of_use(rule, use, ctx)

    def _fix_of_use(self, rule: ModuleNameModifyRule, use: Use, ctx: Context) -> Fix | None:
        if not use.is_certain:
            return None
        if "." in rule.new_name or use.node.type == "identifier":
            imported = any(_module_in(imported_name(item), rule) for item in ctx.source.names.imports)
            requires = frozenset() if imported else frozenset({Requirement(rule.new_name)})
            return self._fix(rule, [replace(use.node, rule.new_name)], requires)
        return self._fix(rule, [replace(use.identifier, rule.new_name)])

    def _fix(
        self, rule: ModuleNameModifyRule, edits: list[Edit], requires: frozenset[Requirement] = frozenset()
    ) -> Fix:
        title = Message.of("fix.replace", text=rule.new_name)
        return self.safe(title, edits=tuple(edits), requires=requires)

    def _import(
        self, rule: ModuleNameModifyRule, binding: Binding, ctx: Context
    ) -> Iterator[tuple[Node, Fix | None]]:
        """What becomes of an import of the module, of something in it, or of a module below it."""
        module = field(binding.statement, "module_name")
        if module is None:
            name = field(binding.node, "name") or binding.node
            path = imported_name(binding)
            if _module_in(path, rule):
                yield name, self._fix(rule, [replace(name, _new_import(rule, binding, path, ctx))])
            return
        text = text_of(module).replace(" ", "")
        if _module_in(absolute_name(text, ctx.source.path), rule):
            new = _new_from(text, rule, ctx)
            yield module, self._fix(rule, [replace(module, new)]) if new is not None else None
        elif binding.name != "*" and _is_module(absolute_name(binding.target, ctx.source.path), rule):
            parent, _, last = rule.new_name.rpartition(".")
            edits = moved_import(binding, parent or text, last, ctx)
            yield binding.node, self._fix(rule, edits) if edits is not None else None


def module_after(text: str, ctx: Context) -> str:
    """What the rules for modules make of the module of a ``from`` import; itself where none matches."""
    path = absolute_name(text, ctx.source.path)
    for rule in ctx.options.custom:
        if isinstance(rule, ModuleNameModifyRule) and _module_in(path, rule):
            return _new_from(text, rule, ctx) or text
    return text


def _is_module(name: str, rule: ModuleNameModifyRule) -> bool:
    """Whether a full name is that of the module: without dots in the rule, the last part counts."""
    return name == rule.full_name or ("." not in rule.full_name and last_part(name) == rule.full_name)


def _module_in(path: str, rule: ModuleNameModifyRule) -> str | None:
    """The part of a module's full name, from its beginning, that is the module of the rule."""
    parts = path.split(".")
    prefixes = (".".join(parts[:count]) for count in range(1, len(parts) + 1))
    return next((prefix for prefix in prefixes if _is_module(prefix, rule)), None)


def _renamed(module: str, rule: ModuleNameModifyRule) -> str:
    """The full name of what takes the module's place."""
    parent, dot, _ = module.rpartition(".")
    return rule.new_name if "." in rule.new_name else f"{parent}{dot}{rule.new_name}"


def _new_import(rule: ModuleNameModifyRule, binding: Binding, path: str, ctx: Context) -> str:
    """What an ``import`` statement names instead. The names that it binds stay bound, but for those that
    are changed wherever they are used."""
    module = _module_in(path, rule) or path
    new = _renamed(module, rule) + path[len(module) :]
    if field(binding.node, "alias") is not None:
        return new
    if "." not in module:
        return f"{new} as {module}" if path == module else new
    root = module.partition(".")[0]
    if new.partition(".")[0] == root or len(ctx.source.names.bindings(root)) > 1:
        return new
    return f"{module.rpartition('.')[0]}, {new}"


def _new_from(text: str, rule: ModuleNameModifyRule, ctx: Context) -> str | None:
    """The module of a ``from`` import as it is to be written; ``None`` when leading dots mean it."""
    path = absolute_name(text, ctx.source.path)
    module = _module_in(path, rule) or path
    below = path[len(module) :]
    if "." in rule.new_name:
        return rule.new_name + below
    written = text[: len(text) - len(below)]
    last = last_part(module)
    return f"{written[: -len(last)]}{rule.new_name}{below}" if last_part(written) == last else None


def _is_left_to_import(rule: ModuleNameModifyRule, use: Use, ctx: Context) -> bool:
    """Whether a use stays as it is: the changed import serves it, or it is no module at all."""
    if use.binding is None or use.qualified is None:
        return True
    imports = ctx.source.names.imports
    if use.node.type == "identifier":
        name = text_of(use.identifier)
        return any(item.name == name and imported_name(item) == item.target for item in imports)
    # Without dots in the rule, ``model.module`` may be anything; the file's imports identify modules.
    return "." not in rule.full_name and not any(
        f"{imported_name(item)}.".startswith(f"{use.qualified}.") for item in imports
    )
