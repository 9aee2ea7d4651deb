"""NPU12x: tensors whose layout, kind or memory the NPU treats differently."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ....engine.context import Context
from ....engine.events import MemberRef, NameRef, Outline
from ....engine.rule import Example, Rule, on
from ....facts import SupportStatus
from ....inference.kinds import Kind
from ....limits.parents import parent_of
from ....model.finding import Finding, Severity
from ....receivers.listed_members import is_on_tensor
from ....receivers.residence import Residence, is_on_cpu, placed_by
from ....renames.named_rule import NamedRule
from ....text.syntax import arguments_of, field, text_of

_MAKING = re.compile(rb"\b(?:as_)?tensor\b")


class ChannelsLast(NamedRule):
    """A channels-last memory format is requested.

    What it does: Offers ``torch.contiguous_format`` instead.

    Why it matters on the NPU: NPU operators do not support channels-last tensors; the format is ignored,
    causes conversions, or raises.

    Example: ``model.to(memory_format=torch.channels_last)``.

    Use instead: ``torch.contiguous_format``, which is also the default.
    """

    code = "NPU120"
    examples = (
        Example(
            "import torch\nmodel = model.to(memory_format=torch.channels_last)\n",
            unsafe="import torch\nmodel = model.to(memory_format=torch.contiguous_format)\n",
        ),
        Example.unchanged("import torch\nx = x.contiguous(memory_format=torch.contiguous_format)\n"),
    )


class ExactGelu(Rule):
    """The exact form of GELU is requested explicitly.

    What it does: Reports ``approximate='none'``.

    Why it matters on the NPU: The native GELU computes the tanh form on the NPU whatever the argument says,
    which changes the last digits.

    Example: ``F.gelu(x, approximate='none')``.

    Use instead: ``torch_npu.npu_gelu(x, approximate='none')`` if the exact form matters.
    """

    code = "NPU121"
    examples = (
        Example("import torch.nn.functional as F\ny = F.gelu(x, approximate='none')\n"),
        Example("import torch\ny = torch.nn.GELU('none')\n"),
        Example.unchanged(
            "import torch.nn.functional as F\ny = F.gelu(x)\nz = F.gelu(x, approximate='tanh')\n"
        ),
    )

    @on.name("torch.nn.functional.gelu", "torch.nn.GELU", needs="none")
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        position = 0 if ref.name.endswith("GELU") else 1
        given = ref.arguments.get("approximate", position)
        if given is None or ctx.source.text_of(given.value).strip("'\"") != "none":
            return
        yield self.report(ref.node, "tanh", Severity.HINT, api=ref.name)


class UnsupportedTensorKind(NamedRule):
    """A kind of tensor is created that the NPU does not support.

    What it does: Reports sparse and quantized tensors, named tensors, DLPack exchange, and device memory that
    is shared between processes.

    Why it matters on the NPU: Such tensors do not exist on the device; creating one there, or moving one
    there, raises.

    Example: ``torch.sparse_coo_tensor(indices, values)``.

    Use instead: keep them on the CPU, or use dense tensors.
    """

    code = "NPU122"
    only_with = "torch"
    examples = (
        Example("import torch\ns = torch.sparse_coo_tensor(i, v, device='cuda')\n"),
        Example("import torch\ni = torch.ones(2).cpu()\ns = torch.sparse_coo_tensor(i, v).cuda()\n"),
        Example("import torch\nx = torch.ones(2).to_sparse()\n"),
        Example("import torch\ndef f(x: torch.Tensor):\n    return x.to_sparse()\n"),
        Example("import torch\nx = torch.ones(2).cpu().to_sparse()\n"),
        Example("import torch\nx = torch.zeros(2, 3, names=('N', 'C'))\n"),
        Example("import torch\nx = torch.utils.dlpack.from_dlpack(c)\n"),
        Example.unchanged("import torch\nx = torch.from_dlpack(matches.numpy()).to(device)\n"),
        Example.unchanged(
            "import numpy as np, torch\nx = torch.utils.dlpack.from_dlpack(np.asarray(values))\n"
        ),
        Example("import torch\nx = torch.ones(2, device='npu').share_memory_()\n"),
        Example("import torch\nq = torch.quantize_per_tensor(x, 0.1, 0, torch.qint8)\n"),
        Example.unchanged("import torch\nx = torch.zeros(2, 3).share_memory_()\ndf.to_sparse()\n"),
    )

    @on.name(
        "torch.sparse_coo_tensor",
        "torch.sparse_csr_tensor",
        "torch.sparse_csc_tensor",
        "torch.sparse_bsr_tensor",
        "torch.sparse_compressed_tensor",
        "torch.sparse.mm",
        "torch.sparse.FloatTensor",
    )
    def sparse(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        stays = ref.call is not None and placed_by(ref.call, ctx) is Residence.CPU
        yield self._sparse(ref.node, ref.name, ctx, on_cpu=stays)

    @on.name("torch.from_dlpack", "torch.utils.dlpack.from_dlpack", "torch.utils.dlpack.to_dlpack")
    def exchanged(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        given = ref.arguments.get("ext_tensor", 0)
        if given is None or not _is_of_numpy(given.value, ctx):
            yield self.report(ref.node, "dlpack", Severity.INFORMATION, api=ref.name)

    @on.member("to_sparse", "to_sparse_csr", "to_sparse_coo")
    def made_sparse(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is not None and is_on_tensor(ref, ctx):
            on_cpu = is_on_cpu(ref.receiver, ctx)
            yield self._sparse(ref.node, f"torch.Tensor.{ref.name}", ctx, on_cpu=on_cpu)

    def _sparse(self, node: Node, api: str, ctx: Context, *, on_cpu: bool) -> Finding:
        """What the lists say raises; what they restrict, and what is on the CPU, is to be looked at."""
        kind = _counted_as(api, ctx)
        severity = Severity.ERROR if kind == "unsupported" and not on_cpu else Severity.INFORMATION
        return self.report(node, "sparse", severity, api=api, kind=kind)

    @on.member("share_memory_")
    def shared(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        made = ctx.source.text_of(ref.receiver)
        on_device = "cuda" in made or "npu" in made
        if ref.call is not None and on_device and ctx.kind(ref.receiver) is Kind.TENSOR:
            yield self.report(ref.node, "shared", Severity.INFORMATION, api="torch.Tensor.share_memory_")

    @on.name(
        "torch.zeros", "torch.ones", "torch.randn", "torch.rand", "torch.empty", "torch.tensor", needs="names"
    )
    def named(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        names = ref.arguments.keyword("names")
        if names is not None:
            yield self.report(names.node, "named", Severity.INFORMATION, api=ref.name)


def _is_of_numpy(value: Node, ctx: Context) -> bool:
    """Whether a value is evidently an array of NumPy, whose memory is the CPU's."""
    attribute = field(field(value, "function"), "attribute")
    is_method = text_of(attribute) == "numpy"
    return is_method or ctx.source.names.called_in(value).startswith("numpy.")


def _counted_as(api: str, ctx: Context) -> str:
    """The table of a report in which an API of sparse tensors is a row."""
    status = ctx.facts.status(api)
    if status is SupportStatus.UNSUPPORTED:
        return "unsupported"
    return "unknown" if status is SupportStatus.UNKNOWN else ""


class RawDevicePointer(Rule):
    """The address of a tensor is passed to CUDA code.

    What it does: Reports ``__cuda_array_interface__``, and ``data_ptr()`` passed to a function of a CUDA
    library.

    Why it matters on the NPU: The address refers to NPU memory, which CUDA libraries cannot read; the array
    interface has no counterpart.

    Example: ``cupy.asarray(x)`` by ``x.__cuda_array_interface__``.

    Use instead: an operator of torch or torch_npu, or a copy through the CPU.
    """

    code = "NPU123"
    only_with = "cuda"
    examples = (
        Example("import torch\nptr = x.__cuda_array_interface__['data'][0]\n"),
        Example("import torch, cupy\ncupy.cuda.runtime.memset(x.data_ptr(), 0, 4)\n"),
        Example.unchanged("import torch\nsame = x.data_ptr() == y.data_ptr()\n"),
    )

    @on.member("__cuda_array_interface__")
    def interface(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        yield self.report(ref.node, "interface", Severity.ERROR)

    @on.member("data_ptr")
    def pointer(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        holder = parent_of(ref.call) if ref.call is not None else None
        call = parent_of(holder) if holder is not None and holder.type == "argument_list" else None
        callee = ctx.source.names.called_in(call)
        if callee.startswith(("cupy.", "pycuda.", "numba.cuda", "cuda.")):
            yield self.report(ref.node, "pointer", Severity.ERROR, callee=callee)


class ComplexTensor(NamedRule):
    """A complex tensor is created.

    What it does: Reports ``torch.view_as_complex`` and ``torch.polar``.

    Why it matters on the NPU: Only some operators support complex64; products of complex tensors, as in
    rotary embeddings, are among those that may not.

    Example: ``torch.view_as_complex(x) * freqs``.

    Use instead: the same arithmetic on the real and imaginary parts, or ``torch_npu.npu_rotary_mul``.
    """

    code = "NPU124"
    examples = (
        Example("import torch\ny = torch.view_as_complex(x) * f\n"),
        Example("import torch\nf = torch.polar(torch.ones_like(a), a)\n"),
        Example.unchanged("import torch\ny = torch.view_as_real(x)\n"),
    )


def _makes_tensors(ctx: Outline) -> bool:
    return _MAKING.search(ctx.source.data) is not None


class ScalarOnCpu(Rule):
    """A scalar tensor without a device is mixed with device tensors.

    What it does: Reports ``torch.tensor(...)`` and ``torch.as_tensor(...)`` without a device directly inside
    ``torch.where``.

    Why it matters on the NPU: The CPU scalar and the NPU tensors are on different devices, which NPU
    operators reject more often than CUDA operators.

    Example: ``torch.where(mask, x, torch.as_tensor(0.0))``.

    Use instead: a Python number, or ``torch.as_tensor(0.0, device=x.device)``.
    """

    code = "NPU125"
    examples = (
        Example("import torch\ny = torch.where(m, x, torch.as_tensor(0.0))\n"),
        Example.unchanged("import torch\ny = torch.where(m, x, torch.as_tensor(0.0, device=x.device))\n"),
        Example.unchanged("import torch\ny = torch.where(m, x, 0.0)\n"),
    )

    @on.name("torch.where", needs=_makes_tensors)
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        for argument in ref.arguments.items:
            if self._is_scalar_without_device(argument.value, ctx):
                yield self.report(argument.value, "scalar", Severity.INFORMATION)

    def _is_scalar_without_device(self, value: Node, ctx: Context) -> bool:
        if ctx.source.names.called_in(value) not in ("torch.tensor", "torch.as_tensor"):
            return False
        arguments = arguments_of(value)
        first = arguments.at(0)
        is_number = first is not None and first.value.type in ("integer", "float", "unary_operator")
        return is_number and arguments.keyword("device") is None
