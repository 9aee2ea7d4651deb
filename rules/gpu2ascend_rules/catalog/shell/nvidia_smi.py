"""NPU1004: the program nvidia-smi in shell code."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.places.context import PlaceContext
from ...engine.places.rule import PlaceRule, on_place
from ...engine.rule import Example, Family
from ...kinds.shell.places import Command, Word
from ...model.finding import Applicability, Edit, Finding, Severity

_PATH = "train.sh"


class ShellNvidiaSmi(PlaceRule):
    """A script runs nvidia-smi.

    What it does: Replaces nvidia-smi with npu-smi if only people read its output. If the script reads the
    output, or passes options, it is reported.

    Why it matters on the NPU: There is no nvidia-smi: the command fails, and a number of devices that the
    script takes from it is empty.

    Example: ``nvidia-smi`` becomes ``npu-smi info``.

    Use instead: ``npu-smi info``; for the number of devices ``python -c "import torch, torch_npu;
    print(torch_npu.npu.device_count())"``.
    """

    code = "NPU1004"
    name = "shell-nvidia-smi"
    family = Family.SHELL
    words = ("nvidia-smi",)
    examples = (
        Example("nvidia-smi\nwatch -n 1 nvidia-smi\n", "npu-smi info\nwatch -n 1 npu-smi info\n", path=_PATH),
        Example("check:\n\t@nvidia-smi\n", "check:\n\t@npu-smi info\n", path="Makefile"),
        Example('CMD ["nvidia-smi"]\n', 'CMD ["npu-smi", "info"]\n', path="Dockerfile"),
        Example(
            "jobs:\n  test:\n    steps:\n      - run: nvidia-smi\n",
            unsafe="jobs:\n  test:\n    steps:\n      - run: npu-smi info\n",
            path=".github/workflows/test.yml",
        ),
        Example("nvidia-smi -L\n", unsafe="npu-smi info -l\n", path=_PATH),
        Example("gpus=$(nvidia-smi -L | wc -l)\n", manual=True, path=_PATH),
        Example("nvidia-smi --query-gpu=name --format=csv\n", manual=True, path=_PATH),
        Example.unchanged("# nvidia-smi\necho 'no nvidia-smi here'\nnpu-smi info\n", path=_PATH),
    )

    @on_place(Command)
    def run(self, command: Command, ctx: PlaceContext) -> Iterator[Finding]:
        at = _place_of_program(command)
        if at is None:
            return
        program, rest = command.words[at], command.words[at + 1 :]
        end = Word(program.start, rest[-1].end if rest else program.end, None, "")
        options = [word.text for word in rest]
        if command.is_captured or options not in ([], ["-L"]):
            yield self.found(end, "query", Severity.ERROR)
            return
        text = "npu-smi info -l" if options else "npu-smi info"
        if command.is_list:
            text = ", ".join(f'"{word}"' for word in text.split())
        fix = self.fix(
            Applicability.UNSAFE if options else Applicability.SAFE, edits=[Edit(end.start, end.end, text)]
        )
        yield self.found(end, "plain", Severity.WARNING, fix=fix)


def _place_of_program(command: Command) -> int | None:
    """Where nvidia-smi stands among the words of a command that runs it."""
    names = [word.text for word in command.words]
    if names[0] in ("nvidia-smi", "/usr/bin/nvidia-smi"):
        return 0
    if names[0] not in ("watch", "sudo", "time", "timeout", "srun") or "nvidia-smi" not in names:
        return None
    at = names.index("nvidia-smi")
    # What watch is given in quotes is a command of its own.
    is_text = names[0] == "watch" and not command.words[at].is_plain and not command.is_list
    return None if is_text else at
