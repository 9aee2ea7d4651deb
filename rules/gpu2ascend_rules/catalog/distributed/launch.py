"""NPU411 and NPU415: how the processes of a run come to be."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.context import Context
from ...engine.events import ImportRef, StringRef
from ...engine.rule import Example, Rule, on
from ...model.finding import Applicability, Finding, Severity
from ...renames.texts import literal_becomes
from ...text.syntax import is_field, last_name, passed_to

_STARTERS = frozenset({"set_start_method", "get_context", "start_processes"})
_WORKER_CONTEXT = "multiprocessing_context"


class ForkedProcess(Rule):
    """Processes are started with fork.

    What it does: Offers ``'spawn'`` instead of ``'fork'`` for start methods, contexts and the worker
    processes of data loaders, in files that use torch.

    Why it matters on the NPU: A process that is forked after its parent has used the NPU cannot use it: it
    raises "Cannot re-initialize NPU in forked subprocess".

    Example: ``torch.multiprocessing.set_start_method('fork')``.

    Use instead: ``'spawn'``, and a ``__main__`` guard in the script. Workers that never use the NPU can still
    be forked.
    """

    code = "NPU411"
    only_with = "torch"
    examples = (
        Example(
            "import torch.multiprocessing as mp\nmp.set_start_method('fork', force=True)\n",
            unsafe="import torch.multiprocessing as mp\nmp.set_start_method('spawn', force=True)\n",
        ),
        Example(
            'import torch\nimport multiprocessing\nctx = multiprocessing.get_context(method="fork")\n',
            unsafe="import torch\nimport multiprocessing\n"
            'ctx = multiprocessing.get_context(method="spawn")\n',
        ),
        Example(
            "from torch.utils.data import DataLoader\nl = DataLoader(d, multiprocessing_context='fork')\n",
            unsafe="from torch.utils.data import DataLoader\n"
            "l = DataLoader(d, multiprocessing_context='spawn')\n",
        ),
        Example.unchanged("import torch.multiprocessing as mp\nmp.set_start_method('spawn')\n"),
        Example.unchanged("import multiprocessing\nmultiprocessing.set_start_method('fork')\n"),
        Example.unchanged("import torch\nrun('fork')\nkind = 'fork'\n"),
    )

    @on.string("fork")
    def text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        passed = passed_to(ref.node) if ref.text == "fork" else None
        if passed is None or not ctx.imports_module("torch"):
            return
        if last_name(passed.call) not in _STARTERS and passed.argument.keyword != _WORKER_CONTEXT:
            return
        fix = self.fix(Applicability.UNSAFE, edits=literal_becomes(ref.node, "spawn") or ())
        yield self.report(ref.node, "fork", Severity.INFORMATION, fix=fix)


class MegatronAdaptor(Rule):
    """Megatron is imported without the adaptor for Ascend devices.

    What it does: Recommends MindSpeed in scripts that import ``megatron``, and where Megatron's training is
    imported.

    Why it matters on the NPU: Megatron's fused kernels and its default back end, nccl, are for CUDA devices.
    Porting Megatron itself is a lot of work.

    Example: ``from megatron.training import pretrain``.

    Use instead: ``import mindspeed.megatron_adaptor`` right after ``import torch`` in the entry script.
    """

    code = "NPU415"
    examples = (
        Example("import torch\nfrom megatron.training import pretrain\n"),
        Example.unchanged(
            "import torch\nimport mindspeed.megatron_adaptor\nfrom megatron.training import pretrain\n"
        ),
        Example("import torch\nimport megatron\nif __name__ == '__main__':\n    main()\n"),
        Example.unchanged("import torch\nfrom .megatron import pretrain\n"),
        Example.unchanged("import torch\nfrom megatron.core import parallel_state\n"),
    )

    @on.imports("megatron.**")
    def imported(self, ref: ImportRef, ctx: Context) -> Iterator[Finding]:
        if ctx.imports_module("mindspeed") or ctx.project.has_module(ctx.source.path, "megatron"):
            return
        first = next(item for item in ctx.source.names.imports if item.target.partition(".")[0] == "megatron")
        is_entry = ref.name.startswith("megatron.training") or bool(ctx.source.occurrences("__main__"))
        if is_entry and ref.node.start_byte == first.node.start_byte and not is_field(ref.node, "alias"):
            yield self.report(ref.statement, "adaptor", Severity.HINT)
