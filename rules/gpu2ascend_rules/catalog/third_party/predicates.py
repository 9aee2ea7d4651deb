"""NPU707: what libraries say of the machine, where they have another answer for the NPU."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...edits.removal import imported_name_removal
from ...engine.context import Context
from ...engine.events import ImportRef, NameRef
from ...engine.rule import Example, Rule, on, replace
from ...facts.packages.predicates import Asks, Predicate, predicate
from ...flow.guards.cuda_guards import Guard, guard_of
from ...model.finding import Applicability, Finding, Fix, Severity
from ...renames.qualified_names import is_handed_on, moved_import
from ...text.scopes import Binding
from ...text.syntax import call_of, chain_from_root, field

_ASKED = "torch_npu.npu.is_bf16_supported"
_LIBRARIES = ("accelerate.**", "transformers.**", "vllm.platforms.**")


class LibraryPredicate(Rule):
    """A library is asked for CUDA.

    What it does: Finds ``is_torch_cuda_available`` of transformers, ``is_cuda_available`` and
    ``DistributedType.MULTI_GPU`` of accelerate, and puts the library's own name for the NPU in their place;
    ``current_platform.is_cuda()`` of vLLM becomes ``is_out_of_tree()``, if you choose so.
    Where the file asks for the NPU as well, or the question decides over CUDA kernels alone, it stays.
    ``is_torch_bf16_gpu_available`` of transformers knows NPUs in recent releases only: torch_npu is asked.

    Why it matters on the NPU: The answer is false there, whatever devices a migration writes behind it: the
    program silently runs on the CPU, in one process or without bfloat16.

    Example: ``device = "cuda" if is_torch_cuda_available() else "cpu"``.

    Use instead: ``is_torch_npu_available``, ``is_npu_available``, ``DistributedType.MULTI_NPU``.
    """

    code = "NPU707"
    fails = frozenset({"false"})
    examples = (
        Example(
            "from transformers.utils import is_torch_cuda_available\nok = is_torch_cuda_available()\n",
            "from transformers.utils import is_torch_npu_available\nok = is_torch_npu_available()\n",
        ),
        Example(
            "import accelerate\nif accelerate.utils.is_cuda_available():\n    f()\n",
            "import accelerate\nif accelerate.utils.is_npu_available():\n    f()\n",
        ),
        Example(
            "from accelerate import DistributedType\nmany = acc.kind == DistributedType.MULTI_GPU\n",
            "from accelerate import DistributedType\nmany = acc.kind == DistributedType.MULTI_NPU\n",
        ),
        Example(
            "from transformers.utils import is_torch_cuda_available as ok\n"
            "if ok():\n    import flash_attn\nelse:\n    x = 1\nif ok():\n    f()\n"
        ),
        Example(
            "from transformers.utils import is_torch_bf16_gpu_available\nb = is_torch_bf16_gpu_available()\n",
            "import torch_npu\nb = torch_npu.npu.is_bf16_supported()\n",
        ),
        Example(
            "from vllm.platforms import current_platform\nif current_platform.is_cuda():\n    f()\n",
            unsafe="from vllm.platforms import current_platform\n"
            "if current_platform.is_out_of_tree():\n    f()\n",
        ),
        Example.unchanged(
            "from transformers.utils import is_torch_cuda_available, is_torch_npu_available\n"
            "d = 'npu' if is_torch_npu_available() else 'cuda' if is_torch_cuda_available() else 'cpu'\n"
        ),
        Example.unchanged(
            "from accelerate.utils import is_cuda_available\nif is_cuda_available():\n    import cupy\n"
        ),
        Example.unchanged("def is_cuda_available(): ...\nok = is_cuda_available()\n"),
    )

    @on.imports(*_LIBRARIES)
    def imported(self, ref: ImportRef, ctx: Context) -> Iterator[Finding]:
        known = _asked(ref.name, ctx)
        if known is None:
            return
        deciding, kept = [], 0
        for use in ctx.source.names.references(ref.binding.name):
            if guard_of(chain_from_root(use).node, ctx) is Guard.CUDA_ONLY:
                kept += 1
            else:
                deciding.append(use)
        if not deciding:
            return
        if known.asks is Asks.BF16:
            removed = [] if kept or is_handed_on(ref.binding, ctx) else [ref.binding]
            yield self._recent(deciding, removed, ref.name, ctx)
            return
        module = ref.name.rpartition(".")[0]
        is_bound_again = len(ctx.source.names.bindings(ref.binding.name)) > 1
        keeps_name = is_bound_again or is_handed_on(ref.binding, ctx)
        edits = moved_import(ref.binding, module, known.instead, ctx, keeps_name=keeps_name)
        fix = self.fix(Applicability.SAFE, edits=edits) if edits and not kept else None
        yield self._false(deciding[0] if fix is None else ref.node, ref.name, known, fix)

    @on.name(*_LIBRARIES)
    def named(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        """A predicate, or a member of an enum, that is read from what a file imports."""
        known = _asked(ref.name, ctx)
        name = field(ref.node, "attribute")
        if known is None or name is None or ref.name == ref.root_name:
            return
        if guard_of(ref.node, ctx) is Guard.CUDA_ONLY:
            return
        if known.asks is Asks.BF16:
            if call_of(ref.node) is not None:
                yield self._recent([ref.node], [], ref.name, ctx)
            return
        is_of_plugin = known.library == "vllm"  # what it decides over may be written for CUDA itself
        applicability = Applicability.UNSAFE if is_of_plugin else Applicability.SAFE
        fix = self.fix(applicability, edits=[replace(name, known.instead)])
        yield self._false(ref.node, ref.name, known, fix)

    def _recent(self, uses: list[Node], unused: list[Binding], api: str, ctx: Context) -> Finding:
        """A question that old releases of a library do not ask the NPU: torch_npu answers it itself."""
        edits = [replace(use, ctx.spell(_ASKED)) for use in uses]
        edits += [imported_name_removal(ctx.source, item) for item in unused]
        fix = self.fix(Applicability.SAFE, edits=edits, requires=ctx.requires(_ASKED))
        is_there = ctx.facts.npu_name_exists(_ASKED)
        return self.report(uses[0], "recent", Severity.WARNING, fix=fix if is_there else None, api=api)

    def _false(self, node: Node, api: str, known: Predicate, fix: Fix | None) -> Finding:
        return self.report(node, "false", Severity.WARNING, fix=fix, api=api, instead=known.instead)


def _asked(name: str, ctx: Context) -> Predicate | None:
    """What a name asks for that has another answer for the NPU, in a file that does not ask for that too."""
    known = predicate(name)
    if known is None or known.asks not in (Asks.CUDA, Asks.MEMBER, Asks.BF16):
        return None
    if ctx.project.has_module(ctx.source.path, name.partition(".")[0]):
        return None
    asks_beside = bool(known.instead) and any(ctx.source.identifiers(known.instead))
    return None if asks_beside else known
