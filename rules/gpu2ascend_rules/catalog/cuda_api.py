"""NPU10x: names below ``torch.cuda``, where they are used."""

from __future__ import annotations

from collections.abc import Iterator

from ..context import Context
from ..events import NameRef
from ..finding import Applicability, Finding, Severity
from ..rule import Example, Family, Rule, on, replace
from ..support import Counterpart
from ..syntax import enclosing

CUDA = "torch.cuda"


class CudaNamespace(Rule):
    """A name below torch.cuda is used.

    What it does: Finds every use of a name below ``torch.cuda``, however the file spells it, and
    renames it to its counterpart below ``torch_npu.npu`` when the torch_npu of the chosen version has
    one. A name without a counterpart is reported.

    Why it matters on the NPU: The CPU build of torch that torch_npu runs on has ``torch.cuda``, but
    without a device behind it: most calls raise, and ``is_available()`` quietly answers False, so that
    the program trains on the CPU.

    Example: ``torch.cuda.empty_cache()`` becomes ``torch_npu.npu.empty_cache()``.

    Use instead: the same name below ``torch_npu.npu`` (``torch.npu`` is the same object).
    """

    code = "NPU101"
    name = "cuda-namespace"
    family = Family.CUDA_API
    examples = (
        Example(
            "import torch as th\nth.cuda.empty_cache()\n",
            "import torch as th\nimport torch_npu\ntorch_npu.npu.empty_cache()\n",
        ),
        Example(
            "import torch\nsync = torch.cuda.synchronize\nsync()\n",
            "import torch\nimport torch_npu\nsync = torch_npu.npu.synchronize\nsync()\n",
        ),
        Example("import torch\ntorch.cuda.comm.broadcast(x, [0, 1])\n", manual=True),
        Example.unchanged("import torch\nargs.cuda = True\nargs.cuda.empty_cache()\n"),
        Example.unchanged("def f(torch):\n    torch.cuda.empty_cache()\n"),
    )

    @on.name("torch.cuda.**")
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if is_carried_by_its_binding(ref, ctx) or is_bare_namespace(ref):
            return
        counterpart = ctx.facts.npu_counterpart(ref.name)
        if counterpart is None or counterpart.relation == "similar":
            yield self._without_counterpart(ref, ctx)
        else:
            yield self._renamed(ref, counterpart, ctx)

    def _renamed(self, ref: NameRef, counterpart: Counterpart, ctx: Context) -> Finding:
        target = counterpart.name
        fix = self.fix(
            Applicability.SAFE,
            edits=[replace(ref.node, ctx.spell(target))],
            requires=ctx.requires(target),
        )
        return self.report(
            ref.node, "renamed", Severity.WARNING, fix=fix, api=ref.name, target=target
        )

    def _without_counterpart(self, ref: NameRef, ctx: Context) -> Finding:
        later = ctx.facts.first_version_with("torch_npu.npu" + ref.name.removeprefix(CUDA))
        if later is not None and later > ctx.version:
            return self.report(
                ref.node, "later", Severity.ERROR, api=ref.name, kind="unsupported",
                version=ctx.version, later=later,
            )
        return self.report(
            ref.node, "none", Severity.ERROR, api=ref.name, kind="unsupported", version=ctx.version
        )


def is_bare_namespace(ref: NameRef) -> bool:
    """Whether the reference is the module ``torch.cuda`` itself inside an import statement."""
    return enclosing(ref.node, "import_statement", "import_from_statement") is not None


def is_carried_by_its_binding(ref: NameRef, ctx: Context) -> bool:
    """Whether the change of what binds the root makes this use right without an edit of its own.

    After ``from torch_npu.npu import amp`` the text ``amp.autocast`` means the NPU's; after
    ``tc = torch_npu.npu`` so does ``tc.empty_cache``.
    """
    if ref.binding is None or not ref.root_name.startswith(CUDA):
        return False
    whole, root = ctx.facts.npu_counterpart(ref.name), ctx.facts.npu_counterpart(ref.root_name)
    if whole is None or root is None:
        return False
    below = ref.name.removeprefix(ref.root_name)
    return whole.name == root.name + below and "similar" not in (whole.relation, root.relation)
