"""NPU110: the method ``cuda()`` of tensors and modules. One of the user's own keeps its name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tree_sitter import Node

from ....engine.context import TORCH, Context
from ....engine.events import MemberRef, NameRef
from ....engine.rule import Example, Rule, on, replace
from ....flow.libraries import is_of_another_framework
from ....flow.subjects.given_ordinals import Shown, is_given_devices, shown_by_callers
from ....inference.classes.torch_classes import WITH_MOVES
from ....inference.kinds import Kind
from ....inference.walk.reasons import reason
from ....limits.parents import parent_of
from ....model.finding import Applicability, Edit, Finding, Message, Requirement, Severity
from ....model.versions import Version
from ....receivers.evidence import (
    TORCH_KINDS,
    could_be_own,
    is_argument_namespace,
    is_assigned,
    is_defined_by_own_class,
    is_foreign,
    is_in_map_location,
    is_module_of_project,
    is_of_class_elsewhere,
    owner_of,
)
from ....receivers.moves import TO, move_of_library, uses_containers
from ....renames.texts import ordinal_as_device, ordinal_or_device
from ....similar.scripting import is_scripted
from ....text.scopes import BindingKind
from ....text.syntax import arguments_of, chain_of, field, last_name, parts_of, passed_to, shortened, text_of

_WRAPPERS = ("DataParallel", "DDP", "FSDP", "FullyShardedDataParallel")
"""Classes that take a module first."""
STORAGE_METHODS_FROM = Version(2, 1)


class CudaMethod(Rule):
    """The method cuda() is called on a tensor or a module.

    What it does: Renames ``x.cuda()`` to ``x.npu()``. If a device is passed and ``x`` may be a module, the
    call becomes ``x.to(device)``, and a device number becomes an NPU device. Containers of tensors of other
    libraries (TensorDict, the data of torch_geometric) move by ``x.to('npu')``, as does an unknown ``x`` in a
    project that uses such a library.

    Why it matters on the NPU: ``cuda()`` raises without a CUDA device. ``Module.npu(device)`` is not a
    replacement: most releases of torch_npu ignore its argument and move the module to the current device; the
    others accept only an int. Only tensors and modules get a method ``npu()``, and TorchScript knows none.

    Example: ``model.cuda(local_rank)`` becomes ``model.to(torch.device('npu', local_rank))``.

    Use instead: ``x.npu()``, or ``x.to(device)``.
    """

    code = "NPU110"
    fails = frozenset({"moved_to"})
    examples = (
        Example(
            "import torch\nx = torch.ones(2).cuda()\ny = x.cuda(non_blocking=True)\n",
            "import torch\nimport torch_npu\nx = torch.ones(2).npu()\ny = x.npu(non_blocking=True)\n",
        ),
        Example(
            "import torch\nx = torch.ones(2)\nx = x.cuda(1)\n",
            "import torch\nimport torch_npu\nx = torch.ones(2)\nx = x.npu(1)\n",
        ),
        Example(
            "import torch\nmodel = torch.nn.Linear(1, 1)\nmodel.cuda(args.gpu)\n",
            "import torch\nimport torch_npu\nmodel = torch.nn.Linear(1, 1)\n"
            "model.to(torch.device('npu', args.gpu))\n",
        ),
        Example(
            "import torch\nmodel = build()\nmodel.cuda(device=torch.device('cuda:0'))\n",
            "import torch\nimport torch_npu\nmodel = build()\nmodel.to(device=torch.device('cuda:0'))\n",
        ),
        Example(
            "import torch\ndef f(batch, d):\n    return batch.cuda(d)\n",
            unsafe="import torch\nimport torch_npu\ndef f(batch, d):\n    return batch.to(d)\n",
        ),
        Example(
            "import torch\ndef f(model, d: int | torch.device | None = None):\n    return model.cuda(d)\n",
            unsafe="import torch\nimport torch_npu\n"
            "def f(model, d: int | torch.device | None = None):\n    return model.to(d)\n",
        ),
        Example(
            "import torch\ndef f(model, d: int | DeviceLike | None = None):\n    return model.cuda(d)\n",
            unsafe="import torch\nimport torch_npu\n"
            "def f(model, d: int | DeviceLike | None = None):\n    return model.to(d)\n",
        ),
        Example(
            "import torch\ndef f(batch, d):\n    return batch.cuda(d, non_blocking=True)\n",
            "import torch\nimport torch_npu\ndef f(batch, d):\n    return batch.npu(d, non_blocking=True)\n",
        ),
        Example(
            "import torch\nw = torch.load(f, map_location=lambda s, l: s.cuda(0))\n",
            "import torch\nimport torch_npu\nw = torch.load(f, map_location=lambda s, l: s.npu(0))\n",
        ),
        Example(
            "import torch\nmodel = torch.nn.Linear(1, 1)\nmodel.cuda(*args, **kwargs)\n",
            unsafe="import torch\nimport torch_npu\nmodel = torch.nn.Linear(1, 1)\n"
            "model.npu(*args, **kwargs)\n",
        ),
        Example(
            "import torch\nw = torch.load(f, map_location=lambda s, l: s.cuda(0, **given))\n",
            unsafe="import torch\nw = torch.load(f, map_location=lambda s, l: s.npu(0, **given))\n",
            version="1.5.0",
        ),
        Example("import torch\nx.cuda()\n", "import torch\nx.npu()\n", version="1.5.0"),
        Example(
            "import timm\nm = timm.create_model('vit').cuda()\n",
            "import timm\nimport torch_npu\nm = timm.create_model('vit').npu()\n",
        ),
        Example(
            "from diffusers import DiffusionPipeline\np = DiffusionPipeline.from_pretrained(n).cuda()\n",
            "from diffusers import DiffusionPipeline\nimport torch_npu\n"
            "p = DiffusionPipeline.from_pretrained(n).to('npu')\n",
        ),
        Example(
            "from diffusers import DiffusionPipeline\np = DiffusionPipeline.from_pretrained(n).cuda(*args)\n"
        ),
        Example(
            "import torch\nfrom tensordict import TensorDict\ntd = TensorDict(data, [2])\n"
            "td = td.cuda(non_blocking=True)\nx = torch.ones(2).cuda()\n",
            "import torch\nimport torch_npu\nfrom tensordict import TensorDict\ntd = TensorDict(data, [2])\n"
            "td = td.to('npu', non_blocking=True)\nx = torch.ones(2).npu()\n",
        ),
        Example(
            "import torch\nfrom torch_geometric.loader import DataLoader\n"
            "for data in DataLoader(d):\n    data = data.cuda()\n",
            "import torch\nimport torch_npu\nfrom torch_geometric.loader import DataLoader\n"
            "for data in DataLoader(d):\n    data = data.to('npu')\n",
        ),
        Example(
            "import torch\ndef f(x, window):\n    return window.cuda(x.get_device())\n",
            "import torch\nimport torch_npu\ndef f(x, window):\n"
            "    return window.to(torch.device('npu', x.get_device()))\n",
        ),
        Example(
            "import torch\nfrom torch.nn.parallel import DistributedDataParallel as DDP\nclass Box:\n"
            "    def cuda(self):\n        return self\ndef f(model):\n    return DDP(model.cuda())\n",
            "import torch\nimport torch_npu\nfrom torch.nn.parallel import DistributedDataParallel as DDP\n"
            "class Box:\n    def cuda(self):\n        return self\n"
            "def f(model):\n    return DDP(model.npu())\n",
        ),
        Example(
            "import torch\n@torch.jit.script\ndef f(x):\n    return x.cuda()\n",
            "import torch\nimport torch_npu\n@torch.jit.script\ndef f(x):\n    return x.to('npu')\n",
        ),
        Example("def f(x):\n    return x.cuda()\n", unsafe="def f(x):\n    return x.npu()\n"),
        Example(
            "import torch\nclass Box:\n    def cuda(self):\n        self.x = self.x.cuda()\n"
            "def f(y):\n    y.cuda()\n",
            "import torch\nimport torch_npu\nclass Box:\n    def cuda(self):\n"
            "        self.x = self.x.npu()\ndef f(y):\n    y.cuda()\n",
        ),
        Example.unchanged("import torch\nif args.cuda:\n    pass\nargs.cuda = torch.ones(1)\n"),
        Example.unchanged("import paddle, torch\npaddle.ones([1]).cuda()\nx = paddle.ones([1])\nx.cuda()\n"),
        Example.unchanged(
            "import torch\nclass Box:\n    def cuda(self):\n        return self\n\nb = Box()\nb.cuda()\n"
        ),
        Example.unchanged(
            "import torch\nclass Net(torch.nn.Module):\n    def cuda(self, d=None):\n        return self\n"
            "    npu = cuda\nclass Deep(Net):\n    def cuda(self, d=None):\n        return super().cuda(d)\n"
            "    npu = cuda\nnet = Deep()\nnet = net.cuda(0)\n"
        ),
        Example(
            "import torch\nclass Net(torch.nn.Module):\n    def cuda(self, d=None):\n"
            "        return super().cuda(d)\n",
            "import torch\nimport torch_npu\nclass Net(torch.nn.Module):\n    def cuda(self, d=None):\n"
            "        return super().npu(d)\n\n    npu = cuda\n",
        ),
    )

    @on.member("cuda")
    def method(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        kind = ctx.kind(ref.receiver)
        if not self._is_of_torch(ref, kind, ctx):
            return
        edits = self._edits(ref, kind, ctx)
        if edits is not None and not edits:
            yield self.report(ref.node, "moved_to", Severity.ERROR, receiver=shortened(ref.receiver))
            return
        applicability = self._applicability(ref, kind, ctx)
        if edits is None:
            edits, applicability = [replace(ref.identifier, "to")], Applicability.UNSAFE
        requires = self._requires(edits, applicability, ctx)
        title = Message.of("fix.replace", text=".to(device)") if edits[0].text.startswith("to") else None
        fix = self.fix(applicability, edits=edits, requires=requires, title=title)
        key = "moved" if edits[0].text == "npu" else "moved_to"
        said: dict[str, Any] = {"receiver": shortened(ref.receiver)}
        if applicability is Applicability.UNSAFE and (why := self._doubt(ref, kind, ctx)) is not None:
            key, said["reason"] = f"{key}_perhaps", why
        yield self.report(ref.node, key, Severity.WARNING, fix=fix, **said)

    @on.definition("cuda")
    def overridden(self, definition: Node, ctx: Context) -> Iterator[Finding]:
        """A module's own ``cuda()`` is what ``npu()`` must run, wherever that is called."""
        owner, name = owner_of(definition), field(definition, "name")
        if owner is None or name is None or not _is_module(owner, ctx):
            return
        holder = parent_of(definition)
        if holder is None or holder.type == "decorated_definition" or _has_npu(owner):
            return
        between = 2 * ctx.source.newline + " " * definition.start_point.column
        edit = Edit(definition.end_byte, definition.end_byte, f"{between}npu = cuda")
        fix = self.fix(Applicability.SAFE, edits=[edit])
        yield self.report(name, "overridden", Severity.WARNING, fix=fix)

    def _doubt(self, ref: MemberRef, kind: Kind, ctx: Context) -> Message | None:
        """Why the method may be another one than that of a tensor or a module; None where it is likely."""
        if kind in TORCH_KINDS:
            return None
        unknown = reason(ctx.types.unfollowed(ref.receiver))
        if could_be_own(ref, ctx):
            return Message.of("walk.own-method", reason=unknown)
        return None if _may_be_of_torch(ref, ctx) else unknown

    @on.name(*(f"{name}.cuda" for name in WITH_MOVES))
    def function(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        """The method taken from its class: ``torch.Tensor.cuda`` given to a map."""
        name = field(ref.node, "attribute")
        if name is not None:
            fix = self.fix(Applicability.SAFE, edits=[replace(name, "npu")], requires=ctx.names_the_npu)
            yield self.report(ref.node, "moved", Severity.WARNING, fix=fix, receiver=ref.written[:-5])

    def _is_of_torch(self, ref: MemberRef, kind: Kind, ctx: Context) -> bool:
        """Whether the method may be that of a tensor, a module, or an object that moves like one."""
        if is_assigned(ref) or is_foreign(ref, ctx) or is_defined_by_own_class(ref, ctx):
            return False
        if is_of_class_elsewhere(ref, ctx) or ref.receiver_name in WITH_MOVES or is_of_another_framework(ctx):
            return False  # the second is the function, see above
        if kind is Kind.OTHER and move_of_library(ref.receiver, ctx) != TO:
            return False
        is_method = kind in (Kind.TENSOR, Kind.MODULE) and not is_argument_namespace(ref.receiver)
        return ref.call is not None or is_method

    def _requires(
        self, edits: list[Edit], applicability: Applicability, ctx: Context
    ) -> frozenset[Requirement]:
        """The imports that the edits need."""
        spells_device = any("torch.device" in edit.text for edit in edits)
        requires = ctx.names_the_npu | ({TORCH} if spells_device else frozenset())
        if not ctx.imports_module("torch") and applicability is Applicability.SAFE and ctx.has_torch_npu:
            requires |= ctx.requires("torch_npu.npu")  # nothing else of the file would load it
        return requires

    def _applicability(self, ref: MemberRef, kind: Kind, ctx: Context) -> Applicability:
        if ref.arguments.unpacked and kind is not Kind.TENSOR and not _takes_what_no_module_takes(ref):
            return Applicability.UNSAFE  # the device of a module may be among what is unpacked
        if kind in TORCH_KINDS or _is_of_base(ref, ctx) or _is_wrapped(ref):
            return Applicability.SAFE
        if not _may_be_of_torch(ref, ctx):
            return Applicability.UNSAFE
        if could_be_own(ref, ctx):
            return Applicability.UNSAFE
        if is_in_map_location(ref.node, ctx) and ctx.version < STORAGE_METHODS_FROM:
            return Applicability.UNSAFE
        return Applicability.SAFE

    def _lacks_npu(self, ref: MemberRef, kind: Kind, ctx: Context) -> bool:
        """Whether the receiver is an object that has ``to()`` and no ``npu()``, or may be one: TorchScript
        knows none of a tensor's."""
        if is_scripted(ref.node, ctx):
            return True
        move = move_of_library(ref.receiver, ctx)
        if move is not None or kind is Kind.MODULE or not uses_containers(ctx):
            return move == TO
        if ref.arguments.unpacked or is_in_map_location(ref.node, ctx):
            return False
        return ctx.instances.of(ref.receiver) is None

    def _edits_of_container(self, ref: MemberRef, ctx: Context) -> list[Edit] | None:
        """``to()`` with a device, without which it does not move; what else is given to ``cuda()`` stays."""
        assert ref.call is not None
        arguments, to = ref.arguments, replace(ref.identifier, TO)
        given = arguments.get("device", 0)
        if given is not None and given.value.type == "none":
            return [to, replace(given.value, ctx.quoted("npu", ref.node))]
        if given is not None:
            device = ctx.kind(given.value)
            if device in (Kind.TEXT, Kind.DEVICE):
                return [to]
            return [to, *_as_device(given.value, ctx)] if device is Kind.INTEGER else None
        if arguments.unpacked:
            return []
        opening = field(ref.call, "arguments")
        assert opening is not None
        rest = ", " if arguments.items else ""
        at = opening.start_byte + 1
        return [to, Edit(at, at, f"{ctx.quoted('npu', ref.node)}{rest}")]

    def _edits(self, ref: MemberRef, kind: Kind, ctx: Context) -> list[Edit] | None:
        """The edits, if any are right; ``None`` when it depends on what the given device is."""
        given = ref.arguments.get("device", 0)
        if ref.call is not None and self._lacks_npu(ref, kind, ctx):
            return self._edits_of_container(ref, ctx)
        plain = given is None or kind is Kind.TENSOR or given.value.type == "none"
        if plain or ref.call is None or is_in_map_location(ref.node, ctx):
            return [replace(ref.identifier, "npu")]
        assert given is not None
        if _is_passed_on(ref, given.value, ctx):
            return [replace(ref.identifier, "npu")]
        device = ctx.kind(given.value)
        if device in (Kind.TEXT, Kind.DEVICE) or is_given_devices(given.value, ctx):
            return [replace(ref.identifier, "to")]
        if _takes_what_no_module_takes(ref):
            return [replace(ref.identifier, "npu")]
        if device is Kind.INTEGER or _is_ordinal_of_tensor(given.value):
            return [replace(ref.identifier, "to"), *_as_device(given.value, ctx)]
        return None


def _may_be_of_torch(ref: MemberRef, ctx: Context) -> bool:
    """Whether the file uses torch, or a receiver comes from what does."""
    if ctx.works_with_torch or move_of_library(ref.receiver, ctx) is not None:
        return True
    return is_module_of_project(ref, ctx)


def _as_device(value: Node, ctx: Context) -> list[Edit]:
    """The edits that make a device of a number, or of a parameter that is one in some calls."""
    is_either = shown_by_callers(value, ctx) is Shown.SOMETIMES and chain_of(value) is not None
    return ordinal_or_device(value, ctx) if is_either else ordinal_as_device(value, ctx)


def _is_ordinal_of_tensor(value: Node) -> bool:
    """``x.get_device()``."""
    return value.type == "call" and last_name(value) == "get_device" and not arguments_of(value).items


def _is_wrapped(ref: MemberRef) -> bool:
    """Whether the call is what a wrapper of modules gets: ``DistributedDataParallel(model.cuda())``."""
    passed = passed_to(ref.call) if ref.call is not None else None
    name = last_name(passed.call) or "" if passed is not None else ""
    is_first = passed is not None and passed.argument.position == 0
    return is_first and name.endswith(_WRAPPERS)


def _takes_what_no_module_takes(ref: MemberRef) -> bool:
    """Whether it is a tensor by the call's arguments: ``Module.cuda`` takes a device and nothing else."""
    return ref.arguments.get("non_blocking", 1) is not None


def _is_module(owner: Node, ctx: Context) -> bool:
    """Whether a class is a module of torch, or derives from a class of the project that may be one."""
    if ctx.types.is_module_class(owner):
        return True
    bases = field(owner, "superclasses")
    for base in bases.named_children if bases is not None else ():
        module = ctx.source.names.name_of(base).rpartition(".")[0]
        if module and ctx.project.find_module(ctx.source.path, module) is not None:
            return True
    return False


def _has_npu(owner: Node) -> bool:
    body = field(owner, "body")
    statements = parts_of(body) if body is not None else []
    defined = [field(item, "name") for item in statements]
    assigned = [field(inner, "left") for item in statements for inner in item.named_children[:1]]
    return any(text_of(item) == "npu" for item in (*defined, *assigned))


def _is_of_base(ref: MemberRef, ctx: Context) -> bool:
    """Whether a module's own ``cuda()`` calls that of its base class."""
    function = ctx.source.enclosing(ref.node, "function_definition")
    name, owner = field(function, "name"), owner_of(function) if function is not None else None
    is_own = text_of(name) == "cuda" and text_of(ref.receiver).startswith("super(")
    return is_own and owner is not None and _is_module(owner, ctx)


def _is_passed_on(ref: MemberRef, given: Node, ctx: Context) -> bool:
    """Whether a module's own ``cuda(device=None)`` hands its device on to torch's."""
    bindings = ctx.source.names.bindings_in_scope(text_of(given), given) if _is_of_base(ref, ctx) else ()
    return any(item.kind is BindingKind.PARAMETER for item in bindings)
