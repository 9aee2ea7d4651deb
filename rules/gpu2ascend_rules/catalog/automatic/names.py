"""AUTO107 and AUTO108: names and arguments that transfer_to_npu does not reach, or changes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...engine.context import Context
from ...engine.events import KeywordRef, MemberRef, NameRef
from ...engine.rule import Example, on
from ...facts.releases.transfer import is_in, patched_functions, patched_names, unreached, unreached_patterns
from ...inference.extensions.cuda_sources import LOADERS
from ...limits.parents import parent_of, parent_type
from ...model.finding import Finding, Severity
from ...model.versions import Version
from ...renames.cuda_names import PRIVATE_OF_CUDA, length_of_api
from ...renames.named_rule import NamedRule
from ...text.guards import is_expected_missing
from ...text.syntax import field, text_of
from .automatic_rule import AutomaticRule

_STORAGE = ("untyped_storage", "storage")
_GIVEN = frozenset({"outside", "backend"})
"""Keys of names that matter where they are given CUDA."""
_ASKED = frozenset({"proxy", "instance"})
"""Keys of classes that matter where an object is asked for its class."""
_KEEPS_SCRIPTS = re.compile(rb"\bjit\.(?:save|freeze|optimize_for_inference)\b|\.save(?:_to_buffer)?\(")
"""What needs a compiled module; others run a module as it is as well."""
_PINNED_BY_TORCH = Version(2, 7)
"""From there on torch pins memory for every accelerator."""


class TransferName(AutomaticRule):
    """transfer_to_npu does not replace a name, or changes its meaning.

    What it does: Looks up each name in the list of what transfer_to_npu of the chosen release replaces, and
    reports names that it leaves unchanged or whose meaning it changes.

    Why it matters on the NPU: A name that is not replaced raises, or describes a CUDA device that does not
    exist: ``torch.cuda.get_arch_list()`` is empty, ``torch.version.cuda`` is None.
    ``torch.cuda.DoubleTensor`` becomes a single-precision type, and ``torch.jit.script`` returns the function
    unchanged.

    Example: ``torch.cuda.nvtx.range_push('step')``.

    Use instead: what each message names; most of the names have a counterpart below ``torch_npu.npu``.
    """

    code = "AUTO107"
    examples = (
        Example("import torch\ntorch.cuda.nvtx.range_push('step')\n"),
        Example("import torch\nif torch.version.cuda:\n    pass\n"),
        Example("import torch\nx = torch.asarray([1], device='cuda')\n"),
        Example("import torch\ng = torch.cuda.default_generators[0]\n", version="2.6.0"),
        Example("import torch\ns = torch.amp.GradScaler('cuda')\n"),
        Example("import torch\nf = torch.jit.script(g)\n\n@torch.jit.script\ndef add(x, y): ...\n"),
        Example(
            "import torch\n@torch.jit.script\ndef add(x, y): ...\n"
            "m = torch.jit.script(model)\nm.save('model.pt')\n"
        ),
        Example("import torch\nd = torch.device('cuda')\nx = torch.asarray([1], device=d)\n"),
        Example("import torch\nok = isinstance(x, torch.cuda.FloatTensor)\n"),
        Example("from torch.distributed import init_device_mesh\ninit_device_mesh('cuda', (2,))\n"),
        Example.unchanged(
            "from torch.distributed.device_mesh import init_device_mesh\ninit_device_mesh('cuda', (2,))\n"
        ),
        Example.unchanged("from torch.utils.cpp_extension import load\nload('a', ['a.cpp'])\n"),
        Example("import torch\ns = torch.cuda.ExternalStream(handle)\n"),
        Example.unchanged(
            "import torch\ntorch.cuda.synchronize()\nx = torch.ones(2, device='cuda').cuda()\n"
            "y = torch.asarray([1])\ng = torch.cuda.default_generators[0]\n",
            version="2.13.0",
        ),
    )

    @on.name(*unreached_patterns())
    def used(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        known = unreached(ctx.version)
        found = next((known[pattern] for pattern in _patterns(ref.name) if pattern in known), None)
        if found is None:
            return
        if found.key in _GIVEN and not _names_cuda(ref, ctx):
            return
        if found.key in _ASKED and not _is_asked_for(ref):
            return
        if found.key == "outside" and _is_by_its_module(ref, ctx):
            return
        if ref.name in LOADERS and _compiles_no_cuda(ref, ctx):
            return
        severity = _severity_without_script(ref, ctx) if found.key == "unscripted" else None
        severity = severity or Severity(found.severity)
        kind = "unsupported" if severity is Severity.ERROR else ""
        yield self.report(ref.node, found.key, severity, api=ref.name, kind=kind)

    @on.name("torch.cuda.**")
    def left(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        """A name that torch_npu does not have, so that CUDA's stays in its place."""
        listed = unreached_patterns()
        if any(pattern in listed for pattern in _patterns(ref.name)):
            return
        parts = ref.name.split(".")
        count = length_of_api(parts, max(ref.root_length, 3), ctx)
        if count is None or _is_served(parts[:count], ctx):
            return
        api = ref.cut(count)
        if not is_expected_missing(api.node, ctx.source):
            yield self.report(api.node, "stays", Severity.ERROR, api=api.name, kind="unsupported")

    @on.name("torch._C.**")
    def private(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        """A name of torch's extension module that only a build for CUDA has."""
        own = ".".join(ref.name.split(".")[:3])
        is_missing = own.rpartition(".")[2].startswith(PRIVATE_OF_CUDA)
        if is_missing and not is_expected_missing(ref.node, ctx.source):
            yield self.report(ref.node, "raises", Severity.ERROR, api=own, kind="unsupported")


def _is_served(parts: list[str], ctx: Context) -> bool:
    """Whether a name, or what it is read of, is one of the NPU's after the replacement."""
    replaced = patched_names(ctx.version)
    names = (".".join(parts[:count]) for count in range(len(parts), 2, -1))
    return any(
        name in replaced
        or (
            ctx.facts.npu_name_exists(on_npu := "torch_npu.npu" + name.removeprefix("torch.cuda"))
            and (len(name.split(".")) == len(parts) or ctx.facts.npu_kind(on_npu) != "module")
        )
        for name in names
    )


def _compiles_no_cuda(ref: NameRef, ctx: Context) -> bool:
    """Whether a call of ``load`` is given sources of C++ alone, which build everywhere."""
    if ref.call is None:
        return False
    return not ctx.cuda_builds.of_load(ref.call) and not ctx.cuda_builds.is_unknown(ref.call)


def _severity_without_script(ref: NameRef, ctx: Context) -> Severity | None:
    """What it is that a function is not compiled: where the file keeps nothing compiled, it runs as well."""
    if _KEEPS_SCRIPTS.search(ctx.source.data) is None:
        return Severity.HINT
    return Severity.INFORMATION if parent_type(ref.node) == "decorator" else None


def _patterns(name: str) -> Iterator[str]:
    yield name
    while "." in name:
        yield f"{name}.**"
        name = name.rpartition(".")[0]


def _names_cuda(ref: NameRef, ctx: Context) -> bool:
    """Whether a call is given CUDA, as text or by a name that means such a text in the file; a
    decorator without arguments counts, too."""
    if ref.call is None:
        return parent_type(ref.node) == "decorator"
    given = text_of(ref.call).partition("(")[2]
    if "cuda" in given or "nccl" in given:
        return True
    values = (item.value for item in ref.arguments.items)
    return any("cuda" in text_of(origin) for value in values for origin in ctx.origins(value))


def _is_asked_for(ref: NameRef) -> bool:
    """``isinstance(x, <name>)``, also within a tuple."""
    holder = parent_of(ref.node)
    while holder is not None and holder.type in ("tuple", "argument_list"):
        holder = parent_of(holder)
    function = field(holder, "function") if holder is not None and holder.type == "call" else None
    return text_of(function) == "isinstance"


def _is_by_its_module(ref: NameRef, ctx: Context) -> bool:
    """Whether a function is taken from the module where it is replaced, and not from another that has it."""
    imported = ref.binding.target if ref.binding is not None else ""
    written = f"{imported}{ref.written.removeprefix(text_of(ref.chain.root))}"
    return written != ref.name and written in patched_functions(ctx.version)


class TransferArgument(NamedRule, AutomaticRule):
    """transfer_to_npu does not cover an argument or attribute.

    What it does: Reports ``channels_last``, ``pin_memory`` in releases in which torch pins memory for CUDA
    only, and ``is_cuda`` of storages.

    Why it matters on the NPU: channels_last is documented as unsupported. Before PyTorch 2.7, memory is
    pinned for CUDA only, so nothing is pinned. ``is_cuda`` of a storage is always False.

    Example: ``model.to(memory_format=torch.channels_last)``.

    Use instead: the default format; ``pin_memory_device='npu'``.
    """

    code = "AUTO108"
    examples = (
        Example("import torch\nm = m.to(memory_format=torch.channels_last)\n"),
        Example("import torch\nd = torch.utils.data.DataLoader(s, pin_memory=True)\n", version="2.6.0"),
        Example("import torch\nif x.untyped_storage().is_cuda:\n    pass\n"),
        Example.unchanged(
            "import torch\nd = torch.utils.data.DataLoader(s, pin_memory=True)\nif x.is_cuda:\n    pass\n"
        ),
    )

    @on.keyword("pin_memory")
    def pinned(self, ref: KeywordRef, ctx: Context) -> Iterator[Finding]:
        is_for_cuda = ctx.version < _PINNED_BY_TORCH and ref.value.type == "true"
        callee = text_of(ref.call).partition("(")[0]
        if is_for_cuda and "DataLoader" in callee and ctx.imports_module("torch"):
            yield self.report(ref.node, "pinned", Severity.WARNING)

    @on.member("is_cuda")
    def storage(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        receiver = text_of(ref.receiver)
        if not receiver.endswith(tuple(f".{name}()" for name in _STORAGE)):
            return
        if receiver.endswith(".untyped_storage()") or not is_in(ctx.version, "2.7.1,2.9.0-"):
            yield self.report(ref.node, "storage", Severity.ERROR)
