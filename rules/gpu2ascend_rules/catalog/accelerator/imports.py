"""ACC102: names that are imported from below ``torch.cuda``."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import ImportRef
from ...engine.rule import Example, on
from ...facts.releases.neutral import Neutral, neutral_name
from ...model.finding import Finding, Severity
from ...renames.qualified_names import is_handed_on, moved_import
from ...text.syntax import arguments_of, call_of
from ...text.uses import readers_of_import
from .device_arguments import FORMS, with_device
from .neutral_rule import NeutralRule

_MODULES = frozenset({"amp", "device", "random", "memory", "streams"})


class CudaImport(NeutralRule):
    """A name below torch.cuda is imported.

    What it does: Imports the device-agnostic name instead and updates its uses; calls of autocast and
    GradScaler get the device type as an argument. Names without a device-agnostic form are reported, and so
    are names with a use that must be changed by hand; their import stays. The import of a module is left
    unchanged, because the uses of its members are reported separately.

    Why it matters on the NPU: The imported names work with CUDA only.

    Example: ``from torch.cuda.amp import GradScaler`` becomes ``from torch.amp import GradScaler``.

    Use instead: the same name from ``torch.amp`` or ``torch.accelerator``.
    """

    code = "ACC102"
    name = "neutral-import"
    examples = (
        Example(
            "import torch\nfrom torch.cuda.amp import GradScaler\n\ndef run(device: torch.device):\n"
            "    return GradScaler()\n",
            "import torch\nfrom torch.amp import GradScaler\n\ndef run(device: torch.device):\n"
            "    return GradScaler(device.type)\n",
        ),
        Example(
            "from torch.cuda import is_available\nif is_available():\n    pass\n",
            "from torch.accelerator import is_available\nif is_available():\n    pass\n",
        ),
        Example(
            "from functools import partial\nfrom torch.cuda.amp import autocast\n"
            "off = partial(autocast, enabled=False)\n"
        ),
        Example(
            "from torch.cuda import Event\ne = Event(True)\n",
            unsafe="from torch import Event\ne = Event(True)\n",
        ),
        Example("from torch.cuda import nvtx\nnvtx.range_push('x')\n"),
        Example.unchanged("import torch.cuda\n"),
        Example.unchanged("from torch.cuda import amp\n"),
    )

    @on.imports("torch.cuda.**")
    def imported(self, ref: ImportRef, ctx: Context) -> Iterator[Finding]:
        if ref.statement.type != "import_from_statement":
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
        others_use = is_handed_on(ref.binding, ctx)
        edits = moved_import(ref.binding, module, name, ctx, keeps_name=others_use)
        if edits is None or found.since is None or (others_use and found.form in FORMS):
            return self.without_form(ref.node, ref.name, "by_hand")
        uses = tuple(readers_of_import(ref.binding, ctx.source))
        is_safe = found.form == "rename"
        if found.form == "keywords":
            is_safe = all(_is_called_by_keywords(use) for use in uses)
        if found.form in FORMS:
            changes = [with_device(use, found.form, ctx) for use in uses]
            known = [change for change in changes if change is not None]
            if len(known) < len(changes):  # the import would change what the other uses mean
                return self.without_form(ref.node, ref.name, "by_hand")
            is_safe = all(change.is_safe for change in known)
            edits = [*edits, *(edit for change in known for edit in change.edits)]
        fix = self.neutral(dict.fromkeys(edits), found.since, is_safe=is_safe, requires=())
        return self.report(
            ref.node, "moved", Severity.WARNING, fix=fix, api=ref.name, target=found.becomes,
            since=found.since,
        )  # fmt: skip


def _is_called_by_keywords(name: Node) -> bool:
    """Whether a use is a call that shows the names of all that is given."""
    call = call_of(name)
    arguments = arguments_of(call) if call is not None else None
    return arguments is not None and not arguments.positional and not arguments.unpacked
