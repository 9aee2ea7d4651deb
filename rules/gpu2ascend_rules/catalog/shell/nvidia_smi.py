"""NPU1004: the program nvidia-smi in shell code, and tests for it and for what a GPU's driver installs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...engine.places.context import PlaceContext
from ...engine.rule import Example, Rule, on
from ...kinds.settings import Setting
from ...kinds.shell.places import Command, FileTest, Word
from ...model.finding import Applicability, Edit, Finding, Severity
from ...renames.driver_files import npu_file

_FINDERS = {"which": (), "whereis": (), "hash": (), "type": (), "command": ("-v", "-V")}
"""Commands that say whether there is a program, with the options one of which they need to do so."""
_LISTS = frozenset({"ls", "stat"})
_SMI = re.compile(r"(?:/usr(?:/local)?/s?bin/)?nvidia-smi")
_NPU_SMI = "npu-smi"
_COMPUTED = re.compile(r"\$\{[\w.]+:.*\bnvidia-smi\b", re.S)
"""What a resolver of OmegaConf makes of a text when the configuration is read: ``${eval:"..."}``."""
_IN_TEST = re.compile(rb"(?:\[\[?|\btest|\s-[nzxefs])\s+!?\s*\"?(?:\$\(|`)\s*$")
"""What is before a command in a test that only asks whether it prints something."""
_STAYS = re.compile(
    rb"nvidia-smi[\"']?[ \t]+-|nvidia-smi[^\n;&|]{0,80}\|[^|]|nvcc|nvidia-(?!smi)|CUDA_HOME|CUDA_PATH"
    rb"|/usr/local/cuda|cupy|tensorrt|trtexec|nsys|nvprof|dcgm|\bcu1[0-9]{2}\b"
)
"""What works on a machine with GPUs alone: code that was skipped without nvidia-smi would run into it."""
_END_OF_BRANCH = re.compile(rb"\b(?:fi|else|elif)\b")
_OF_TOOLKIT = re.compile(rb"/usr/local/cuda[\w.-]*/|nvcc|CUDA_|LD_LIBRARY_PATH")
_BEFORE = 40
"""Bytes before a command in which the test that it is a part of begins."""
_NEAR = 1000
"""Bytes behind a test in which its branch is looked for."""


class ShellNvidiaSmi(Rule):
    """A script runs or looks for nvidia-smi.

    What it does: Replaces nvidia-smi with npu-smi if only people read its output, or if the script only looks
    for the program. If the script reads the output, or passes options, it is reported; so are configurations
    that compute a value with it, and tests for files of the GPU's driver and of the CUDA toolkit.

    Why it matters on the NPU: There is no nvidia-smi: the command fails, a number of devices that the script
    takes from it is empty, and a test for it chooses the CPU without a message.

    Example: ``nvidia-smi`` becomes ``npu-smi info``, and ``command -v nvidia-smi`` becomes
    ``command -v npu-smi``.

    Use instead: ``npu-smi info``; for the number of devices ``python -c "import torch, torch_npu;
    print(torch_npu.npu.device_count())"``; in tests ``/dev/davinci0`` and ``/usr/local/Ascend``.
    """

    code = "NPU1004"
    words = ("nvidia-smi", "/dev/nvidia", "/usr/local/cuda")
    example_path = "train.sh"
    examples = (
        Example("nvidia-smi\nwatch -n 1 nvidia-smi\n", "npu-smi info\nwatch -n 1 npu-smi info\n"),
        Example("check:\n\t@nvidia-smi\n", "check:\n\t@npu-smi info\n", path="Makefile"),
        Example('CMD ["nvidia-smi"]\n', 'CMD ["npu-smi", "info"]\n', path="Dockerfile"),
        Example(
            "jobs:\n  test:\n    steps:\n      - run: nvidia-smi\n",
            unsafe="jobs:\n  test:\n    steps:\n      - run: npu-smi info\n",
            path=".github/workflows/test.yml",
        ),
        Example("nvidia-smi -L\n", unsafe="npu-smi info -l\n"),
        Example("gpus=$(nvidia-smi -L | wc -l)\n"),
        Example("nvidia-smi --query-gpu=name --format=csv\n"),
        Example(
            "if command -v nvidia-smi >/dev/null; then DEV=gpu; fi\n",
            "if command -v npu-smi >/dev/null; then DEV=gpu; fi\n",
        ),
        Example(
            "which nvidia-smi && nvidia-smi --query-gpu=count\n",
            unsafe="which npu-smi && nvidia-smi --query-gpu=count\n",
        ),
        Example("smi=$(which nvidia-smi)\n"),
        Example(
            "train:\n  mem: ${eval:\"__import__('os').popen('nvidia-smi -L').read()\"}\n", path="config.yaml"
        ),
        Example.unchanged("note: see nvidia-smi in ${oc.env:HOME}\n", path="config.yaml"),
        Example("if [ -e /dev/nvidia0 ]; then DEV=gpu; fi\n"),
        Example.unchanged("if [ -d /usr/local/cuda ]; then export PATH=/usr/local/cuda/bin:$PATH; fi\n"),
        Example.unchanged("# nvidia-smi\necho 'no nvidia-smi here'\nnpu-smi info\n"),
    )

    @on.place(Command)
    def run(self, command: Command, ctx: PlaceContext) -> Iterator[Finding]:
        at = _place_of_program(command)
        if at is None:
            yield from self._asked(command, ctx)
            return
        program, rest = command.words[at], command.words[at + 1 :]
        end = Word(program.start, rest[-1].end if rest else program.end, None, "")
        options = [word.text for word in rest]
        if command.is_captured or options not in ([], ["-L"]):
            yield self.report(end, "query", Severity.ERROR)
            return
        text = "npu-smi info -l" if options else "npu-smi info"
        if command.is_list:
            text = ", ".join(f'"{word}"' for word in text.split())
        fix = self.fix(
            Applicability.UNSAFE if options else Applicability.SAFE, edits=[Edit(end.start, end.end, text)]
        )
        yield self.report(end, "plain", Severity.WARNING, fix=fix)

    @on.place(Setting)
    def computed(self, place: Setting, ctx: PlaceContext) -> Iterator[Finding]:
        if _COMPUTED.search(place.value) is not None:
            yield self.report(place, "query", Severity.ERROR)

    @on.place(FileTest)
    def tested(self, test: FileTest, ctx: PlaceContext) -> Iterator[Finding]:
        yield from self._file(test.word, test.end, ctx)

    def _asked(self, command: Command, ctx: PlaceContext) -> Iterator[Finding]:
        """``command -v nvidia-smi`` and its like, and ``ls /dev/nvidia0``."""
        rest = command.words[1:]
        if command.program in _LISTS:
            for word in rest:
                yield from self._file(word, command.end, ctx)
            return
        needed = _FINDERS.get(command.program)
        if needed is None or (needed and not any(word.text in needed for word in rest)):
            return
        for word in rest:
            if _SMI.fullmatch(word.text or "") is not None:
                yield self._looked_for(word, command, ctx)

    def _looked_for(self, word: Word, command: Command, ctx: PlaceContext) -> Finding:
        """Where the path is kept it is going to be run, with arguments unknown."""
        if command.is_captured and not _is_in_test(command, ctx):
            return self.report(word, "query", Severity.ERROR)
        span = word.span_of("nvidia-smi") if word.text == "nvidia-smi" else None
        if span is None:
            return self.report(word, "file", Severity.WARNING, file=word.text, instead=_NPU_SMI)
        stays = ctx.once("what needs a GPU", lambda: _STAYS.search(ctx.file.data) is not None)
        certainty = Applicability.UNSAFE if stays else Applicability.SAFE
        fix = self.fix(certainty, edits=[Edit(*span, _NPU_SMI)])
        return self.report(word, "looked_for", Severity.WARNING, fix=fix)

    def _file(self, word: Word, end: int, ctx: PlaceContext) -> Iterator[Finding]:
        name = word.text or ""
        found = _NPU_SMI if _SMI.fullmatch(name) else npu_file(name)
        if found is not None and not _serves_the_toolkit(name, end, ctx):
            yield self.report(word, "file", Severity.WARNING, file=name, instead=found)


def _is_in_test(command: Command, ctx: PlaceContext) -> bool:
    before = ctx.file.data[max(command.start - _BEFORE, 0) : command.start]
    return _IN_TEST.search(before) is not None


def _serves_the_toolkit(name: str, end: int, ctx: PlaceContext) -> bool:
    """Whether a test for the CUDA toolkit decides over its use alone: without it that is left out rightly."""
    if not name.startswith("/usr/local/cuda"):
        return False
    branch = ctx.file.data[end : end + _NEAR]
    last = _END_OF_BRANCH.search(branch)
    return _OF_TOOLKIT.search(branch[: last.start() if last is not None else None]) is not None


def _place_of_program(command: Command) -> int | None:
    """Where nvidia-smi is among the words of a command that runs it."""
    names = [word.text for word in command.words]
    if names[0] in ("nvidia-smi", "/usr/bin/nvidia-smi"):
        return 0
    if names[0] not in ("watch", "sudo", "time", "timeout", "srun") or "nvidia-smi" not in names:
        return None
    at = names.index("nvidia-smi")
    # What watch is given in quotes is a command of its own.
    is_text = names[0] == "watch" and not command.words[at].is_plain and not command.is_list
    return None if is_text else at
