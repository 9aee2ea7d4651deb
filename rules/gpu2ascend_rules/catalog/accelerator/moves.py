"""ACC103 and ACC104: the method ``cuda()`` and the attribute ``is_cuda`` of tensors and modules."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import MemberRef
from ...engine.rule import Example, on, replace
from ...flow.guards.cuda_guards import Guard, guard_of
from ...flow.libraries import is_foreign_file
from ...inference.classes.torch_classes import TENSOR, WITH_MOVES
from ...inference.kinds import Kind
from ...limits.parents import parent_type
from ...model.finding import Edit, Finding, Severity
from ...model.project.project_view import may_define_method
from ...receivers.evidence import (
    could_be_own,
    is_assigned,
    is_defined_by_own_class,
    is_foreign,
    is_of_class_elsewhere,
    methods_defined_here,
)
from ...similar.scripting import is_scripted
from ...text.syntax import ancestors, arguments_of, enclosing, field, parts_of, shortened, text_of
from .cuda_tests import Becomes, compared
from .cuda_tests import becomes as becomes_of
from .neutral_rule import NeutralRule, device_text

_OF_TORCH = frozenset({Kind.TENSOR, Kind.MODULE})
_LOOSER = frozenset(
    {"if_statement", "elif_clause", "while_statement", "assert_statement", "return_statement", "assignment",
     "not_operator", "boolean_operator", "argument_list", "parenthesized_expression",
     "conditional_expression", "keyword_argument", "expression_statement", "block", "if_clause"}
)  # fmt: skip
"""Where a comparison needs no parentheses."""


class CudaMethod(NeutralRule):
    """The method cuda() is called on a tensor or a module.

    What it does: Replaces ``x.cuda()`` with ``x.to(device)``, using a device variable in scope, or otherwise
    a helper function ``get_device()`` that is added to the file. Methods named ``cuda`` of the project's own
    classes are not changed.

    Why it matters on the NPU: ``cuda()`` raises on every accelerator other than CUDA, and on the CPU.

    Example: ``model.cuda()`` becomes ``model.to(device)``.

    Use instead: ``x.to(device)``.
    """

    code = "ACC103"
    name = "neutral-move"
    examples = (
        Example(
            "import torch\ndevice = torch.device(name)\nmodel = torch.nn.Linear(1, 1)\nmodel.cuda()\n",
            "import torch\ndevice = torch.device(name)\nmodel = torch.nn.Linear(1, 1)\nmodel.to(device)\n",
        ),
        Example(
            "import torch\n\ndef move(x):\n    device = torch.device('cpu')\n    x.to(device)\n"
            "    return x.cuda()\n",
            "import torch\n\n\ndef get_device():\n"
            '    """The accelerator of this machine, else the CPU."""\n'
            "    if torch.accelerator.is_available():\n"
            "        return torch.accelerator.current_accelerator()\n"
            '    return torch.device("cpu")\n'
            "\ndef move(x):\n    device = torch.device('cpu')\n    x.to(device)\n"
            "    return x.to(get_device())\n",
        ),
        Example(
            "import torch\n\n\ndef move(x):\n    return x.cuda(non_blocking=True)\n",
            "import torch\n\n\ndef get_device():\n"
            '    """The accelerator of this machine, else the CPU."""\n'
            "    if torch.accelerator.is_available():\n"
            "        return torch.accelerator.current_accelerator()\n"
            '    return torch.device("cpu")\n'
            "\n\ndef move(x):\n    return x.to(get_device(), non_blocking=True)\n",
        ),
        Example(
            "import torch\n\ndef move(x, device: torch.device):\n    return x.cuda(0)\n",
            "import torch\n\ndef move(x, device: torch.device):\n"
            "    return x.to(torch.device(device.type, 0))\n",
        ),
        Example(
            "import torch\n\ndef move(x, d: torch.device):\n    return x.cuda(d)\n",
            "import torch\n\ndef move(x, d: torch.device):\n    return x.to(d)\n",
        ),
        Example(
            "import torch\n\ndef move(x, d):\n    return x.cuda(d)\n",
            unsafe="import torch\n\ndef move(x, d):\n    return x.to(d)\n",
        ),
        Example(
            "import torch\n\ndef move(x, y):\n    return x.cuda(y.get_device())\n",
            "import torch\n\ndef move(x, y):\n    return x.to(y.device)\n",
        ),
        Example(
            "import torch\n\nclass Net(torch.nn.Module):\n    def get_device(self):\n        return 0\n"
            "    def move(self, x):\n        return x.cuda(self.get_device())\n\n"
            "net = Net()\nx = torch.ones(2).cuda(net.get_device())\n",
            unsafe="import torch\n\nclass Net(torch.nn.Module):\n    def get_device(self):\n"
            "        return 0\n    def move(self, x):\n        return x.to(self.get_device())\n\n"
            "net = Net()\nx = torch.ones(2).to(net.get_device())\n",
        ),
        Example(
            "from .base import Trainer\ndef move(self, batch):\n    return batch.cuda(self.device)\n",
            unsafe="from .base import Trainer\ndef move(self, batch):\n    return batch.to(self.device)\n",
        ),
        Example("import torch\n@torch.jit.script\ndef move(x):\n    return x.cuda()\n"),
        Example("import torch\n\ndef move(x, **more):\n    return x.cuda(non_blocking=True, **more)\n"),
        Example.unchanged(
            "import torch\nclass Box:\n    def cuda(self):\n        pass\n\nb = Box()\nb.cuda()\n"
        ),
    )

    @on.member("cuda")
    def method(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is None:
            return
        if is_assigned(ref) or is_foreign(ref, ctx) or is_defined_by_own_class(ref, ctx):
            return
        if is_of_class_elsewhere(ref, ctx):
            return
        kind = ctx.kind(ref.receiver)
        is_of_torch = kind in _OF_TORCH or ctx.works_with_torch
        if kind is Kind.OTHER or (not is_of_torch and is_foreign_file(ctx)):
            return
        edits, is_safe = self._edits(ref, ref.call, ctx)
        if not edits or is_scripted(ref.node, ctx):  # TorchScript compiles no question for the accelerator
            yield self.report(ref.node, "moved", Severity.ERROR, receiver=shortened(ref.receiver))
            return
        is_safe = is_safe and is_of_torch and (kind in _OF_TORCH or not could_be_own(ref, ctx))
        fix = self.neutral(edits, is_safe=is_safe, requires=())
        yield self.report(ref.node, "moved", Severity.WARNING, fix=fix, receiver=shortened(ref.receiver))

    def _edits(self, ref: MemberRef, call: Node, ctx: Context) -> tuple[list[Edit], bool]:
        """The edits, and whether the text shows what is given."""
        if ref.receiver_name in WITH_MOVES:
            return self._edits_of_function(ref, ctx)
        given = ref.arguments.get("device", 0)
        is_by_name = given is not None and given.keyword is not None
        named = "device=" if _is_storage(ref.receiver) and not is_by_name else ""
        if given is None or given.value.type == "none":
            if ref.arguments.unpacked:
                return [], False  # without a device, to() does not move
            text, helper = device_text(ctx).device(ref.node)
            text = f"{named}{text}"
            if given is not None:
                return [replace(ref.identifier, "to"), replace(given.value, text), *helper], True
            holder = field(call, "arguments")
            inside = holder.start_byte + 1 if holder is not None else ref.identifier.end_byte + 1
            more = f"{text}, " if ref.arguments.items else text
            return [Edit(ref.identifier.start_byte, inside, f"to({more}"), *helper], True
        kind = ctx.kind(given.value)
        if kind is Kind.INTEGER:
            text, helper = device_text(ctx).type_of_device(ref.node)
            device = f"{named}{ctx.spell('torch.device')}({text}, {text_of(given.value)})"
            return [replace(ref.identifier, "to"), replace(given.value, device), *helper], True
        owner = _asked_for_device(given.value, ctx)
        if owner is not None:
            device = f"{named}{text_of(owner)}.device"
            return [replace(ref.identifier, "to"), replace(given.value, device)], True
        moved = replace(given.value, f"{named}{text_of(given.value)}")
        return [replace(ref.identifier, "to"), *([moved] if named else [])], kind in (Kind.DEVICE, Kind.TEXT)

    def _edits_of_function(self, ref: MemberRef, ctx: Context) -> tuple[list[Edit], bool]:
        """``torch.Tensor.cuda(x)``: what is moved is the first argument."""
        moved = ref.arguments.at(0)
        if moved is None or (ref.arguments.unpacked and ref.arguments.get("device", 1) is None):
            return [], False
        if ref.arguments.get("device", 1) is not None:
            return [replace(ref.identifier, "to")], False
        text, helper = device_text(ctx).device(ref.node)
        end = moved.node.end_byte
        return [replace(ref.identifier, "to"), Edit(end, end, f", {text}"), *helper], True


class IsCuda(NeutralRule):
    """The attribute is_cuda of a tensor is read.

    What it does: Replaces it with a test whether the tensor is on a device other than the CPU, or, beside
    other operands or branches, on the current accelerator. It stays where it opens code for CUDA only, or a
    later branch is for another device.

    Why it matters on the NPU: ``is_cuda`` is False on every other accelerator, so the branch for accelerators
    is silently skipped.

    Example: ``if x.is_cuda:`` becomes ``if x.device.type != 'cpu':``.

    Use instead: ``x.device.type``.
    """

    code = "ACC104"
    name = "neutral-is-cuda"
    examples = (
        Example(
            "import torch\nx = torch.ones(1)\nif x.is_cuda:\n    pass\n",
            "import torch\nx = torch.ones(1)\nif x.device.type != 'cpu':\n    pass\n",
        ),
        Example(
            "import torch\nx = torch.ones(1)\nn = x.is_cuda + 1\n",
            "import torch\nx = torch.ones(1)\nn = (x.device.type != 'cpu') + 1\n",
        ),
        Example.unchanged("self.is_cuda = True\n"),
        Example.unchanged("import torch\nimport my_ops_cuda\nif x.is_cuda:\n    y = my_ops_cuda.run(x)\n"),
    )

    @on.member("is_cuda")
    def attribute(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        kind = ctx.kind(ref.receiver)
        if is_assigned(ref) or is_foreign(ref, ctx) or ref.call is not None:
            return
        if kind is Kind.OTHER or text_of(ref.receiver) == "self":
            return
        if guard_of(ref.node, ctx) is Guard.CUDA_ONLY:
            return
        what = becomes_of(ref.node, ctx)
        if what in (Becomes.DIVIDED, Becomes.ARMS):
            yield self.report(ref.node, what.value, Severity.ERROR)
        if what is Becomes.CURRENT:
            kind_of = f"{text_of(ref.receiver)}.device.type"
            fix = self.neutral(compared(ref.node, kind_of, "==", ctx))
            yield self.report(ref.node, "false", Severity.WARNING, fix=fix)
        if what is not Becomes.ANY:
            return
        start, end = ("", "") if _needs_no_parentheses(ref.node) else ("(", ")")
        text = f"device.type != {ctx.quoted('cpu', ref.node)}{end}"
        edits = [replace(ref.identifier, text)]
        if start:
            edits.append(Edit(ref.node.start_byte, ref.node.start_byte, start))
        fix = self.neutral(edits, requires=())
        yield self.report(ref.node, "false", Severity.WARNING, fix=fix)


def _asked_for_device(value: Node, ctx: Context) -> Node | None:
    """The tensor of ``y.get_device()``; other objects have a method of their own, and perhaps no device."""
    function = field(value, "function") if value.type == "call" else None
    is_asked = text_of(field(function, "attribute")) == "get_device" and not arguments_of(value).items
    owner = field(function, "object") if is_asked else None
    return owner if owner is not None and _may_be_tensor(owner, ctx) else None


def _may_be_tensor(owner: Node, ctx: Context) -> bool:
    """Whether what is asked for its device is a tensor: it is known as one, or nothing says otherwise."""
    instance = ctx.instances.of(owner)
    if instance is not None or ctx.kind(owner) is Kind.TENSOR:
        return instance is None or instance.class_name == TENSOR
    is_defined = methods_defined_here("get_device", ctx) or may_define_method(ctx.project, "get_device")
    is_class = text_of(owner) in ("self", "cls") or text_of(field(owner, "function")) == "super"
    return not is_defined and not is_class and not ctx.source.names.name_of(owner)


def _is_storage(receiver: Node) -> bool:
    """Whether ``map_location=lambda storage, loc: ...`` is given a receiver: its method ``to`` takes devices
    by name only."""
    function = enclosing(receiver, "lambda") if receiver.type == "identifier" else None
    parameters = field(function, "parameters")
    first = parts_of(parameters)[0] if parameters is not None and len(parts_of(parameters)) == 2 else None
    is_given = first is not None and text_of(first) == text_of(receiver)
    return (
        is_given and function is not None and parent_type(function) in ("keyword_argument", "argument_list")
    )


def _needs_no_parentheses(node: Node) -> bool:
    holder = next(ancestors(node), None)
    return holder is not None and holder.type in _LOOSER
