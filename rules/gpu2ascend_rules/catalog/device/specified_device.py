"""NPU290 and NPU214: the card of a single-device run by DEVICE_ID, on request; runs without any device."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ...codemods.from_cpu.script import Training, names_device, names_no_device, training_in
from ...engine.context import Context
from ...engine.events import MemberRef, StringRef
from ...engine.rule import Example, Rule, on
from ...flow.programs import ModuleReader, executed_imports, program_of
from ...limits.parents import parent_of
from ...model.finding import Applicability, Edit, Finding, Fix, Message, Severity
from ...model.versions import Version
from ...text.scopes import BindingKind
from ...text.source_file import SourceFile
from ...text.syntax import enclosing, field, is_field, same, text_of
from ...text.unit_tests import is_unit_test

VARIABLE = "DEVICE_ID"
VISIBLE_DEVICES_FROM = Version(1, 8)
_ON = (("specify_device", True),)
_PLAIN = frozenset({"string", "identifier", "attribute", "call", "subscript"})
_VISIBLE = ("CUDA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES")
_LAUNCHED = ("LOCAL_RANK", "RANK_SIZE")
"""What the processes of a distributed launch have, of today's launchers and of older shell loops."""
_RUNS_OTHERS = re.compile(rb"\brunpy\b|\bexec\s*\(")


class SpecifiedDevice(Rule):
    """The script runs on the card that DEVICE_ID names.

    What it does: Only with the option ``--specify-device``: makes only the card named by ``DEVICE_ID``
    visible to a script (a file with a ``__main__`` guard); the variable is read once. Processes of a
    distributed launch, which have ``LOCAL_RANK`` or ``RANK_SIZE``, are not affected. A card that the script
    selects itself through the environment is used in runs without ``DEVICE_ID``, or an error reports that
    both select a card. For a script that joins a process group there is only a warning: all of its processes
    would see the same card as card 0, and then select another one by their rank.

    Why it matters on the NPU: A migrated single-device script uses card 0 wherever it names a device. If only
    one card is visible, that card is card 0, however the script spells it.

    Example: ``DEVICE_ID=3 python train.py``.

    Use instead: ``ASCEND_RT_VISIBLE_DEVICES=3 python train.py``, which needs no change of the script.
    """

    code = "NPU290"
    only_with = "torch"
    only_with_option = "specify_device"
    examples = (
        Example(
            "import torch\n\nif __name__ == '__main__':\n    main()\n",
            "import os\n\n"
            'DEVICE_ID = os.environ.get("DEVICE_ID")\n'
            'if DEVICE_ID is not None and not {"LOCAL_RANK", "RANK_SIZE"} & os.environ.keys():\n'
            '    os.environ["ASCEND_RT_VISIBLE_DEVICES"] = DEVICE_ID\n\n'
            "import torch\n\nif __name__ == '__main__':\n    main()\n",
            settings=_ON,
        ),
        Example(
            "import os\nimport torch\nif __name__ == '__main__':\n    main()\n",
            "import os\n"
            'DEVICE_ID = os.environ.get("DEVICE_ID")\n'
            'if DEVICE_ID is not None and not {"LOCAL_RANK", "RANK_SIZE"} & os.environ.keys():\n'
            '    os.environ["ASCEND_RT_VISIBLE_DEVICES"] = DEVICE_ID\n\n'
            "import torch\nif __name__ == '__main__':\n    main()\n",
            settings=_ON,
        ),
        Example(
            "import os\nimport torch\nif __name__ == '__main__':\n    main()\n",
            "import os\nimport torch\n"
            'DEVICE_ID = os.environ.get("DEVICE_ID")\n'
            'if DEVICE_ID is not None and not {"LOCAL_RANK", "RANK_SIZE"} & os.environ.keys():\n'
            "    torch.npu.set_device(int(DEVICE_ID))\n"
            "if __name__ == '__main__':\n    main()\n",
            version="1.5.0",
            settings=_ON,
        ),
        Example(
            "import torch\nimport torch.distributed as dist\n"
            "def main():\n    dist.init_process_group('hccl')\n"
            "if __name__ == '__main__':\n    main()\n",
            settings=_ON,
        ),
        Example(
            "import os\nimport torch\nos.environ['ASCEND_RT_VISIBLE_DEVICES'] = '2'\n"
            "if __name__ == '__main__':\n    main()\n",
            "import os\n"
            'DEVICE_ID = os.environ.get("DEVICE_ID")\n'
            'if DEVICE_ID is not None and not {"LOCAL_RANK", "RANK_SIZE"} & os.environ.keys():\n'
            '    os.environ["ASCEND_RT_VISIBLE_DEVICES"] = DEVICE_ID\n\n'
            "import torch\n"
            "os.environ['ASCEND_RT_VISIBLE_DEVICES'] = '2' if DEVICE_ID is None or "
            '{"LOCAL_RANK", "RANK_SIZE"} & os.environ.keys() else DEVICE_ID\n'
            "if __name__ == '__main__':\n    main()\n",
            settings=_ON,
        ),
        Example(
            "import os\nimport torch\nif a:\n    os.environ['ASCEND_RT_VISIBLE_DEVICES'] = '2'\n"
            "else:\n    os.environ['ASCEND_RT_VISIBLE_DEVICES'] = b\n"
            "if __name__ == '__main__':\n    main()\n",
            "import os\n"
            'DEVICE_ID = os.environ.get("DEVICE_ID")\n'
            'if DEVICE_ID is not None and not {"LOCAL_RANK", "RANK_SIZE"} & os.environ.keys():\n'
            '    os.environ["ASCEND_RT_VISIBLE_DEVICES"] = DEVICE_ID\n\n'
            "import torch\nif a:\n"
            "    os.environ['ASCEND_RT_VISIBLE_DEVICES'] = '2' if DEVICE_ID is None or "
            '{"LOCAL_RANK", "RANK_SIZE"} & os.environ.keys() else DEVICE_ID\n'
            "else:\n    os.environ['ASCEND_RT_VISIBLE_DEVICES'] = b if DEVICE_ID is None or "
            '{"LOCAL_RANK", "RANK_SIZE"} & os.environ.keys() else DEVICE_ID\n'
            "if __name__ == '__main__':\n    main()\n",
            settings=_ON,
        ),
        Example("import os\nimport torch\nos.environ['ASCEND_RT_VISIBLE_DEVICES'] = '2'\n", settings=_ON),
        Example.unchanged("import torch\nif __name__ == '__main__':\n    main()\n"),
    )

    @on.string("__main__")
    def script(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        guard = parent_of(ref.node)
        statement = parent_of(guard)
        if not ctx.options.specify_device or statement is None or statement.type != "if_statement":
            return
        group = next((node for name in _JOINS for node in ctx.source.identifiers(name)), None)
        if group is not None:
            yield self.report(group, "distributed", Severity.WARNING, variable=VARIABLE)
            return
        if (torch_import := _first_torch_import(ctx)) is None or _reads_variable(ctx):
            return
        fix = self._selected(torch_import, ctx)
        yield self.report(ref.node, "script", Severity.HINT, fix=fix, variable=VARIABLE)

    @on.string(*_VISIBLE)
    def chosen_by_the_script(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        """``os.environ["CUDA_VISIBLE_DEVICES"] = "2"``: both choose, and the later one would hold."""
        value = _assigned(ref.node)
        if not ctx.options.specify_device or value is None or VARIABLE in text_of(value):
            return
        torch_import = _first_torch_import(ctx)
        if torch_import is None or not _can_yield(value, ctx):
            yield self.report(ref.node, "both", Severity.ERROR, variable=VARIABLE)
        elif value.end_byte > torch_import.start_byte and not _reads_variable(ctx):
            fix = self._selected(torch_import, ctx)
            yield self.report(ref.node, "both", Severity.ERROR, fix=fix, variable=VARIABLE)

    def _selected(self, torch_import: Node, ctx: Context) -> Fix:
        """The constant with all that reads it: one without the other is a name that nothing defines."""
        edits = (_selection(torch_import, ctx), *_yielding(torch_import, ctx))
        title = Message.of("NPU290.fix", variable=VARIABLE)
        return self.fix(Applicability.SAFE, edits=edits, title=title)


def _can_yield(value: Node, ctx: Context) -> bool:
    """Whether a card that the script chooses can be that of runs without the variable."""
    is_plain = value.type in _PLAIN and is_field(value, "right")
    return is_plain and _is_script(ctx) and ctx.version >= VISIBLE_DEVICES_FROM


def _yielding(torch_import: Node, ctx: Context) -> Iterator[Edit]:
    """What makes the cards that the script chooses after the import those of runs without the variable."""
    launched = ", ".join(f'"{variable}"' for variable in _LAUNCHED)
    name = _name(ctx)
    text = f" if {name} is None or {{{launched}}} & os.environ.keys() else {name}"
    for key in (key for variable in _VISIBLE for key in _strings(variable, ctx)):
        value = _assigned(key)
        if value is None or value.end_byte <= torch_import.start_byte or VARIABLE in text_of(value):
            continue
        if _can_yield(value, ctx):
            yield Edit(value.end_byte, value.end_byte, text)


def _assigned(key: Node) -> Node | None:
    """What an assignment gives a variable of the environment, or a call that sets it."""
    holder = parent_of(key)
    assignment = parent_of(holder) if holder is not None and holder.type == "subscript" else None
    if assignment is not None and assignment.type == "assignment" and field(assignment, "left") == holder:
        return field(assignment, "right")
    call = enclosing(key, "call")
    if holder is not None and holder.type in ("pair", "keyword_argument") and call is not None:
        return key if text_of(call).startswith("os.environ.update(") else None
    return key if call is not None and text_of(call).startswith("os.putenv(") else None


def _is_script(ctx: Context) -> bool:
    """Whether the file is one that the option changes."""
    is_guarded = any(
        text_of(field(node, "condition")).startswith("__name__")
        for node in ctx.source.root.named_children
        if node.type == "if_statement"
    )
    return is_guarded and not any(ctx.source.identifiers(name) for name in _JOINS)


def _first_torch_import(ctx: Context) -> Node | None:
    statements = (
        binding.statement
        for binding in ctx.source.names.imports
        if binding.target.partition(".")[0] == "torch"
    )
    return next((item for item in statements if parent_of(item) == ctx.source.root), None)


_JOINS = ("init_process_group", "init_device_mesh")


def _reads_variable(ctx: Context) -> bool:
    """Whether the script deals with the variable itself already."""
    return any(True for _ in _strings(VARIABLE, ctx))


def _strings(content: str, ctx: Context) -> Iterator[Node]:
    """The strings of a content."""
    for offset in ctx.source.occurrences(content):
        node = ctx.source.node_at(offset, offset + len(content))
        if node is not None and node.type == "string_content" and text_of(node) == content:
            yield parent_of(node) or node


def _name(ctx: Context) -> str:
    """The constant that the script gets."""
    return VARIABLE if not ctx.source.occurrences(VARIABLE) else f"NPU_{VARIABLE}"


def _selection(torch_import: Node, ctx: Context) -> Edit:
    newline = ctx.source.newline
    import_os = [] if _has_os_before(torch_import, ctx) else ["import os", ""]
    name = _name(ctx)
    launched = ", ".join(f'"{variable}"' for variable in _LAUNCHED)
    constant = f'{name} = os.environ.get("{VARIABLE}")'
    guard = f"if {name} is not None and not {{{launched}}} & os.environ.keys():"
    if ctx.version < VISIBLE_DEVICES_FROM:
        body = f"    torch.npu.set_device(int({name}))"
        end = ctx.source.lines.line_span(ctx.source.lines.line_of(torch_import.end_byte - 1))[1]
        return Edit(end, end, newline + newline.join([*import_os, constant, guard, body]))
    body = f'    os.environ["ASCEND_RT_VISIBLE_DEVICES"] = {name}'
    lines = [*import_os, constant, guard, body, "", ""]
    return Edit(torch_import.start_byte, torch_import.start_byte, newline.join(lines))


def _has_os_before(statement: Node, ctx: Context) -> bool:
    return any(
        binding.target == "os" and binding.name == "os" and binding.scope == ctx.source.root
        for binding in ctx.source.names.imports
        if binding.statement.end_byte <= statement.start_byte
    )


class NoDevice(Rule):
    """A training script names no device.

    What it does: Reports the backward pass of a script that creates an optimizer, steps it and never names a
    device. If this is spread over several modules of a program, its start is reported. Unit tests, and code
    that receives its model or optimizer from elsewhere, are not reported. ``--from-cpu``, and a refactoring
    in the editor, move the model, losses and batches of one file.

    Why it matters on the NPU: The script runs on the CPU, because torch_npu does not move anything
    automatically.

    Example: ``opt = SGD(net.parameters()); loss.backward(); opt.step()`` in a script without ``device``.

    Use instead: ``device = torch.device('npu')``, ``model.to(device)`` before the optimizer is created, and
    ``x, y = x.to(device), y.to(device)`` at the start of the loop.
    """

    code = "NPU214"
    only_with = "torch"
    examples = (
        Example("import torch\nopt = torch.optim.SGD(net.parameters())\nloss.backward()\nopt.step()\n"),
        Example.unchanged(
            "import torch\nx = x.to(place)\nopt = torch.optim.SGD(net.parameters())\n"
            "loss.backward()\nopt.step()\n"
        ),
        Example.unchanged("import torch\nloss.backward()\noptimizer.step()\n"),
        Example.unchanged(
            "from torch import nn, optim\nclass Registrator(nn.Module):\n"
            "    def __init__(self, model):\n        self.model = model\n    def fit(self, x):\n"
            "        opt = optim.Adam(self.model.parameters())\n        self(x).backward()\n"
            "        opt.step()\n"
        ),
        Example.unchanged("import torch\nloss.backward()\n"),
    )

    @on.member("backward")
    def backward(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        if is_unit_test(ctx.source):
            return
        is_first = ref.identifier.start_byte == ctx.source.identifiers("backward")[0].start_byte
        if is_first and ref.call is not None and names_no_device(ctx.source) and _has_own_model(ctx):
            yield self.report(ref.node, "none", Severity.ERROR)

    @on.string("__main__")
    def script(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        guard = parent_of(ref.node)
        if guard is None or guard.type != "comparison_operator" or "__name__" not in text_of(guard):
            return
        where = _trains_elsewhere(ctx) if ctx.project.is_complete else None
        if where is not None:
            yield self.report(ref.node, "program", Severity.ERROR, where=where)


class _Part(NamedTuple):
    """A module of a program."""

    imports: tuple[str, ...]
    training: Training | None
    """None where the module names a device, or runs files that imports do not show, which may: after that
    nothing else of the program matters."""
    trains_alone: bool


def _part(source: SourceFile) -> _Part:
    if names_device(source.data) or _RUNS_OTHERS.search(source.data):
        return _Part((), None, False)
    return _Part(executed_imports(source), training_in(source.data), names_no_device(source))


_PARTS = ModuleReader(_part)


def _trains_elsewhere(ctx: Context) -> str | None:
    """The module with the backward pass of a program that makes an optimizer in another one, or is given its
    model there, and that names no device anywhere."""
    found: list[Training] = []
    where: str | None = None
    named = {path for path, _ in program_of(ctx, _PARTS, with_packages=False)}
    for path, part in program_of(ctx, _PARTS):
        if part.training is None or (part.trains_alone and path == ctx.source.path):
            return None
        if path in named:
            found.append(part.training)
            where = where or (path if part.training.goes_backward else None)
    has_all = all(any(has) for has in zip(*found, strict=True))
    return where if has_all else None


def _has_own_model(ctx: Context) -> bool:
    """Whether some model that the file trains is not given to it: who gives it knows the device."""
    owners = [
        field(parent_of(item), "object") for item in ctx.source.identifiers("parameters") if parent_of(item)
    ]
    models = [owner for owner in owners if owner is not None]
    return not models or any(_is_own(model, ctx) for model in models)


def _is_own(model: Node, ctx: Context) -> bool:
    if text_of(model) in ("self", "cls") or text_of(model).startswith("super("):
        return False
    return any(not _is_given(origin, ctx) for origin in ctx.origins(model))


def _is_given(origin: Node, ctx: Context) -> bool:
    """Whether an expression is a parameter of a function that the file does not call itself, or an attribute
    that nothing in the file fills."""
    if origin.type == "attribute":
        return text_of(origin).startswith("self.")
    bindings = (
        ctx.source.names.bindings_in_scope(text_of(origin), origin) if origin.type == "identifier" else ()
    )
    for binding in bindings:
        owner = (
            enclosing(binding.node, "function_definition") if binding.kind is BindingKind.PARAMETER else None
        )
        name = field(owner, "name")
        if name is not None and not _is_called(name, ctx):
            return True
    return False


def _is_called(name: Node, ctx: Context) -> bool:
    """Whether a file uses one of its functions by name; of ``__init__`` its class."""
    owner = enclosing(name, "class_definition") if text_of(name) == "__init__" else None
    called = field(owner, "name") if owner is not None else name
    uses = ctx.source.identifiers(text_of(called)) if called is not None else ()
    return any(not same(use, called) for use in uses)
