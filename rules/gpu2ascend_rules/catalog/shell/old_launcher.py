"""NPU1020: scripts that start processes with the launcher before torchrun."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from ...engine.places.context import PlaceContext
from ...engine.rule import Example, Rule, on
from ...flow.command_line.options import modules_of
from ...flow.command_line.programs import program_in
from ...kinds.shell.places import Command
from ...model.finding import Applicability, Edit, Finding, Severity
from ...model.versions import Version
from .reading.summaries import program_at

_LAUNCHER = "torch.distributed.launch"
_DECLARES = re.compile(r"""["']--local[-_]rank["']""")
_BY_ENVIRONMENT = frozenset({"--use_env", "--use-env"})


class ShellOldLauncher(Rule):
    """A script starts processes with torch.distributed.launch.

    What it does: Finds ``python -m torch.distributed.launch`` without ``--use_env`` and offers ``torchrun``.
    A program of the project that declares the option takes both of its names once it is migrated.

    Why it matters on the NPU: From PyTorch 2.0 on the launcher gives the program ``--local-rank``, where it
    gave ``--local_rank`` before: a program that declares the old option alone stops with "unrecognized
    arguments".

    Example: ``python -m torch.distributed.launch --nproc_per_node=8 train.py``.

    Use instead: ``torchrun``, with ``int(os.environ["LOCAL_RANK"])`` in the program.
    """

    code = "NPU1020"
    words = (_LAUNCHER,)
    first_version = Version(2, 0)
    example_path = "train.sh"
    examples = (
        Example(
            "python -m torch.distributed.launch --nproc_per_node=8 train.py --lr 1\n",
            unsafe="torchrun --nproc_per_node=8 train.py --lr 1\n",
        ),
        Example.unchanged(
            "python -m torch.distributed.launch --use_env train.py\n"
            "python -m torch.distributed.run train.py\n"
        ),
        Example.unchanged("python -m torch.distributed.launch train.py\n", version="1.11.0"),
    )

    @on.place(Command)
    def run(self, command: Command, ctx: PlaceContext) -> Iterator[Finding]:
        if any(word.text in _BY_ENVIRONMENT for word in command.words):
            return
        for number, (before, word) in enumerate(pairwise(command.words)):
            if word.text != _LAUNCHER or before.text != "-m":
                continue
            if _takes_rank(command, ctx):
                continue
            fix = None
            if number and not command.is_list:
                edit = Edit(command.words[number - 1].start, word.end, "torchrun")
                fix = self.fix(Applicability.UNSAFE, edits=[edit])
            yield self.report(word, "old", Severity.INFORMATION, fix=fix)


def _takes_rank(command: Command, ctx: PlaceContext) -> bool:
    """Whether the program that a command starts declares the option, to which NPU412 gives both names."""
    at = program_in(command, ctx)
    program = program_at(command.words[at], ctx) if at is not None else None
    modules = modules_of(program, ctx.project) if program is not None else ()
    return any(_DECLARES.search(text) is not None for _, text in modules)
