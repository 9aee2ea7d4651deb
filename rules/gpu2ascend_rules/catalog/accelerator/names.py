"""ACC101: names below ``torch.cuda``, where they are used."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ...edits.removal import is_call_statement, statement_removal
from ...engine.context import Context
from ...engine.events import NameRef, StringRef
from ...engine.rule import Example, on, replace
from ...facts.releases.neutral import CUDA, Neutral, neutral_name
from ...flow.guards.cuda_guards import Guard, guard_of_name
from ...flow.library_flags import flag_of_library
from ...inference.kinds import Kind
from ...limits.parents import parent_of, parent_type
from ...model.finding import Edit, Finding, Severity
from ...renames.existence_tests import is_set
from ...text.scopes import BindingKind
from ...text.syntax import Arguments, enclosing_statement, field, last_name, passed_to, text_of
from .cuda_tests import Becomes
from .cuda_tests import becomes as becomes_of
from .device_arguments import FORMS, with_device
from .neutral_rule import NeutralRule, is_where_there_is_one
from .staying import is_behind_test

_PARTS_OF_NAMES = ("attribute", "dotted_name", "import_statement", "import_from_statement")
_IMPORT = "import_from_statement"
_QUESTION = "torch.cuda.is_available"
_SEED = "torch.manual_seed"
_TENSOR_TYPE = re.compile(r"torch\.cuda\.\w+Tensor")
_NUMBERS = ("_allocated", "_reserved")
"""How names end that give a number of bytes: nothing without an accelerator."""

_HANDLES = {"torch.cuda.Event": ("cuda_event",), "torch.cuda.Stream": ("cuda_stream",)}
"""Attributes that the device-agnostic class does not have."""


class CudaName(NeutralRule):
    """A name below torch.cuda is used.

    What it does: Replaces a name below ``torch.cuda`` with one of ``torch.accelerator`` or of torch itself
    that means the same on every accelerator. If the new function raises without an accelerator where the CUDA
    function did nothing, a test is added. Names without a device-agnostic form are reported.
    ``is_available()`` stays where it opens code with such names.

    Why it matters on the NPU: ``torch.cuda`` covers CUDA only: on every other accelerator the program uses
    the CPU, or raises.

    Example: ``torch.cuda.is_available()`` becomes ``torch.accelerator.is_available()``.

    Use instead: ``torch.accelerator``; for features of a single kind of device,
    ``torch.get_device_module()``.
    """

    code = "ACC101"
    name = "neutral-name"
    examples = (
        Example(
            "import torch as th\nif th.cuda.is_available():\n    n = th.cuda.device_count()\n",
            "import torch as th\nif th.accelerator.is_available():\n    n = th.accelerator.device_count()\n",
        ),
        Example(
            "import torch\n\ndef clean():\n    torch.cuda.empty_cache()\n",
            "import torch\n\ndef clean():\n    if torch.accelerator.is_available():\n"
            "        torch.accelerator.empty_cache()\n",
        ),
        Example(
            "import torch\nif torch.accelerator.is_available():\n    torch.cuda.empty_cache()\n",
            "import torch\nif torch.accelerator.is_available():\n    torch.accelerator.empty_cache()\n",
        ),
        Example(
            "import torch\nprint(torch.cuda.max_memory_allocated() / 2**20)\n",
            "import torch\nprint((torch.accelerator.max_memory_allocated() "
            "if torch.accelerator.is_available() else 0) / 2**20)\n",
        ),
        Example(
            "import torch\ntorch.cuda.synchronize()\nwait = lambda: torch.cuda.synchronize()\n",
            "import torch\nif torch.accelerator.is_available():\n    torch.accelerator.synchronize()\n"
            "wait = lambda: (torch.accelerator.synchronize() "
            "if torch.accelerator.is_available() else None)\n",
        ),
        Example(
            "import torch\n\ndef seed(n):\n    torch.manual_seed(n)\n    torch.cuda.manual_seed_all(n)\n",
            "import torch\n\ndef seed(n):\n    torch.manual_seed(n)\n",
        ),
        Example(
            "import torch\ntorch.cuda.manual_seed_all(args.seed)\n",
            "import torch\ntorch.manual_seed(args.seed)\n",
        ),
        Example(
            "import torch\n\ndef step(x, device: torch.device):\n    with torch.cuda.amp.autocast(on):\n"
            "        pass\n",
            "import torch\n\ndef step(x, device: torch.device):\n"
            "    with torch.autocast(device.type, enabled=on):\n        pass\n",
        ),
        Example(
            "import torch\ndevice = torch.device(name)\ns = torch.cuda.amp.GradScaler(enabled=amp)\n",
            "import torch\ndevice = torch.device(name)\ns = torch.amp.GradScaler(device.type, enabled=amp)\n",
        ),
        Example(
            "import torch\n\ndef step(f, device: torch.device):\n    return torch.cuda.amp.custom_fwd(f)\n",
            "import torch\n\ndef step(f, device: torch.device):\n"
            "    return torch.amp.custom_fwd(f, device_type=device.type)\n",
        ),
        Example("import torch\nwith torch.cuda.amp.autocast(*given, on):\n    pass\n"),
        Example("import torch\ns = make(torch.cuda.amp.GradScaler)\n"),
        Example(
            "import torch\nn = torch.cuda.get_device_name(0)\n",
            "import torch\nn = torch.get_device_module().get_device_name(0)\n",
        ),
        Example("import torch\ns = torch.cuda.Stream()\n", unsafe="import torch\ns = torch.Stream()\n"),
        Example("import torch\ne = torch.cuda.Event()\nprint(e.cuda_event)\n"),
        Example("import torch\nok = torch.cuda.is_available() and torch.cuda.is_bf16_supported()\n"),
        Example("import torch\ntorch.cuda.nvtx.range_push('x')\n"),
        Example("import torch\nwith torch.cuda.device_of(x):\n    pass\n"),
        Example("import torch\nkind = torch.cuda if torch.cuda.is_available() else torch\n"),
        Example("import torch\ntorch.cuda.memory_stats_as_nested_dict()\n"),
        Example("import torch\ntorch.cuda.empty_cache()\n", version="2.8.0"),
        Example("import torch\ntorch.cuda.reset_peak_memory_stats()\n", version="2.8.0"),
        Example("import torch\ntorch.set_default_tensor_type('torch.cuda.FloatTensor')\n"),
        Example.unchanged("import torch\ntorch.accelerator.synchronize()\n"),
        Example.unchanged(
            "import torch\nimport torch_fidelity\n"
            "m = torch_fidelity.calculate_metrics(input1=d, cuda=torch.cuda.is_available())\n"
        ),
    )

    @on.name(CUDA)
    def module(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        """``kind = torch.cuda``: its names are taken where nothing shows which."""
        passed, holder = passed_to(ref.node), parent_type(ref.node)
        is_asked = passed is not None and last_name(passed.call) == "hasattr"
        is_import = ref.binding is not None and ref.binding.statement.type == _IMPORT
        if holder not in _PARTS_OF_NAMES and not is_asked and not is_import and not is_set(ref.node):
            yield self._kept(ref, None, ctx)

    @on.name(f"{CUDA}.**")
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if _is_of_another_place(ref):
            return
        found = neutral_name(ref.name)
        if found is None or not found.becomes or found.since is None:
            yield self._kept(ref, found, ctx)
            return
        if guard_of_name(ref, ctx) is Guard.CUDA_ONLY:
            return
        if ref.name == _QUESTION and flag_of_library(ref.node, ctx) is not None:
            return  # of a library that works with CUDA: the answer for it is right on every machine
        if found.since > ctx.version:
            is_harmless = found.without == "nothing" or is_behind_test(ref.node, ctx)
            yield self.report(
                ref.node, "later", Severity.INFORMATION if is_harmless else Severity.ERROR,
                api=ref.name, kind="unsupported", target=found.becomes, since=found.since,
                version=ctx.version,
            )  # fmt: skip
            return
        if any(map(ctx.source.identifiers, _HANDLES.get(ref.name, ()))):
            yield self.without_form(ref.node, ref.name)
            return
        what = becomes_of(ref.node, ctx) if ref.name == _QUESTION else Becomes.ANY
        if what in (Becomes.DIVIDED, Becomes.ARMS):
            yield self.report(ref.node, what.value, Severity.ERROR, api=ref.name)
        if what in (Becomes.ANY, Becomes.CURRENT):
            yield self._changed(ref, found, ctx)

    def _kept(self, ref: NameRef, found: Neutral | None, ctx: Context) -> Finding:
        """A name that nothing stands for."""
        if is_behind_test(ref.node, ctx):
            return self.report(ref.node, "kept", Severity.INFORMATION, api=ref.name)
        if found is not None and found.without == "nothing":
            return self.report(ref.node, "idle", Severity.HINT, api=ref.name)
        return self.without_form(ref.node, ref.name)

    @on.string("torch.cuda.")
    def tensor_type(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        """``torch.set_default_tensor_type('torch.cuda.FloatTensor')``."""
        if _TENSOR_TYPE.fullmatch(ref.text):
            yield self.report(ref.node, "tensor_type", Severity.ERROR, api=ref.text, kind="unsupported")

    def _changed(self, ref: NameRef, found: Neutral, ctx: Context) -> Finding:
        node = _node_of(ref, found)
        call = parent_of(node) if parent_type(node) == "call" else None
        edits, is_safe = self._edits(node, call, found, ref, ctx)
        assert found.since is not None
        fix = self.neutral(edits, found.since, is_safe=is_safe) if edits else None
        key = "renamed" if is_safe else "renamed_perhaps"
        severity = Severity.WARNING if edits else Severity.ERROR
        return self.report(
            ref.node, key, severity, fix=fix, api=ref.name, target=found.becomes, since=found.since
        )

    def _edits(
        self, node: Node, call: Node | None, found: Neutral, ref: NameRef, ctx: Context
    ) -> tuple[list[Edit], bool]:
        """The edits, if any are right, and whether they mean the same."""
        target = ctx.spell(found.becomes)
        arguments = ref.arguments
        if found.form == "guarded":
            is_tested = is_where_there_is_one(node)
            return _guarded(node, call, target, ctx), call is not None or is_tested
        if found.form == "module":
            last = found.cuda.rpartition(".")[2]
            is_name = last.endswith("name")
            return [replace(node, f"{target}().{last}")], is_name
        if found.form in FORMS:
            more = with_device(node, found.form, ctx)
            return ([], False) if more is None else ([replace(node, target), *more.edits], more.is_safe)
        if found.becomes == _SEED and call is not None and _is_seeded_before(call, ctx):
            return [statement_removal(ctx.source, enclosing_statement(call))], True
        is_safe = {
            "rename": True,
            "similar": False,
            "keywords": call is not None and not arguments.positional and not arguments.unpacked,
            "index": _takes_number(arguments, ctx),
        }[found.form]
        return [replace(node, target)], is_safe


def _is_of_another_place(ref: NameRef) -> bool:
    """Whether a name comes with its import or with what its variable is set to, or is only written to."""
    is_variable = ref.binding is not None and ref.binding.kind is BindingKind.ASSIGNMENT
    return is_variable or _is_changed_with_import(ref) or ref.name == CUDA or is_set(ref.node)


def _is_changed_with_import(ref: NameRef) -> bool:
    """Whether a use is the very name of a ``from`` import, which changes with that."""
    return ref.name == ref.root_name and ref.binding is not None and ref.binding.statement.type == _IMPORT


def _is_seeded_before(call: Node, ctx: Context) -> bool:
    """Whether the seed of torch, which is that of every device, is set to the same above in the block."""
    if not is_call_statement(call):
        return False
    given = text_of(field(call, "arguments") or call)
    before = enclosing_statement(call).prev_named_sibling
    while before is not None:
        made = before.named_children[0] if before.type == "expression_statement" else before
        if ctx.source.names.called_in(made) == _SEED:
            return text_of(field(made, "arguments") or made) == given
        before = before.prev_named_sibling
    return False


def _node_of(ref: NameRef, found: Neutral) -> Node:
    """The part of the expression that is the name of the table; attributes behind it stay."""
    more = ref.name.count(".") - found.cuda.count(".")
    node = ref.node
    for _ in range(more):
        node = field(node, "object") or node
    return node


def _takes_number(arguments: Arguments, ctx: Context) -> bool:
    given = arguments.get("device", 0)
    return given is not None and ctx.kind(given.value) is Kind.INTEGER


def _guarded(node: Node, call: Node | None, target: str, ctx: Context) -> list[Edit]:
    """The new name behind a test for an accelerator, where no test is around it already."""
    if call is None or is_where_there_is_one(node):
        return [replace(node, target)]
    test = f"{ctx.spell('torch.accelerator.is_available')}()"
    if is_call_statement(call):
        statement = enclosing_statement(call)
        column = statement.start_point[1]
        line = ctx.source.data[statement.start_byte - column : statement.start_byte]
        if not line.strip():
            indent = line.decode("utf-8")
            step = "\t" if indent.startswith("\t") else "    "
            text = f"if {test}:{ctx.source.newline}{indent}{step}{target}"
            return [Edit(statement.start_byte, node.end_byte, text)]
    return [
        Edit(call.start_byte, node.end_byte, f"({target}"),
        Edit(call.end_byte, call.end_byte, f" if {test} else {'0' if target.endswith(_NUMBERS) else None})"),
    ]
