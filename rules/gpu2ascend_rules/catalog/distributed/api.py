"""NPU403 to NPU405: names of torch.distributed that exist for NCCL alone."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import ImportRef, NameRef, StringRef
from ...engine.rule import Example, Rule, on, replace
from ...flow.subjects.backends import has_hccl_branch
from ...limits.parents import parent_of
from ...model.finding import Applicability, Edit, Finding, Fix, Requirement, Severity
from ...model.versions import Version
from ...renames.qualified_names import Renaming, changes_with_import, name_becomes
from ...renames.texts import word_becomes
from ...text.syntax import arguments_of, field, last_name, passed_to

_DISTRIBUTED = "torch.distributed"
_C10D = f"{_DISTRIBUTED}.distributed_c10d"
_AVAILABLE = "is_nccl_available"
_PATCHES = frozenset({"patch", "setattr", "getattr", "resolve_name"})
_OPTIONS_SINCE = Version(2, 1)
_PROCESS_GROUP = "torch_npu._C._distributed_c10d.ProcessGroupHCCL"


class NcclMember(Rule):
    """Backend.NCCL of torch.distributed is used.

    What it does: Replaces it with the string ``'hccl'``; the members of the class are strings.

    Why it matters on the NPU: The back end of the process group is ``'hccl'``: the group cannot be created,
    or the comparison is silently false.

    Example: ``backend == dist.Backend.NCCL`` becomes ``backend == 'hccl'``.

    Use instead: ``'hccl'``.
    """

    code = "NPU403"
    examples = (
        Example(
            "import torch.distributed as dist\nif dist.get_backend() == dist.Backend.NCCL:\n    pass\n",
            "import torch.distributed as dist\nimport torch_npu\nif dist.get_backend() == 'hccl':\n"
            "    pass\n",
        ),
        Example(
            "from torch.distributed import Backend\nstart(Backend.NCCL)\n",
            "from torch.distributed import Backend\nimport torch_npu\nstart('hccl')\n",
        ),
        Example(
            "import torch\nb = torch.distributed.distributed_c10d.Backend.NCCL\n",
            "import torch\nb = 'hccl'\n",
            version="1.5.0",
        ),
        Example.unchanged(
            "import torch.distributed as dist\nfrom utils import Backend\nb = Backend.NCCL\n"
            "c = dist.Backend.GLOO\nif b == 'hccl':\n    pass\nelif b == dist.Backend.NCCL:\n    pass\n"
        ),
    )

    @on.name("torch.distributed.Backend.NCCL", f"{_C10D}.Backend.NCCL")
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if has_hccl_branch(ref.node, ctx):
            return
        edit = replace(ref.node, ctx.quoted("hccl", ref.node))
        fix = self.fix(Applicability.SAFE, edits=[edit], requires=ctx.names_the_npu)
        yield self.report(ref.node, "member", Severity.WARNING, fix=fix, api=ref.name)


class NcclAvailable(Rule):
    """torch.distributed is asked whether NCCL is available.

    What it does: Asks for HCCL instead, in calls, references and imports.

    Why it matters on the NPU: ``is_nccl_available()`` is False on the NPU, so the program silently uses gloo,
    and its tensors on the NPU fail in the first collective.

    Example: ``'nccl' if dist.is_nccl_available() else 'gloo'``.

    Use instead: ``torch.distributed.is_hccl_available()``, which torch_npu adds.
    """

    code = "NPU404"
    examples = (
        Example(
            "import torch.distributed as dist\nok = dist.is_nccl_available()\n",
            "import torch.distributed as dist\nimport torch_npu\nok = dist.is_hccl_available()\n",
        ),
        Example(
            "import torch\nprobe = torch.distributed.is_nccl_available\n",
            "import torch\nimport torch_npu\nprobe = torch.distributed.is_hccl_available\n",
            version="1.11.0",
        ),
        Example(
            "from torch.distributed import is_nccl_available\nok = is_nccl_available()\n",
            "from torch_npu.distributed import is_hccl_available\nok = is_hccl_available()\n",
        ),
        Example(
            "from torch.distributed import get_rank, is_nccl_available as ready\nok = ready()\n",
            "from torch.distributed import get_rank\n"
            "from torch_npu.distributed import is_hccl_available as ready\nok = ready()\n",
        ),
        Example(
            "from torch.distributed import (\n    is_nccl_available,\n    get_rank,\n)\n"
            "ok = is_nccl_available()\n",
            "from torch.distributed import (\n    get_rank,\n)\n"
            "from torch_npu.distributed import is_hccl_available\nok = is_hccl_available()\n",
        ),
        Example(
            "import torch.distributed as dist\n@patch('torch.distributed.is_nccl_available')\n"
            "def test(m): ...\n"
            "ask = getattr(dist, 'is_nccl_available')\n",
            "import torch.distributed as dist\nimport torch_npu\n"
            "@patch('torch.distributed.is_hccl_available')\ndef test(m): ...\n"
            "ask = getattr(dist, 'is_hccl_available')\n",
        ),
        Example("import torch.distributed as dist\nok = dist.is_nccl_available()\n", version="1.8.1"),
        Example.unchanged(
            "import torch.distributed as dist\nok = dist.is_available() and dist.is_gloo_available()\n"
            "print('is_nccl_available')\nx = getattr(args, 'is_nccl_available')\n"
        ),
    )

    @on.name("torch.distributed.is_nccl_available", f"{_C10D}.is_nccl_available")
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if changes_with_import(ref):
            return
        target = "torch.distributed.is_hccl_available"
        fix = None
        if ctx.facts.npu_name_exists(target):
            renaming = name_becomes(ref, target, ctx)
            identifier, owner = field(ref.node, "attribute"), field(ref.node, "object")
            # torch_npu adds the function to torch.distributed alone.
            if identifier is not None and ctx.source.names.name_of(owner) == _DISTRIBUTED:
                renaming = Renaming((replace(identifier, "is_hccl_available"),))
            requires = renaming.requires | ctx.names_the_npu
            fix = self.fix(Applicability.SAFE, edits=renaming.edits, requires=requires)
        yield self._finding(ref.node, ref.name, fix, target, ctx)

    @on.imports("torch.distributed.is_nccl_available", f"{_C10D}.is_nccl_available")
    def imported(self, ref: ImportRef, ctx: Context) -> Iterator[Finding]:
        target = "torch_npu.distributed.is_hccl_available"
        fix = None
        # The function of torch.distributed itself is only there once torch_npu has been imported.
        if ctx.facts.npu_name_exists("torch.distributed.is_hccl_available"):
            renaming = name_becomes(ref, target, ctx)
            fix = self.fix(Applicability.SAFE, edits=renaming.edits) if renaming is not None else None
        yield self._finding(ref.node, ref.name, fix, target, ctx)

    @on.string("nccl")
    def named(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        """``getattr(dist, 'is_nccl_available')``, and the dotted name where a test patches it."""
        passed = passed_to(ref.node) if ref.text.endswith(_AVAILABLE) else None
        if passed is None:
            return
        owner = arguments_of(passed.call).at(0)
        of_torch = owner is not None and ctx.source.names.name_of(owner.value) == _DISTRIBUTED
        is_dotted = ref.text == f"torch.distributed.{_AVAILABLE}" and last_name(passed.call) in _PATCHES
        if not is_dotted and not (ref.text == _AVAILABLE and of_torch):
            return
        target = "torch.distributed.is_hccl_available"
        fix = None
        if ctx.facts.npu_name_exists(target):
            edits = word_becomes(ref.node, "nccl", "hccl", len(ref.text) - len("nccl_available"))
            fix = self.fix(Applicability.SAFE, edits=edits or (), requires=ctx.names_the_npu)
        yield self._finding(ref.node, "torch.distributed.is_nccl_available", fix, target, ctx)

    def _finding(self, node: Node, api: str, fix: Fix | None, target: str, ctx: Context) -> Finding:
        if fix is None:
            return self.report(node, "none", Severity.ERROR, api=api, version=ctx.version)
        return self.report(node, "false", Severity.WARNING, fix=fix, api=api, target=target)


class NcclProcessGroup(Rule):
    """The class of NCCL's process groups is used.

    What it does: Offers the class of HCCL's process groups. The arguments of its ``Options`` are removed,
    because they mean nothing to HCCL.

    Why it matters on the NPU: A build of torch without NCCL does not have the class, and HCCL does not accept
    NCCL's options.

    Example: ``pg_options=dist.ProcessGroupNCCL.Options(is_high_priority_stream=True)``.

    Use instead: ``torch_npu._C._distributed_c10d.ProcessGroupHCCL.Options()``, whose ``hccl_config`` is set
    afterwards; or no options at all.
    """

    code = "NPU405"
    fails = frozenset({"class"})
    examples = (
        Example(
            "import torch.distributed as dist\n"
            "o = dist.ProcessGroupNCCL.Options(is_high_priority_stream=True)\n"
            "g = dist.new_group(pg_options=o)\n",
            unsafe="import torch.distributed as dist\nimport torch_npu\n"
            "o = torch_npu._C._distributed_c10d.ProcessGroupHCCL.Options()\n"
            "g = dist.new_group(pg_options=o)\n",
        ),
        Example(
            "from torch.distributed import ProcessGroupNCCL\nok = isinstance(g, ProcessGroupNCCL)\n",
            unsafe="from torch_npu._C._distributed_c10d import ProcessGroupHCCL\n"
            "ok = isinstance(g, ProcessGroupHCCL)\n",
        ),
        Example(
            "from torch._C._distributed_c10d import Store, ProcessGroupNCCL\n"
            "o = ProcessGroupNCCL.Options(True)\n",
            unsafe="from torch._C._distributed_c10d import Store\n"
            "from torch_npu._C._distributed_c10d import ProcessGroupHCCL\no = ProcessGroupHCCL.Options()\n",
        ),
        Example("import torch.distributed as dist\no = dist.ProcessGroupNCCL.Options()\n", version="1.11.0"),
        Example.unchanged("import torch.distributed as dist\ng = dist.ProcessGroupGloo(s, 0, 1)\n"),
    )

    @on.name(
        "torch.distributed.ProcessGroupNCCL",
        f"{_C10D}.ProcessGroupNCCL",
        "torch._C._distributed_c10d.ProcessGroupNCCL",
    )
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        edits = list(_without_arguments(ref))
        renaming = name_becomes(ref, _PROCESS_GROUP, ctx) if not changes_with_import(ref) else None
        if renaming is not None:
            yield self._finding(ref.node, ref.name, [*edits, *renaming.edits], renaming.requires, ctx)
        elif edits:
            yield self._finding(ref.node, ref.name, edits, frozenset(), ctx)

    @on.imports(
        "torch.distributed.ProcessGroupNCCL",
        f"{_C10D}.ProcessGroupNCCL",
        "torch._C._distributed_c10d.ProcessGroupNCCL",
    )
    def imported(self, ref: ImportRef, ctx: Context) -> Iterator[Finding]:
        renaming = name_becomes(ref, _PROCESS_GROUP, ctx)
        edits = list(renaming.edits) if renaming is not None else None
        yield self._finding(ref.node, ref.name, edits, frozenset(), ctx)

    def _finding(
        self, node: Node, api: str, edits: list[Edit] | None, requires: frozenset[Requirement], ctx: Context
    ) -> Finding:
        if edits is None or ctx.version < _OPTIONS_SINCE:
            return self.report(node, "none", Severity.ERROR, api=api, version=ctx.version)
        fix = self.fix(Applicability.UNSAFE, edits=edits, requires=requires)
        return self.report(node, "class", Severity.WARNING, fix=fix, api=api, target=_PROCESS_GROUP)


def _without_arguments(ref: NameRef) -> Iterator[Edit]:
    """The edit that empties the call of ``ProcessGroupNCCL.Options(...)``."""
    if ref.rest[:1] != ("Options",):
        return
    call = parent_of(ref.chain.node)
    arguments = field(call, "arguments") if call is not None and call.type == "call" else None
    if arguments is not None and arguments.named_children:
        yield replace(arguments, "()")
