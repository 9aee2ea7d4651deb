"""NPU1012: CUDA devices that shell code gives to programs without an option: as arguments, as variables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from ...engine.places.context import PlaceContext
from ...engine.rule import Example, Rule, on
from ...flow.command_line.old_words import old_words_of
from ...flow.command_line.options import fate_of
from ...flow.command_line.programs import program_in
from ...flow.words import is_device_name
from ...kinds.shell.places import Command, Loop, Use, Variable, Word
from ...model.finding import UNDECIDED, Applicability, Edit, Finding, Severity
from ...model.project.inputs import Input, SettingInput, VariableInput
from .reading.given import CONFIGURATION, Given, given_in
from .reading.summaries import is_argument, is_given, is_only_printed, program_at, summary_of

_DEVICE = re.compile(r"cuda(?::\d+)?")
_NUMBERED = re.compile(r"cuda:\d+")
_TOOLS = frozenset(
    {
        "setup.py", "pip", "pip3", "unittest", "pytest", "venv", "virtualenv", "build", "ensurepip", "tox",
        "nox", "conda", "mamba", "uv", "poetry", "invoke", "twine", "compileall", "http.server", "mkdocs",
        "sphinx",
    }
)  # fmt: skip
"""Programs and modules of Python that are given names of packages, tests and builds, not devices."""
_SCRIPT = re.compile(r"(?:.*/)?(?:[\w.-]+\.(?:sh|bash|zsh)|(?:ba|da|k|z)?sh)")


class DeviceValue(Rule):
    """A script gives a CUDA device to a program without an option.

    What it does: Reports ``cuda`` and ``cuda:0`` among the arguments of a Python program that belong to no
    option, as an override such as ``trainer.device=cuda``, and as the value of a variable that is named like
    a device or is passed as such an argument, also in a loop; ``cuda:0`` among the arguments of a function
    or another script, too. The change is only offered, because the script does not show what the program
    does with the value.

    Why it matters on the NPU: If the program creates a device from the value, it raises without CUDA.

    Example: ``python train.py cuda:0``, ``DEVICE=cuda python train.py``, ``run_one cuda:1``.

    Use instead: ``npu``, ``npu:0``.
    """

    code = "NPU1012"
    name = "shell-device-word"
    words = ("cuda",)
    example_path = "train.sh"
    examples = (
        Example("python train.py cuda:1 8\n", unsafe="python train.py npu:1 8\n"),
        Example("DEVICE=cuda python train.py\n", unsafe="DEVICE=npu python train.py\n"),
        Example("D=cuda\npython train.py $D\n", unsafe="D=npu\npython train.py $D\n"),
        Example("DEVICE='cuda:0'\n", unsafe="DEVICE='npu:0'\n", path=".env"),
        Example(
            "ENV DEVICE=cuda\nRUN python train.py\n",
            unsafe="ENV DEVICE=npu\nRUN python train.py\n",
            path="Dockerfile",
        ),
        Example(
            "for d in cuda:0 cuda:1; do\n  CARD=$d ./train.sh\ndone\n"
            "for d in cuda cpu; do python a.py $d; done\n",
            unsafe="for d in npu:0 npu:1; do\n  CARD=$d ./train.sh\ndone\n"
            "for d in npu cpu; do python a.py $d; done\n",
        ),
        Example(
            'one() { python train.py "$1"; }\none cuda:0\nbash other.sh cuda:1\n',
            unsafe='one() { python train.py "$1"; }\none npu:0\nbash other.sh npu:1\n',
        ),
        Example(
            "python train.py trainer.device=cuda +device=cuda:0\n",
            unsafe="python train.py trainer.device=npu +device=npu:0\n",
        ),
        Example.unchanged(
            "for d in cuda:0 cuda:1; do echo $d; done\nfor x in cuda cpu; do pip install y-$x; done\n"
            "other cuda:0\npython train.py name=cuda\n"
        ),
        Example.unchanged(
            "echo cuda\nmake cuda\npython train.py --name cuda\nTARGET=cuda make\n"
            "python setup.py build cuda\npython -m pip install cuda\npython -m unittest cuda\n"
        ),
    )

    @on.place(Command)
    def run(self, command: Command, ctx: PlaceContext) -> Iterator[Finding]:
        at = program_in(command, ctx)
        is_tool = at is not None and (command.words[at].text or "").rpartition("/")[2] in _TOOLS
        for given in given_in(command, at) if at is not None and not is_tool else ():
            is_device = _DEVICE.fullmatch(given.value) is not None and not given.is_numbered
            if is_device and _may_be_device(command.words[at or 0], given, ctx):
                yield from self._offered(given.word, given.value, "argument", ctx)
        for word in _numbered(command) if _runs_shell_code(command, ctx) else ():
            yield from self._offered(word, word.text or "", "argument", ctx)

    @on.place(Loop)
    def goes_through(self, loop: Loop, ctx: PlaceContext) -> Iterator[Finding]:
        """What a loop sets its variable to, where no option gets it."""
        if is_only_printed(loop, ctx) or is_given(loop.name, ctx, loop):
            return
        is_named = is_device_name(loop.name.lower()) or is_argument(loop.name, ctx, _TOOLS, loop)
        for word in loop.words:
            if (_DEVICE if is_named else _NUMBERED).fullmatch(word.text or ""):
                yield from self._offered(word, word.text or "", "variable", ctx, variable=loop.name)

    @on.place(Variable)
    def sets(self, variable: Variable, ctx: PlaceContext) -> Iterator[Finding]:
        value = variable.value
        if value is None or variable.use not in (Use.SET, Use.PREFIX):
            return
        if not _DEVICE.fullmatch(value.text or "") or is_given(variable.name, ctx):
            return
        if _is_known(VariableInput(variable.name), value.text or "", ctx):
            return
        if is_device_name(variable.name.lower()) or is_argument(variable.name, ctx, _TOOLS):
            yield from self._offered(value, value.text or "", "variable", ctx, variable=variable.name)

    def _offered(
        self, word: Word, text: str, key: str, ctx: PlaceContext, **arguments: str
    ) -> Iterator[Finding]:
        span = word.span_of(text)
        if span is not None and any(old.start == span[0] for old in old_words_of(ctx)):
            return
        fix = None
        if span is not None:
            edit = Edit(*span, "npu" + text.removeprefix("cuda"))
            fix = self.fix(Applicability.UNSAFE, edits=[edit])
        yield self.report(word, key, Severity.INFORMATION, fix=fix, kind=UNDECIDED, value=text, **arguments)


def _is_known(given: Input, value: str, ctx: PlaceContext) -> bool:
    """Whether code of the project shows what a value is; then NPU1009 changes it with the code."""
    return ctx.project.program.outcome_of_input(given, value, ctx.options) is not None


def _may_be_device(program: Word, given: Given, ctx: PlaceContext) -> bool:
    """Whether a program may make a device of an argument or of a key of its configuration.

    Not where code shows what it makes of it: then NPU1009 changes it with the program.

    ``cuda`` alone may be the name of anything else, so that a program of the project must have something to
    do with torch or devices.
    """
    if given.keys:
        is_named = is_device_name(given.keys[-1].lower())
        return is_named and not _is_known(SettingInput(CONFIGURATION, given.keys), given.value, ctx)
    found = program_at(program, ctx)
    if not given.option.isdigit() or found is None:
        return given.option.isdigit()
    if fate_of(found, given.option, given.value, ctx).is_known:
        return False
    return ":" in given.value or any(name in found[1] for name in ("torch", "device"))


def _runs_shell_code(command: Command, ctx: PlaceContext) -> bool:
    """Whether a command calls a function of the file, or another script of a shell."""
    first = command.words[0].text or ""
    return _SCRIPT.fullmatch(first) is not None or first in summary_of(ctx).functions


def _numbered(command: Command) -> Iterator[Word]:
    """The arguments of a command that name a device with a number, without those of options."""
    for before, word in pairwise(command.words):
        if _NUMBERED.fullmatch(word.text or "") and not (before.text or "").startswith("-"):
            yield word
