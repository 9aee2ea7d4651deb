"""NPU806: tensors of double precision on the device."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import KeywordRef, MemberRef, NameRef
from ...engine.rule import Example, Rule, on
from ...flow.precision.arrays import KEEPERS
from ...flow.precision.doubles import DTYPES, REDUCTIONS, DoublePrecision, double_dtype, double_precision_of
from ...limits.parents import parent_of
from ...model.finding import Applicability, Edit, Finding, Severity
from ...receivers.residence import Residence, last_residence_of, placed_by
from ...text.syntax import call_of, called_on, field, last_name, outside_parentheses, passed_to, text_of

_TO_HOST = frozenset({"cpu", "item", "numpy", "tolist"})
"""Methods whose result is on the host."""
_CONVERSIONS = ("double", "to", "type")
"""Methods that give a tensor of another dtype where the tensor is."""
_HALF_COMPLEX = ("torch.complex32", "torch.chalf")


class DoubleOnDevice(Rule):
    """A double-precision tensor is created on the device, or moved there.

    What it does: Finds float64 if the same expression also names a device other than the CPU, also where a
    variable, a default or one side of a choice holds it; ``.double()`` and ``.to(torch.float64)`` of what was
    put on a device before, or is given to a model's forward pass; NumPy's arrays of float64 that a tensor of
    them takes to the device; CUDA tensor types of double precision, and the default dtype set to float64; and
    offers float32. Finds complex32, too, which the NPU does not have.

    Why it matters on the NPU: Matrix products, convolutions and rotary embeddings do not support float64, and
    the operators that do are slow. Tensors that stay on the CPU are not affected.

    Example: ``x.double().cuda()``.

    Use instead: float32; or double precision on the CPU if the precision matters.
    """

    code = "NPU806"
    only_with = "torch"
    examples = (
        Example(
            "import torch\nf = torch.arange(n, dtype=torch.float64, device=x.device)\n"
            "y = x.double().cuda()\nz = x.to(device).double()\nw = x.to(device, torch.double)\n",
            unsafe="import torch\nf = torch.arange(n, dtype=torch.float32, device=x.device)\n"
            "y = x.float().cuda()\nz = x.to(device).float()\nw = x.to(device, torch.float32)\n",
        ),
        Example(
            "import torch\nt = torch.cuda.DoubleTensor(2, 3)\n",
            unsafe="import torch\nt = torch.cuda.FloatTensor(2, 3)\n",
        ),
        Example(
            "import torch\ntorch.set_default_dtype(torch.float64)\n",
            unsafe="import torch\ntorch.set_default_dtype(torch.float32)\n",
        ),
        Example("import torch\nfrom torch import float64\nx = x.to(dtype=float64, device='npu')\n"),
        Example(
            "import torch\ndef f(n, x, kind=torch.float64):\n"
            "    return torch.arange(n, dtype=kind, device=x.device)\n",
            unsafe="import torch\ndef f(n, x, kind=torch.float32):\n"
            "    return torch.arange(n, dtype=kind, device=x.device)\n",
        ),
        Example(
            "import torch\nkind = torch.float32 if is_mps else torch.float64\n"
            "y = torch.arange(n, dtype=kind, device=device)\n",
            unsafe="import torch\nkind = torch.float32 if is_mps else torch.float32\n"
            "y = torch.arange(n, dtype=kind, device=device)\n",
        ),
        Example(
            "import numpy as np\nimport torch\na = np.eye(3)\nt = torch.from_numpy(a).npu()\n",
            unsafe="import numpy as np\nimport torch\na = np.eye(3)\nt = torch.from_numpy(a).float().npu()\n",
        ),
        Example("import torch\ny = torch.zeros(2, dtype=torch.complex32, device=x.device)\n"),
        Example.unchanged(
            "import numpy as np\nimport torch\nt = torch.from_numpy(np.eye(3)).float().npu()\n"
            "u = torch.from_numpy(np.eye(3, dtype=np.float32)).npu()\nv = torch.from_numpy(np.eye(3))\n"
        ),
        Example.unchanged(
            "import torch\nx = torch.zeros(2, dtype=torch.float64)\ny = x.double()\nx = x.to(torch.float64)\n"
            "e = x.to(torch.float32).double()\n"
            "c = torch.zeros(2, dtype=torch.float64, device='cpu')\nok = x.dtype == torch.float64\n"
            "z = x.to(torch.device('cpu'), torch.double)\nd = x.cpu().double()\n"
            "host = torch.device('cpu')\ni = torch.eye(3, dtype=torch.float64, device=host)\n"
        ),
        Example(
            "import torch\nx = x.cuda()\ny = x.double()\n",
            unsafe="import torch\nx = x.cuda()\ny = x.float()\n",
        ),
        Example(
            "import torch\nclass Net(torch.nn.Module):\n    def forward(self, x):\n"
            "        return x.double() + x.to(torch.float64)\n",
            unsafe="import torch\nclass Net(torch.nn.Module):\n    def forward(self, x):\n"
            "        return x.float() + x.to(torch.float32)\n",
        ),
        Example.unchanged(
            "import torch\nclass Net(torch.nn.Module):\n    def forward(self, x):\n"
            "        y = x.double().cpu()\n        x = x.cpu()\n        return y, x.double(), x.double\n"
            "def load(x):\n    return x.double()\n"
        ),
        Example.unchanged(
            "import torch\nx = x.cuda()\nx = x.cpu()\ny = x.double()\nz = w.double()\n"
            "n = x.npu()\nm = n.double().cpu()\n"
        ),
        Example.unchanged(
            "import torch\nlabels = labels.to(torch.int64).cuda()\nindex = index.long().cuda()\n"
        ),
        Example.unchanged(
            "import torch\nt = torch.zeros(2, dtype=torch.float64, device='npu')\n"
            "torch.distributed.all_reduce(t)\n"
        ),
    )

    @on.name(*DTYPES)
    def dtype(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        passed = passed_to(ref.node)
        if passed is None or not _is_spelled(ref.node):
            return
        if last_name(passed.call) == "set_default_dtype":
            yield self._finding(double_dtype(ref.node), "default")
        elif _comes_to_device(passed.call, ctx):
            yield self._finding(double_dtype(ref.node), "made")

    @on.keyword("dtype")
    def held(self, ref: KeywordRef, ctx: Context) -> Iterator[Finding]:
        """What a variable, a default or a choice gives as the dtype."""
        if _is_spelled(ref.value) or not _is_on_device(ref.call, ctx) or _is_reduced(ref.call, ctx):
            return
        for origin in ctx.origins(ref.value):
            found = ctx.source.names.qualified_name(origin)
            if found is not None and found.qualified_name in DTYPES:
                yield self._finding(double_dtype(origin)._replace(node=ref.value), "held")
                return

    @on.name(*sorted(KEEPERS))
    def array(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        """``torch.from_numpy(np.eye(3)).cuda()``: the tensor has the precision of the array."""
        if ref.call is None or ref.arguments.keyword("dtype") is not None or not _is_on_device(ref.call, ctx):
            return
        whole = list(_chain(ref.call))[-1]
        source = double_precision_of(whole if _called_on(ref.call) is not None else ref.call, ctx)
        if source is not None and source.node == ref.call and not _is_reduced(ref.call, ctx):
            yield self._finding(source._replace(node=ref.node), "array")

    @on.name(*_HALF_COMPLEX)
    def half_complex(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        passed = passed_to(ref.node)
        if passed is not None and _is_on_device(passed.call, ctx):
            yield self.report(ref.node, "complex32", Severity.INFORMATION, text=text_of(ref.node))

    @on.member("double")
    def method(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is None or ref.arguments.items or not _comes_to_device(ref.call, ctx):
            return
        edit = Edit(ref.identifier.start_byte, ref.identifier.end_byte, "float")
        yield self._finding(DoublePrecision(ref.identifier, edit), "made")

    @on.name("torch.cuda.DoubleTensor", "torch_npu.npu.DoubleTensor", "torch.npu.DoubleTensor")
    def constructor(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        """Also what tensors are converted to by ``x.type(torch.cuda.DoubleTensor)``."""
        passed = passed_to(ref.node)
        is_given = passed is not None and last_name(passed.call) == "type"
        call = passed.call if passed is not None and is_given else ref.call
        if call is not None and not _is_reduced(call, ctx):
            yield self._finding(double_dtype(ref.node), "made")

    def _finding(self, source: DoublePrecision, key: str) -> Finding:
        fix = None
        if source.edit is not None:
            fix = self.fix(Applicability.UNSAFE, edits=[source.edit])
        return self.report(source.node, key, Severity.INFORMATION, fix=fix, text=text_of(source.node))


def _is_spelled(value: Node) -> bool:
    """Whether a dtype is written out where it is used."""
    return text_of(value).rpartition(".")[2] in ("float64", "double")


def _is_on_device(call: Node, ctx: Context) -> bool:
    """Whether a chain of calls that a call is part of names a device that is not the CPU."""
    return any(placed_by(link, ctx) is Residence.DEVICE for link in _chain(call))


def _comes_to_device(call: Node, ctx: Context) -> bool:
    """Whether what a call gives is on a device, and is not only reduced across processes."""
    return (_is_on_device(call, ctx) or _stays_on_device(call, ctx)) and not _is_reduced(call, ctx)


def _stays_on_device(call: Node, ctx: Context) -> bool:
    """Whether a conversion is of what is on a device, and its result is not taken to the host at once."""
    receiver = called_on(call)
    if receiver is None or last_name(call) not in _CONVERSIONS:
        return False
    outer = _called_on(call)
    is_taken = outer is not None and last_name(outer) in _TO_HOST
    return not is_taken and last_residence_of(receiver, ctx) is Residence.DEVICE


def _chain(call: Node) -> Iterator[Node]:
    """A call, those that it is called on, and those that are called on it."""
    inner: Node | None = call
    while inner is not None and inner.type == "call":
        yield inner
        inner = called_on(inner)
    outer = _called_on(call)
    while outer is not None:
        yield outer
        outer = _called_on(outer)


def _called_on(expression: Node) -> Node | None:
    parent = parent_of(outside_parentheses(expression))
    return call_of(parent) if parent is not None and parent.type == "attribute" else None


def _is_reduced(call: Node, ctx: Context) -> bool:
    """Whether the value is reduced across processes, which a separate rule reports."""
    last = list(_chain(call))[-1] if _called_on(call) is not None else call
    assignment = parent_of(outside_parentheses(last))
    target = field(assignment, "left")
    if assignment is None or assignment.type != "assignment" or target is None:
        return _is_reduction(last, ctx)
    return any(_is_reduction(use, ctx) for use in ctx.source.identifiers(text_of(target)))


def _is_reduction(value: Node, ctx: Context) -> bool:
    passed = passed_to(value)
    return passed is not None and ctx.source.names.called_in(passed.call) in REDUCTIONS
