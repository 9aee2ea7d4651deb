"""NPU111 and NPU113: ``is_cuda``, and CUDA tensor types given as text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....engine.context import Context
from ....engine.events import MemberRef, NameRef, StringRef
from ....engine.rule import Example, Rule, on, replace
from ....flow.guards.cuda_guards import Guard, guard_of
from ....flow.subjects.device_choices import Choice, choice_by
from ....inference.kinds import Kind
from ....limits.parents import parent_of, parent_type
from ....model.finding import Applicability, Edit, Finding, Severity
from ....model.project.project_view import may_define_method
from ....model.versions import Version
from ....receivers.evidence import is_assigned, is_checked_tensor, is_foreign, methods_defined_here
from ....receivers.moves import TO, Moves, moves_of
from ....renames.cuda_names import is_default_tensor_type
from ....renames.texts import literal_becomes
from ....similar.scripting import is_scripted
from ....text.syntax import chain_of, field, is_field, text_of

IS_NPU_FROM = Version(1, 8)
_TENSOR_TYPE = re.compile(r"torch\.cuda\.(\w+Tensor)")


class IsCuda(Rule):
    """The attribute is_cuda of a tensor is read.

    What it does: Renames ``x.is_cuda`` to ``x.is_npu``. A TensorDict is asked for its device; a container of
    another library that has none is reported. In code that TorchScript compiles, which knows no ``is_npu``,
    the type of the device is compared. For PyTorch 1.5.0, whose tensors have none, that is offered.

    Why it matters on the NPU: ``is_cuda`` is False for a tensor on the NPU, so the branch for the accelerator
    is silently skipped.

    Example: ``if x.is_cuda:`` becomes ``if x.is_npu:``.

    Use instead: ``x.is_npu``, or ``x.device.type == 'npu'``.
    """

    code = "NPU111"
    examples = (
        Example(
            "import torch\nif torch.ones(1).is_cuda and x.is_cuda:\n    pass\n",
            "import torch\nif torch.ones(1).is_npu and x.is_npu:\n    pass\n",
        ),
        Example("if x.is_cuda:\n    pass\n", "if x.is_npu:\n    pass\n"),
        Example(
            "import torch\n@torch.jit.script\ndef f(x):\n    return x.is_cuda\n"
            "def g(x):\n    return x.is_cuda\n",
            "import torch\n@torch.jit.script\ndef f(x):\n    return (x.device.type == 'npu')\n"
            "def g(x):\n    return x.is_npu\n",
        ),
        Example(
            "import torch\nif torch.jit.is_scripting():\n    on = x.is_cuda\nelse:\n    on = x.is_cuda\n",
            "import torch\nif torch.jit.is_scripting():\n    on = (x.device.type == 'npu')\n"
            "else:\n    on = x.is_npu\n",
        ),
        Example(
            "import torch\nok = x.is_cuda\n",
            unsafe="import torch\nok = (x.device.type == 'npu')\n",
            version="1.5.0",
        ),
        Example(
            "class Box:\n    def is_cuda(self):\n        return self.t.is_cuda\n",
            unsafe="class Box:\n    def is_cuda(self):\n        return self.t.is_npu\n",
        ),
        Example(
            "class B:\n    def is_cuda(self): pass\nok = isinstance(x, Tensor) and x.is_cuda\n",
            "class B:\n    def is_cuda(self): pass\nok = isinstance(x, Tensor) and x.is_npu\n",
        ),
        Example.unchanged(
            "class L:\n    def f(self):\n        self.is_cuda = use()\n        return self.is_cuda\n"
        ),
        Example(
            "from tensordict import TensorDict\ndef f(td: TensorDict):\n    return td.is_cuda\n",
            "from tensordict import TensorDict\ndef f(td: TensorDict):\n"
            "    return (td.device is not None and td.device.type == 'npu')\n",
        ),
        Example("from torch_geometric.data import Data\nd = Data(x=x)\nok = d.is_cuda\n"),
        Example.unchanged("import torch\nimport my_ops_cuda\nif x.is_cuda:\n    y = my_ops_cuda.run(x)\n"),
        Example.unchanged("self.is_cuda = True\nimport cupy\ncupy.ones(1).is_cuda\n"),
    )

    @on.member("is_cuda")
    def attribute(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        kind = ctx.kind(ref.receiver)
        own = ctx.once("own is_cuda", lambda: bool(methods_defined_here("is_cuda", ctx)) or _is_set(ctx))
        if kind is Kind.OTHER or _is_other_attribute(ref, own, ctx):
            return
        choice = choice_by(ref.node, ctx)
        guard = guard_of(ref.node, ctx)
        if choice is Choice.FOREIGN or guard is Guard.CUDA_ONLY:
            return
        is_tensor = kind is Kind.TENSOR or is_checked_tensor(ref.node, ref.receiver)
        in_doubt = not is_tensor and (own or may_define_method(ctx.project, "is_cuda"))
        is_open = choice is Choice.UNDECIDED
        moves = moves_of(ref.receiver, ctx)
        if moves is not None and moves.method == TO and moves.asked_by != "is_npu" and not is_tensor:
            yield self._of_container(ref, ctx, moves, in_doubt=is_open)
            return
        is_safe = not any((in_doubt, is_open, guard is Guard.BOTH)) and ctx.version >= IS_NPU_FROM
        fix = self.fix(Applicability.SAFE if is_safe else Applicability.UNSAFE, edits=_asks_for_npu(ref, ctx))
        yield self.report(ref.node, "false", Severity.WARNING, fix=fix)

    def _of_container(self, ref: MemberRef, ctx: Context, moves: Moves, *, in_doubt: bool) -> Finding:
        """Of an object that has no ``is_npu``, and a device of its own or none."""
        receiver = text_of(ref.receiver)
        if moves.asked_by != "device" or chain_of(ref.receiver) is None:
            return self.report(ref.node, "container", Severity.ERROR, receiver=receiver)
        npu = ctx.quoted("npu", ref.node)
        text = f"({receiver}.device is not None and {receiver}.device.type == {npu})"
        applicability = Applicability.UNSAFE if in_doubt else Applicability.SAFE
        fix = self.fix(applicability, edits=[replace(ref.node, text)])
        return self.report(ref.node, "false", Severity.WARNING, fix=fix)

    @on.name("torch.Tensor.is_cuda")
    def descriptor(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        name = field(ref.node, "attribute")
        if name is None:
            return
        fix = None
        if ctx.version >= IS_NPU_FROM:
            fix = self.fix(Applicability.SAFE, edits=[replace(name, "is_npu")], requires=ctx.names_the_npu)
        yield self.report(ref.node, "false", Severity.WARNING, fix=fix)


def _is_other_attribute(ref: MemberRef, own: bool, ctx: Context) -> bool:
    """Whether a name is no attribute of a tensor, or is the descriptor."""
    if is_assigned(ref) or is_foreign(ref, ctx) or ref.call is not None:
        return True
    return ref.receiver_name == "torch.Tensor" or (own and text_of(ref.receiver) == "self")


def _asks_for_npu(ref: MemberRef, ctx: Context) -> list[Edit]:
    """The edits that ask whether a tensor is on an NPU; TorchScript knows the type of a device alone."""
    if ctx.version >= IS_NPU_FROM and not is_scripted(ref.node, ctx):
        return [replace(ref.identifier, "is_npu")]
    compared = f"device.type == {ctx.quoted('npu', ref.node)})"
    opening = Edit(ref.node.start_byte, ref.node.start_byte, "(")
    return [opening, Edit(ref.identifier.start_byte, ref.node.end_byte, compared)]


def _is_set(ctx: Context) -> bool:
    for identifier in ctx.source.identifiers("is_cuda"):
        target = parent_of(identifier)
        if target is None or target.type != "attribute" or parent_of(target) is None:
            continue
        if parent_type(target) == "assignment" and is_field(target, "left"):
            return True
    return False


class TensorTypeText(Rule):
    """A string names a CUDA tensor type.

    What it does: Changes a string that is exactly ``torch.cuda.<Type>Tensor`` to ``torch.npu``. The argument
    of ``torch.set_default_tensor_type`` is left to the rule on default devices.

    Why it matters on the NPU: ``x.type('torch.cuda.FloatTensor')`` raises, and a comparison with ``x.type()``
    is never true, because it returns ``torch.npu.FloatTensor`` for tensors on the NPU.

    Example: ``x.type('torch.cuda.HalfTensor')`` becomes ``x.type('torch.npu.HalfTensor')``.

    Use instead: ``'torch.npu.HalfTensor'``, or ``x.to(device, dtype)``.
    """

    code = "NPU113"
    name = "cuda-tensor-type-text"
    examples = (
        Example(
            "import torch\nx = x.type('torch.cuda.FloatTensor')\n",
            "import torch\nimport torch_npu\nx = x.type('torch.npu.FloatTensor')\n",
        ),
        Example(
            'import torch\nif x.type() == "torch.cuda.LongTensor":\n    pass\n',
            'import torch\nimport torch_npu\nif x.type() == "torch.npu.LongTensor":\n    pass\n',
        ),
        Example("import torch\nx.type('torch.cuda.ComplexTensor')\n"),
        Example.unchanged("import torch\ntorch.set_default_tensor_type('torch.cuda.FloatTensor')\n"),
        Example.unchanged("print('use torch.cuda.FloatTensor here')\n"),
    )

    @on.string("torch.cuda.")
    def text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        match = _TENSOR_TYPE.fullmatch(ref.text)
        if match is None or ref.is_formatted or ref.is_bytes or is_default_tensor_type(ref.node, ctx):
            return
        api = ref.text
        if not ctx.facts.npu_name_exists(f"torch_npu.npu.{match[1]}") and ctx.has_torch_npu:
            yield self.report(ref.node, "none", Severity.ERROR, api=api, kind="unsupported")
            return
        fix = self.fix(
            Applicability.SAFE,
            edits=literal_becomes(ref.node, f"torch.npu.{match[1]}") or (),
            requires=ctx.names_the_npu,
        )
        yield self.report(ref.node, "text", Severity.WARNING, fix=fix, api=api)
