"""NPU0xx: PyTorch APIs that the chosen version does not support on the chosen hardware.

What the public support lists say, at the place where the API is used. A name that no list has is
*unknown*, which is not unsupported: it is reported only on request. Names below ``torch.cuda`` have rules of
their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import MemberRef, NameRef
from ...engine.registry import has_specific_rule, members_with_rules
from ...engine.rule import Example, Rule, on
from ...engine.support_listed import is_left_to_others, listed_api
from ...facts import SupportStatus
from ...facts.releases.device_free import is_device_free
from ...facts.reliability import Reliability, is_listed_indirectly, reliability_of, surely_falls_back
from ...limits.parents import parent_of, parent_type
from ...model.finding import Finding, Fix, Severity
from ...receivers.listed_members import ListedMember, member_of
from ...receivers.residence import call_computes_on_cpu, of_device_calls, of_device_members
from ...similar.replacements import is_kept_for_scripting, method_fix, replacement_fix
from ...text.names import Certainty
from ...text.syntax import enclosing, is_base_class, is_field, is_type_test

_COLLECTIONS = frozenset({"tuple", "list", "set", "parenthesized_expression"})


class UnsupportedApi(Rule):
    """An API is used that the NPU does not support.

    What it does: Looks up every name below ``torch`` that the file uses, and every method of an object that
    is certainly a tensor, a module or another PyTorch object, in the support list of the chosen PyTorch
    version and hardware, and reports those that the list marks as unsupported. Nothing is reported if there
    is more evidence against the list than for it: torch_npu registers the kernels behind the API, another
    list of the version supports it, or the lists of both earlier and later versions do. An API that touches
    no device, such as ``torch.compiler.disable``, and a call that computes on the CPU, such as in a data
    set or in the constructor of a module, are not reported.

    Why it matters on the NPU: The call raises, or the class cannot be used on the device.

    Example: ``torch.nn.MaxPool3d(2)``.

    Use instead: an API that the list supports. `gpu2ascend explain` shows the versions that support it. If
    there is an equivalent in ``ascend_function``, it is offered, and used with ``--similar``.
    """

    code = "NPU001"
    fails = frozenset({"unsupported", "unsupported_use", "scripted"})
    examples = (
        Example("import torch.nn as nn\nlayer = nn.MaxPool3d(2)\n"),
        Example("from torch.nn import MaxPool3d as U\nclass A(U):\n    pass\n"),
        Example("import torch.nn as nn\nkinds = {'max': nn.MaxPool3d}\n"),
        Example.unchanged(
            "import torch.nn as nn\ncounts = {nn.MaxPool3d: f, nn.Conv2d: g}\n"
            "def count(m):\n    return type(m) in (nn.MaxPool3d, nn.Conv2d) or type(m) is nn.MaxPool3d\n"
        ),
        Example(
            "import torch.nn as nn\nlayer = nn.Conv3d(1, 1, 3)\nis_wide = type(layer) is nn.Conv3d\n",
            "import torch.nn as nn\nfrom ascend_function import similar_api\n"
            "layer = similar_api.Conv3d(1, 1, 3)\nis_wide = type(layer) is similar_api.Conv3d\n",
            version="2.3.1",
            settings=(("replace_unsupported", True),),
        ),
        Example("import torch\ndef f(x: torch.Tensor):\n    return x.to_dense()\n"),
        Example.unchanged("import torch\ndef f(x):\n    return x.to_dense()\n"),
        Example.unchanged("import torch\ny = torch.sum(x)\n", version="2.0.1"),
        Example.unchanged("import torch.nn as nn\ndef f(pool: nn.MaxPool3d | None) -> nn.RReLU: ...\n"),
        Example.unchanged("import torch.nn as nn\nlayer = nn.Linear(1, 1)\nx = layer.MaxPool3d\n"),
        Example.unchanged("import torch\ntorch.no_such_thing(1)\n"),
        Example.unchanged("import torch\nf = torch.compiler.disable(f)\nx = torch.fft.rfftfreq(10)\n"),
        Example("import torch\nx = torch.fft.rfftfreq(10, device=device)\n"),
        Example.unchanged("from torch import nn\nPOOLS = (nn.MaxPool1d, nn.MaxPool3d)\n"),
        Example.unchanged("from torch import nn\nhas_state = isinstance(m, (nn.LSTM, nn.RNN))\n"),
        Example(
            "try:\n    from torch.nn import MaxPool3d as P\nexcept ImportError:\n    from others import P\n"
            "pool = P(2)\n"
        ),
    )

    @on.support_listed_name("unsupported")
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        api = listed_api(ref, ctx.facts)
        if api is None:
            return
        if _is_only_named(api.node) and api.name != "torch.nn.SyncBatchNorm":
            return
        if call_computes_on_cpu(ref, ctx):
            return
        if ref.certainty is Certainty.AMBIGUOUS:
            if not _is_listed(api.node):
                yield self._perhaps(api.name, api.node, ctx)
            return
        fix = replacement_fix(api.name, api.node, ctx)
        if fix is None and _is_compared(api.node):
            return
        if fix is None and _is_listed(api.node) and not reliability_of(api.name, ctx.facts).is_sure:
            return
        yield from self.found_at(api.name, api.node, ctx, fix)

    @on.support_listed_member("unsupported")
    def member(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        found = listed_member(ref, ctx)
        if found is not None and found.status is SupportStatus.UNSUPPORTED:
            fix = method_fix(found.api, ref.receiver, ref.call, ctx) if ref.call is not None else None
            yield from of_device_members(self.found_at(found.api, found.node, ctx, fix), ref, ctx)

    def _perhaps(self, api: str, node: Node, ctx: Context) -> Finding:
        """What there is to say where a name could be an unsupported API, or something else."""
        return self.report(
            node,
            "ambiguous",
            Severity.INFORMATION,
            api=api,
            kind="unknown",
            version=ctx.version,
            hardware=ctx.options.hardware.shown,
        )

    def found_at(self, api: str, node: Node, ctx: Context, fix: Fix | None = None) -> Iterator[Finding]:
        """What there is to say of an unsupported API at a node."""
        verdict = reliability_of(api, ctx.facts)
        is_kept = fix is None and is_kept_for_scripting(api, node, ctx)
        is_replaced = ctx.options.replace_unsupported and (fix is not None or is_kept)
        if not is_replaced and not _is_worth_reporting(verdict, fix, ctx):
            return
        yield self.report(
            node,
            "scripted" if is_kept else verdict.key,
            Severity.WARNING if verdict.is_sure else Severity.INFORMATION,
            fix=fix,
            api=api,
            kind="unknown" if verdict.key == "gap" else "unsupported",
            version=ctx.version,
            hardware=ctx.options.hardware.shown,
            **dict[str, Any](verdict.arguments),
        )


class CpuFallbackApi(Rule):
    """An API is used that may run on the CPU.

    What it does: Reports APIs that may fall back to the CPU according to the support list, unless torch_npu
    has kernels for them.

    Why it matters on the NPU: The result is correct, but every call copies the tensors to the CPU and back,
    which is slow inside a training loop.

    Example: ``torch.distributions.Gamma(a, b)``.

    Use instead: an API with its own kernel, or move the call out of the loop.
    """

    code = "NPU002"
    examples = (
        Example("import torch\nd = torch.distributions.gamma.Gamma(a, b)\n"),
        Example("import torch\nx = torch.ones(2)\nx.copysign(x)\n"),
        Example.unchanged("import torch\nx = torch.empty(2)\nx.bernoulli_(0.5)\n"),
        Example.unchanged("import torch\nx = torch.add(a, b)\n"),
        Example.unchanged("from torch.distributions import Gamma\ndef f(d: Gamma) -> None: ...\n"),
    )

    @on.support_listed_name("fallback_cpu")
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        api = listed_api(ref, ctx.facts)
        if api is None or ref.certainty is Certainty.AMBIGUOUS:
            return
        if _is_only_named(api.node) or _is_compared(api.node):
            return
        yield from of_device_calls(self.found_at(api.name, api.node, ctx), ref, ctx)

    @on.support_listed_member("fallback_cpu")
    def member(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        found = listed_member(ref, ctx)
        if found is not None and found.status is SupportStatus.FALLBACK_CPU:
            yield from of_device_members(self.found_at(found.api, found.node, ctx), ref, ctx)

    def found_at(self, api: str, node: Node, ctx: Context) -> Iterator[Finding]:
        """What there is to say, at a node, of an API that may run on the CPU."""
        if not surely_falls_back(api, ctx.facts):
            return
        yield self.report(
            node,
            "fallback",
            Severity.INFORMATION,
            api=api,
            version=ctx.version,
            hardware=ctx.options.hardware.shown,
        )


class UnknownApi(Rule):
    """An API is used that no list mentions and torch_npu has no kernel for.

    What it does: Only with the option ``--unknown-apis``, and in the report of a migration: looks up
    functions, classes and methods below ``torch`` that are called and that no support list mentions. It
    reports those whose operator has no kernel in torch_npu, those of sparse tensors, and those that the list
    mentions for other hardware only. APIs that consist of operators with kernels are not reported.

    Why it matters on the NPU: An operator without a kernel runs on the CPU, with copies to the CPU and back
    at every call.

    Example: ``torch.linalg.eigh(x)``.

    Use instead: an API that has kernels, or move the call out of the loop.
    """

    code = "NPU003"
    examples = (
        Example("import torch\ntorch.linalg.eigh(x)\n", settings=(("unknown_apis", True),)),
        Example("import torch\ntorch.sparse.softmax(x, 1)\n", settings=(("unknown_apis", True),)),
        Example(
            "import torch\nlayer = torch.nn.Linear(2, 3)\n",
            version="2.7.1",
            settings=(("unknown_apis", True), ("hardware", "950DT")),
        ),
        Example.unchanged("import torch\ntorch.linalg.eigh(x)\n"),
        Example.unchanged("import torch\ntorch.add(1, 1)\n"),
        Example.unchanged(
            "import torch\ntorch.LongTensor([1])\ntorch.Size([1])\ntorch.multiprocessing.Queue()\n"
            "torch.distributed.destroy_process_group()\ntorch.linalg.svd(x)\n",
            settings=(("unknown_apis", True),),
        ),
    )

    @on.support_listed_name("unknown")
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if (ref.call is None and not is_base_class(ref.node)) or "._" in ref.name:
            return
        if is_left_to_others(ref.name) or _runs_no_kernel(ref.name):
            return
        if not is_listed_indirectly(ref.name, ctx.facts):
            yield from of_device_calls(self._found_at(ref.name, ref.node, ctx), ref, ctx)

    @on.support_listed_member("unknown")
    def member(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        found = listed_member(ref, ctx) if ref.call is not None else None
        is_unknown = found is not None and found.status is SupportStatus.UNKNOWN
        if found is not None and is_unknown and not _runs_no_kernel(found.api):
            yield from of_device_members(self._found_at(found.api, found.node, ctx), ref, ctx)

    def _found_at(self, api: str, node: Node, ctx: Context) -> Iterator[Finding]:
        arguments: dict[str, Any] = {}
        kernels = ctx.facts.kernels_behind(api)
        if ctx.facts.row(api) is not None:  # for other hardware than this
            key, arguments["hardware"] = "elsewhere", ctx.options.hardware.shown
        elif kernels is not None and kernels.missing:
            key, arguments["operator"] = "on_cpu", kernels.missing[0]
        elif api.startswith("torch.sparse.") or api in _OF_SPARSE_TENSORS:
            key = "unknown"
        else:
            return
        yield self.report(
            node, key, Severity.INFORMATION, api=api, kind="unknown", version=ctx.version, **arguments
        )


def listed_member(ref: MemberRef, ctx: Context) -> ListedMember | None:
    """The API that an attribute is, unless a rule of another family speaks of it."""
    if ref.name in members_with_rules():
        return None
    found = member_of(ref, ctx)
    return None if found is None or has_specific_rule(found.api) else found


def _is_worth_reporting(verdict: Reliability, fix: Fix | None, ctx: Context) -> bool:
    """Whether there is something to do about an API that a list calls unsupported. An equivalent of it can be
    taken also where the list may be wrong."""
    if verdict.key == "slip" or (verdict.is_refuted and fix is None):
        return False
    return verdict.key != "gap" or ctx.options.unknown_apis


_OF_SPARSE_TENSORS = frozenset(
    f"torch.Tensor.{name}"
    for name in (
        "ccol_indices", "coalesce", "col_indices", "crow_indices", "indices", "row_indices", "sparse_mask",
        "sparse_resize_", "sparse_resize_and_clear_", "to_dense", "to_sparse_bsc", "to_sparse_bsr",
        "to_sparse_coo", "to_sparse_csc", "to_sparse_csr", "values",
    )
)  # fmt: skip
_OF_PROVEN_TENSORS = frozenset({"to_sparse", "to_sparse_csr", "to_sparse_coo"})
"""Members of which another rule speaks where the receiver is a tensor, and nobody where it is unproven."""
_NEVER_GUESSED = frozenset({"torch.jit.ScriptModule"})
"""Classes whose instances are too rare for an unresolved receiver to be worth a thought."""


def prospects(ref: MemberRef, ctx: Context) -> Iterator[tuple[str, Finding]]:
    """The findings that a member would make, by the class that its receiver would have to be of."""
    if ref.name in members_with_rules() - _OF_PROVEN_TENSORS:
        return
    for rule, status in (
        (UnsupportedApi(), SupportStatus.UNSUPPORTED),
        (CpuFallbackApi(), SupportStatus.FALLBACK_CPU),
    ):
        for api in ctx.facts.members_with(status):
            owner, _, member = api.rpartition(".")
            if member != ref.name or owner in _NEVER_GUESSED or has_specific_rule(api):
                continue
            yield from ((owner, finding) for finding in rule.found_at(api, ref.identifier, ctx))


def _is_only_named(node: Node) -> bool:
    """Whether a class is only asked for, by ``isinstance`` or an annotation: that runs nothing of it."""
    return is_type_test(node) or enclosing(node, "type") is not None


def _is_compared(node: Node) -> bool:
    """Whether a class is compared with that of an object, or a key by it: that runs nothing of it either,
    but must name the class that takes its place."""
    outer, parent = node, parent_of(node)
    if parent is not None and parent.type == "pair":
        return is_field(outer, "key")
    while parent is not None and parent.type in _COLLECTIONS:
        outer, parent = parent, parent_of(parent)
    return parent is not None and parent.type == "comparison_operator"


def _is_listed(node: Node) -> bool:
    """Whether a class is one of several in a table, whose use is elsewhere: mostly a test of a type."""
    return parent_type(node) in ("tuple", "list", "set")


def _runs_no_kernel(name: str) -> bool:
    """Whether a name means something of the CPU's own; ``torch.LongTensor`` makes CPU tensors."""
    is_legacy_type = name.endswith("Tensor") and name.count(".") == 1
    return is_legacy_type or name == "torch.Tensor.pin_memory" or is_device_free(name)
