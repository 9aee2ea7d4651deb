"""NPU906 and NPU907: options in the commands by which a script launches others."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import StringRef
from ...engine.rule import Example, Family, Rule, on
from ...flow import Role
from ...flow.subjects.commands import command_role, previous_element
from ...flow.templates import plain_text
from ...model.finding import Applicability, Edit, Finding, Severity
from ...model.versions import Version
from ...renames.literals import literal_becomes, part_becomes, parts_become

_PER_NODE = re.compile(r"--nproc[-_]per[-_]node")
_JOINED = re.compile(r"--nproc[-_]per[-_]node[= ]+gpu(?!\w)")
_AUTOLOAD_SINCE = Version(2, 5)
_OPTION = re.compile(
    r"(--(?:(?:dist(?:ributed)?|ddp)[-_])?backend[= ]+)(nccl)(?!\w)|(--device(?:[-_]type)?[= ]+)(cuda)(?!\w)"
)
_BACKEND_OPTION = re.compile(r"--(?:(?:dist(?:ributed)?|ddp)[-_])?backend")


class ProcessesPerGpu(Rule):
    """A launcher is told to start one process for each GPU.

    What it does: Finds ``--nproc_per_node=gpu`` in commands. From torch 2.5 on it writes ``npu``; before,
    the launcher does not load torch_npu, and a number is needed.

    Why it matters on the NPU: ``gpu`` is the number of CUDA devices, and the launcher stops when there
    are none.

    Example: ``['torchrun', '--nproc_per_node=gpu', 'train.py']``.

    Use instead: ``npu``, or the number of devices.
    """

    code = "NPU906"
    name = "processes-per-gpu"
    family = Family.ENVIRONMENT
    examples = (
        Example(
            "import os, subprocess\nos.system('torchrun --nproc_per_node=gpu train.py')\n"
            "subprocess.run(['torchrun', '--nproc-per-node', 'gpu', 'train.py'])\n",
            "import os, subprocess\nos.system('torchrun --nproc_per_node=npu train.py')\n"
            "subprocess.run(['torchrun', '--nproc-per-node', 'npu', 'train.py'])\n",
        ),
        Example(
            "import os\nos.system('python -m torch.distributed.launch --nproc_per_node=gpu train.py')\n",
            manual=True,
            version="2.1.0",
        ),
        Example.unchanged(
            "import os, subprocess\nos.system('torchrun --nproc_per_node=8 train.py')\n"
            "subprocess.run(['torchrun', f'--nproc_per_node={n}', 'train.py'])\n"
        ),
    )

    @on.string("gpu")
    def text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        if ref.text == "gpu":
            option = previous_element(ref.node)
            if option is not None and _PER_NODE.fullmatch(plain_text(option) or ""):
                yield self._finding(ref.node, literal_becomes(ref.node, "npu"), ctx)
            return
        match = _JOINED.search(ref.text)
        if match is not None:
            edits = part_becomes(ref.node, match.end() - len("gpu"), match.end(), "npu")
            yield self._finding(ref.node, edits, ctx)

    def _finding(self, node: Node, edits: list[Edit] | None, ctx: Context) -> Finding:
        if ctx.version < _AUTOLOAD_SINCE:
            return self.report(node, "number", Severity.ERROR, version=ctx.version)
        fix = self.fix(Applicability.SAFE, edits=edits or ())
        return self.report(node, "gpu", Severity.WARNING, fix=fix)


class LaunchOption(Rule):
    """A command hands a CUDA device or NCCL to a script.

    What it does: Offers to change the values of ``--device`` and ``--backend`` in commands: which of them
    the launched script takes is in another file. A device that stands alone is the rules' on devices.

    Why it matters on the NPU: The options' defaults and choices change with the migration, and the values
    in commands must follow.

    Example: ``['python', 'train.py', '--dist-backend', 'nccl']``.

    Use instead: ``--device npu``, ``--dist-backend hccl``.
    """

    code = "NPU907"
    name = "launch-option"
    family = Family.ENVIRONMENT
    examples = (
        Example(
            "import os, subprocess\nos.system('python train.py --device cuda:0 --dist-backend=nccl')\n"
            "subprocess.run(['python', 'train.py', '--backend', 'nccl', '--dist-backend=nccl'])\n",
            unsafe="import os, subprocess\nos.system('python train.py --device npu:0 --dist-backend=hccl')\n"
            "subprocess.run(['python', 'train.py', '--backend', 'hccl', '--dist-backend=hccl'])\n",
        ),
        Example.unchanged(
            "print('python train.py --device cuda')\nhelp = 'use --backend nccl'\n"
            "subprocess.run(['python', 'train.py', '--use_cuda', '--gpu', '0'])\n"
        ),
    )

    @on.string("nccl", "cuda")
    def text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        option = previous_element(ref.node)
        if "--" in ref.text and (" " in ref.text or "nccl" in ref.text):
            edits = _joined(ref)
        else:
            edits = list(_separate(plain_text(option) or "", ref)) if option is not None else []
        if edits and command_role(ref.node, ctx) is not Role.SHOWN:
            fix = self.fix(Applicability.UNSAFE, edits=edits)
            yield self.report(ref.node, "value", Severity.INFORMATION, fix=fix)


def _joined(ref: StringRef) -> list[Edit]:
    """The values that stand with their options in one text."""
    changes = (
        (*match.span(2 if match[2] else 4), "hccl" if match[2] else "npu")
        for match in _OPTION.finditer(ref.text)
    )
    return parts_become(ref.node, changes) or []


def _separate(option: str, value: StringRef) -> Iterator[Edit]:
    """The value that follows its option in a list."""
    if value.text == "nccl" and _BACKEND_OPTION.fullmatch(option):
        yield from literal_becomes(value.node, "hccl") or ()
