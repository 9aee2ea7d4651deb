"""AUTO101 to AUTO103: where transfer_to_npu is imported."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...codemods.automatic.console_scripts import is_started_by_command
from ...codemods.automatic.pair import acts_at_once, has_pair, pair_edit
from ...engine.context import Context
from ...engine.events import ImportRef, MemberRef, StringRef
from ...engine.rule import Example, on
from ...facts.releases.transfer import patched_names
from ...limits.checkpoints import checkpoint
from ...limits.parents import parent_of
from ...model.finding import Applicability, Finding, Severity
from ...renames.named_rule import NamedRule
from ...text.scopes import Binding
from ...text.source_file import SourceFile
from ...text.syntax import text_of
from .automatic_rule import AutomaticRule

_TRANSFER = "torch_npu.contrib.transfer_to_npu"
_REBOUND = ("torch.cuda.", "torch.profiler.", "torch.jit.script")
"""Modules whose names are replaced as a whole, and functions for scripts."""


class TransferImport(AutomaticRule):
    """A script starts a program that uses torch.

    What it does: Imports torch_npu and transfer_to_npu at the top of the script, before names of torch and
    modules of the project are imported. Modules that the script imports do not need it.

    Why it matters on the NPU: transfer_to_npu replaces functions of torch at run time. Names that were
    imported before it still refer to CUDA's functions.

    Example: ``import torch_npu`` and ``from torch_npu.contrib import transfer_to_npu`` after ``import
    torch``.

    Use instead: a migration without ``--auto``, which replaces nothing at run time.
    """

    code = "AUTO101"
    examples = (
        Example(
            '"""Train."""\nfrom __future__ import annotations\nimport os\nimport torch\n'
            "from torch.cuda.amp import autocast\nif __name__ == '__main__':\n    pass\n",
            '"""Train."""\nfrom __future__ import annotations\nimport os\nimport torch\nimport torch_npu\n'
            "from torch_npu.contrib import transfer_to_npu\n"
            "from torch.cuda.amp import autocast\nif __name__ == '__main__':\n    pass\n",
        ),
        Example(
            "from .trainer import main\nif __name__ == '__main__':\n    main()\n",
            "import torch_npu\nfrom torch_npu.contrib import transfer_to_npu\n"
            "from .trainer import main\nif __name__ == '__main__':\n    main()\n",
        ),
        Example(
            "import torch\nfor i in range(3):\n    pass\n",
            "import torch\nimport torch_npu\nfrom torch_npu.contrib import transfer_to_npu\n"
            "for i in range(3):\n    pass\n",
        ),
        Example(
            "import torch\nwith torch.no_grad():\n    for i in range(3):\n        pass\n",
            "import torch\nimport torch_npu\nfrom torch_npu.contrib import transfer_to_npu\n"
            "with torch.no_grad():\n    for i in range(3):\n        pass\n",
        ),
        Example(
            "import torch\nmodel = torch.load(p)\nmodel.eval()\n",
            "import torch\nimport torch_npu\nfrom torch_npu.contrib import transfer_to_npu\n"
            "model = torch.load(p)\nmodel.eval()\n",
        ),
        Example.unchanged(
            "import torch\ndef train():\n    model.eval()\nclass A:\n    for i in range(2):\n        pass\n"
        ),
        Example.unchanged("import json\nif __name__ == '__main__':\n    pass\n"),
        Example.unchanged(
            "import torch\nimport torch_npu\nfrom torch_npu.contrib import transfer_to_npu\n"
            "if __name__ == '__main__':\n    pass\n"
        ),
    )

    @on.string("__main__")
    def started(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        holder = parent_of(ref.node)
        if ref.text != "__main__" or holder is None or "__name__" not in text_of(holder):
            return
        if _uses_torch(ctx):
            yield from self._missing(ref.node, ctx)

    @on.imports("torch", "torch.**")
    def at_once(self, ref: ImportRef, ctx: Context) -> Iterator[Finding]:
        """A script without a test of its name: it trains where a module would define, or a command of the
        installed project starts it."""
        if b"__main__" in ctx.source.data or ref.binding.scope.id != ctx.source.root.id:
            return
        first = ctx.once("first import of torch", lambda: _first_import(ctx))
        if ref.statement.start_byte != first:
            return
        if acts_at_once(ctx.source) or is_started_by_command(ctx.source.path, ctx.project):
            yield from self._missing(ref.node, ctx)

    def _missing(self, node: Node, ctx: Context) -> Iterator[Finding]:
        if has_pair(ctx.source):
            return
        fix = self.fix(Applicability.SAFE, edits=[pair_edit(ctx.source)])
        yield self.report(node, "missing", Severity.ERROR, fix=fix)


def _first_import(ctx: Context) -> int:
    return min(item.statement.start_byte for item in ctx.source.names.imports_of("torch"))


def _uses_torch(ctx: Context) -> bool:
    """Whether a script uses torch, itself or by a module of the project."""
    if ctx.imports_module("torch"):
        return True
    path = ctx.source.path
    names = [item.target for item in ctx.source.names.imports]
    modules = {*names, *(name.rpartition(".")[0] or name for name in names)}
    return any(ctx.project.has_module(path, module) for module in modules)


class TransferOrder(AutomaticRule):
    """A name of torch is imported before transfer_to_npu.

    What it does: Reports names that transfer_to_npu replaces but that a script imports before it, directly or
    through a module of the project, and imports of transfer_to_npu that only the first process executes.

    Why it matters on the NPU: The name still refers to CUDA's function, which returns False or raises. Code
    below ``if __name__ == '__main__':`` or in a function does not run in spawned processes.

    Example: ``from torch.cuda import is_available`` above the import of transfer_to_npu.

    Use instead: import transfer_to_npu first, at the top level.
    """

    code = "AUTO102"
    examples = (
        Example(
            "from torch.cuda import is_available\nimport torch_npu\n"
            "from torch_npu.contrib import transfer_to_npu\n"
        ),
        Example("from torch import zeros\nimport torch_npu\nfrom torch_npu.contrib import transfer_to_npu\n"),
        Example(
            "from torch.jit import script\nimport torch_npu\nfrom torch_npu.contrib import transfer_to_npu\n"
        ),
        Example(
            "import torch\nif __name__ == '__main__':\n    import torch_npu\n"
            "    from torch_npu.contrib import transfer_to_npu\n"
        ),
        Example.unchanged(
            "from torch import nn\nimport torch_npu\nfrom torch_npu.contrib import transfer_to_npu\n"
        ),
        Example.unchanged(
            "import torch\ntry:\n    from torch_npu.contrib import transfer_to_npu\n"
            "except ImportError:\n    pass\n"
        ),
    )

    @on.imports(_TRANSFER)
    def imported(self, ref: ImportRef, ctx: Context) -> Iterator[Finding]:
        replaced = patched_names(ctx.version)
        for binding in ctx.source.names.imports_of("torch"):
            if _is_before(binding, ref.binding) and _is_replaced(binding.target, replaced):
                yield self.report(binding.node, "early", Severity.ERROR, api=binding.target)
        yield from self._through_modules(ref.binding, replaced, ctx)
        if _is_run_once(ref.statement):
            yield self.report(ref.node, "once", Severity.ERROR)

    def _through_modules(
        self, transfer: Binding, replaced: frozenset[str], ctx: Context
    ) -> Iterator[Finding]:
        seen: set[str] = {ctx.source.path}
        for binding in ctx.source.names.imports:
            if binding.statement.start_byte >= transfer.statement.start_byte:
                continue
            early = _early_name(ctx.source.path, binding.target, replaced, seen, ctx)
            if early:
                yield self.report(
                    binding.node, "module", Severity.ERROR, module=text_of(binding.node), api=early
                )


def _early_name(importer: str, target: str, replaced: frozenset[str], seen: set[str], ctx: Context) -> str:
    """A replaced name that a module of the project, or one that it imports, binds; empty without one."""
    waiting = [(importer, target)]
    while waiting:
        checkpoint()
        path, name = waiting.pop()
        found = ctx.project.find_module(path, name) or ctx.project.find_module(path, _holder(name))
        if found is None or found[0] in seen:
            continue
        seen.add(found[0])
        module = SourceFile(found[1], found[0])
        for binding in module.names.imports_of("torch"):
            is_named = binding.statement.type == "import_from_statement"
            if is_named and _is_replaced(binding.target, replaced):
                return binding.target
        waiting.extend((found[0], binding.target) for binding in module.names.imports)
    return ""


def _holder(name: str) -> str:
    """The module that a name is imported from; for ``.name`` its package."""
    holder, dot, _ = name.rpartition(".")
    return holder if holder.strip(".") else f"{holder}{dot}"


def _is_before(binding: Binding, transfer: Binding) -> bool:
    is_named = binding.statement.type == "import_from_statement"
    return is_named and binding.statement.start_byte < transfer.statement.start_byte


def _is_replaced(name: str, replaced: frozenset[str]) -> bool:
    return name in replaced or name.startswith(_REBOUND)


def _is_run_once(statement: Node) -> bool:
    """Whether a statement is run by the process alone that the script was started in."""
    holder = parent_of(statement)
    while holder is not None:
        if holder.type == "function_definition":
            return True
        if holder.type == "if_statement" and "__name__" in text_of(holder.named_children[0]):
            return True
        holder = parent_of(holder)
    return False


class TransferTwice(NamedRule, AutomaticRule):
    """Code that names torch_npu is run with transfer_to_npu.

    What it does: Reports files that are migrated already: they use names below ``torch_npu.npu`` or
    ``torch.npu``, or move tensors with ``.npu()``.

    Why it matters on the NPU: Migrated code needs no replacement at run time. Using both is slower, and it is
    no longer clear which of the two a piece of code relies on.

    Example: ``torch_npu.npu.set_device(0)``.

    Use instead: one of the two approaches.
    """

    code = "AUTO103"
    examples = (
        Example("import torch\nimport torch_npu\ntorch_npu.npu.set_device(0)\n"),
        Example("import torch\nx = torch.ones(2).npu()\n"),
        Example.unchanged("import torch\nimport torch_npu\nx.npu = 1\n"),
    )

    @on.member("npu")
    def moved(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is not None and ctx.imports_module("torch"):
            yield self.report(
                ref.identifier, "twice", Severity.INFORMATION, api=f"{text_of(ref.identifier)}()"
            )
