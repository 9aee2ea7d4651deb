"""ACC102: names that are imported from below ``torch.cuda``."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import ImportRef
from ...engine.rule import on
from ...facts.releases.neutral import Neutral, neutral_name
from ...limits.parents import parent_type
from ...model.finding import Edit, Finding, Severity
from ...renames.qualified_names import is_handed_on, moved_import
from ...text.scopes import Binding
from ...text.syntax import arguments_of, call_of, field, same
from .neutral_rule import NeutralRule, becomes, device_text, is_test_file

_MODULES = frozenset({"amp", "device", "random", "memory", "streams"})
_WITH_DEVICE = frozenset({"autocast", "scaler", "decorator"})


class CudaImport(NeutralRule):
    """A name below torch.cuda is imported.

    What it does: Imports the device-agnostic name instead and updates its uses; calls of autocast and
    GradScaler get the device type as an argument. Names without a device-agnostic form are reported. The
    import of a module is left unchanged, because the uses of its members are reported separately.

    Why it matters on the NPU: The imported names work with CUDA only.

    Example: ``from torch.cuda.amp import GradScaler`` becomes ``from torch.amp import GradScaler``.

    Use instead: the same name from ``torch.amp`` or ``torch.accelerator``.
    """

    code = "ACC102"
    name = "neutral-import"
    examples = (
        becomes(
            "import torch\nfrom torch.cuda.amp import GradScaler\n\ndef run(device: torch.device):\n"
            "    return GradScaler()\n",
            "import torch\nfrom torch.amp import GradScaler\n\ndef run(device: torch.device):\n"
            "    return GradScaler(device.type)\n",
        ),
        becomes("from torch.cuda import is_available\nif is_available():\n    pass\n",
                "from torch.accelerator import is_available\nif is_available():\n    pass\n"),
        becomes("from torch.cuda import nvtx\nnvtx.range_push('x')\n", manual=True),
        becomes("import torch.cuda\n"),
        becomes("from torch.cuda import amp\n"),
    )  # fmt: skip

    @on.imports("torch.cuda.**")
    def imported(self, ref: ImportRef, ctx: Context) -> Iterator[Finding]:
        if is_test_file(ctx) or ref.statement.type != "import_from_statement":
            return
        last = ref.name.rpartition(".")[2]
        if ref.is_star or ref.name == "torch.cuda" or last in _MODULES:
            return
        found = neutral_name(ref.name)
        if found is None or found.since is None or found.cuda != ref.name:
            yield self.without_form(ref.node, ref.name)
        elif found.since > ctx.version or found.form in ("guarded", "module"):
            yield self.without_form(ref.node, ref.name, "by_hand")
        else:
            yield self._moved(ref, found, ctx)

    def _moved(self, ref: ImportRef, found: Neutral, ctx: Context) -> Finding:
        module, _, name = found.becomes.rpartition(".")
        edits = moved_import(ref.binding, module, name, ctx, keeps_name=is_handed_on(ref.binding, ctx))
        if edits is None or found.since is None:
            return self.without_form(ref.node, ref.name, "by_hand")
        is_safe = found.form in ("rename", "keywords")
        if found.form in _WITH_DEVICE:
            more = _with_device(ref.binding, found.form, ctx)
            is_safe = more is not None
            edits = [*edits, *(more or ())]
        fix = self.neutral(dict.fromkeys(edits), found.since, is_safe=is_safe, requires=())
        return self.report(
            ref.node, "moved", Severity.WARNING, fix=fix, api=ref.name, target=found.becomes,
            since=found.since,
        )  # fmt: skip


def _with_device(binding: Binding, form: str, ctx: Context) -> list[Edit] | None:
    """The edits that give every use the type of the device; None where one is no plain call."""
    edits: list[Edit] = []
    for identifier in ctx.source.names.references(binding.name):
        resolution = ctx.source.names.resolve(identifier)
        source = resolution.binding if resolution is not None else None
        if source is None or not same(source.node, binding.node):
            continue
        made = _use(identifier, form, ctx)
        if made is None:
            return None
        edits += made
    return edits


def _use(identifier: Node, form: str, ctx: Context) -> list[Edit] | None:
    kind, helper = device_text(ctx).type_of_device(identifier)
    call = call_of(identifier)
    is_decorator = parent_type(identifier) == "decorator"
    if call is None:
        if form != "decorator" or not is_decorator:
            return None
        return [Edit(identifier.end_byte, identifier.end_byte, f"(device_type={kind})"), *helper]
    arguments, holder = arguments_of(call), field(call, "arguments")
    if holder is None or (form != "scaler" and arguments.positional) or arguments.unpacked:
        return None
    given = f"device_type={kind}" if form == "decorator" else kind
    start = holder.start_byte + 1
    text = f"{given}, " if arguments.items else given
    return [Edit(start, start, text), *helper]
