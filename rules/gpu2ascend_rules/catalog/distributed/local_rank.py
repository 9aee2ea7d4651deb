"""NPU412: the option by which old launchers gave a script its local rank."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import StringRef
from ...engine.rule import Example, Rule, on, replace
from ...flow.command_line.launchers import Launcher, launchers_of
from ...flow.templates import plain_text
from ...model.finding import Applicability, Edit, Finding, Fix, Requirement, Severity
from ...model.versions import Version
from ...text.syntax import (
    Arguments,
    Passed,
    ancestors,
    arguments_of,
    field,
    parts_of,
    passed_to,
    same,
    text_of,
)

_VARIABLE = "LOCAL_RANK"


class LocalRankOption(Rule):
    """A script gets its local rank from the option --local_rank.

    What it does: From torch 2.0 on, looks for the launcher in the scripts and documents of the project. If it
    is torchrun, ``accelerate launch`` or ``torch.distributed.launch``, the option also gets the name
    ``--local-rank`` and takes its default from the environment variable LOCAL_RANK, which every launcher
    sets: the script starts under each of them, and under DeepSpeed. The launcher of DeepSpeed passes the
    option, so its scripts are not reported.

    Why it matters on the NPU: ``torch.distributed.launch`` passes ``--local-rank`` since 2.0, which the
    parser rejects, and torchrun passes nothing, so that every process uses the same device.

    Example: ``parser.add_argument('--local_rank', type=int)``.

    Use instead: ``int(os.environ['LOCAL_RANK'])``, which every launcher sets.
    """

    code = "NPU412"
    first_version = Version(2, 0)
    only_with = "torch"
    examples = (
        Example(
            "import torch\nparser.add_argument('--local_rank', type=int, default=-1)\n",
            "import torch\nimport os\nparser.add_argument('--local_rank', '--local-rank', type=int, "
            "default=int(os.environ.get('LOCAL_RANK', -1)))\n",
        ),
        Example(
            "import os\nimport torch\nparser.add_argument('--local_rank', type=int)\n",
            "import os\nimport torch\nparser.add_argument('--local_rank', '--local-rank', type=int, "
            "default=os.environ.get('LOCAL_RANK'))\n",
        ),
        Example(
            "import os, torch\nparser.add_argument('--local_rank', type=int, required=True)\n",
            "import os, torch\nparser.add_argument('--local_rank', '--local-rank', type=int, "
            "required='LOCAL_RANK' not in os.environ, default=os.environ.get('LOCAL_RANK'))\n",
        ),
        Example(
            "import torch\nparser.add_argument(*given, '--local_rank', type=int, **more)\n",
            unsafe="import torch\nparser.add_argument(*given, '--local_rank', '--local-rank', type=int, "
            "**more)\n",
        ),
        Example.unchanged("parser.add_argument('--local_rank', '--local-rank', type=int)\n"),
        Example.unchanged("parser.add_argument(*given, '--local_rank', '--local-rank', type=int)\n"),
        Example.unchanged("parser.add_argument('--local_rank', type=int)\n", version="1.11.0"),
        Example.unchanged(
            "import os\nparser.add_argument('--local_rank', default=int(os.environ.get('LOCAL_RANK', 0)))\n"
        ),
        Example.unchanged(
            "import torch, deepspeed\nparser.add_argument('--local_rank', type=int, default=-1)\n"
        ),
        Example.unchanged("print('--local_rank')\n"),
    )

    @on.string("--local_rank")
    def option(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        passed = passed_to(ref.node)
        if ref.text != "--local_rank" or passed is None or passed.argument.keyword is not None:
            return  # no argument, or a text about the option
        if ctx.source.names.called_name(passed.call) != "add_argument":
            return
        names = [plain_text(item.value) for item in arguments_of(passed.call).unnamed]
        is_accepted = "--local-rank" in names
        is_read = _VARIABLE.encode() in ctx.source.data
        launchers = _launchers(ctx)
        rejects = Launcher.LAUNCH in launchers and not is_accepted
        lacks = Launcher.TORCHRUN in launchers and not is_read
        if rejects:
            key, launcher = "rejected", Launcher.LAUNCH
        elif lacks:
            key, launcher = "not_passed", Launcher.TORCHRUN
        elif launchers or is_accepted or is_read:
            return
        else:
            key, launcher = "option", Launcher.TORCHRUN
        severity = Severity.WARNING if key == "option" else Severity.ERROR
        fix = self._fix(ref.node, passed, is_accepted=is_accepted, is_read=is_read, ctx=ctx)
        yield self.report(ref.node, key, severity, fix=fix, launcher=launcher.value)

    def _fix(
        self, string: Node, passed: Passed, *, is_accepted: bool, is_read: bool, ctx: Context
    ) -> Fix | None:
        """The fix after which every launcher starts the script."""
        arguments = arguments_of(passed.call)
        edits = []
        if not is_accepted:
            other = text_of(string).replace("_", "-")
            end = _argument_of(string, passed.call).end_byte
            edits.append(Edit(end, end, f", {other}"))
        default = [] if is_read else _default_edits(passed.call, arguments, ctx)
        if default is None or not (edits or default):
            return None
        is_safe = not arguments.unpacked and (is_read or bool(default))
        requires = frozenset({Requirement("os")}) if default else frozenset[Requirement]()
        applicability = Applicability.SAFE if is_safe else Applicability.UNSAFE
        return self.fix(applicability, edits=[*edits, *default], requires=requires)


def _argument_of(string: Node, call: Node) -> Node:
    """The whole argument that a string is, with the brackets around it."""
    found = string
    for parent in ancestors(string):
        if same(parent, field(call, "arguments")):
            break
        found = parent
    return found


def _launchers(ctx: Context) -> frozenset[Launcher]:
    """The launchers of the program; a file that imports DeepSpeed is started by DeepSpeed's, if no script
    shows another one."""
    found = launchers_of(ctx.source.path, ctx.project) if ctx.source.path else frozenset[Launcher]()
    if not found and ctx.imports_module("deepspeed"):
        return frozenset({Launcher.DEEPSPEED})
    return found


def _default_edits(call: Node, arguments: Arguments, ctx: Context) -> list[Edit] | None:
    """The edits after which the default is that of the launcher; ``None`` for an option without a value."""
    if arguments.keyword("action") is not None:
        return None
    default, required = arguments.keyword("default"), arguments.keyword("required")
    if default is None and arguments.unpacked:
        return []
    environ = ctx.spell("os.environ")
    variable = ctx.quoted(_VARIABLE, call)
    edits = []
    if required is not None:
        if required.value.type != "true":
            return None
        edits.append(replace(required.value, f"{variable} not in {environ}"))
    if default is not None:
        return [*edits, replace(default.value, _with_fallback(default.value, f"{environ}.get({variable}"))]
    holder = field(call, "arguments")
    last = parts_of(holder)[-1] if holder is not None else call
    edits.append(Edit(last.end_byte, last.end_byte, f", default={environ}.get({variable})"))
    return edits


def _with_fallback(default: Node, asked: str) -> str:
    """The variable's value, else the default as it was: argparse converts a text by the option's type."""
    text = text_of(default)
    if default.type == "none":
        return f"{asked})"
    is_number = text.lstrip("-").isdigit()
    return f"int({asked}, {text}))" if is_number else f"{asked}, {text})"
