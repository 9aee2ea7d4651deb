"""NPU1012: CUDA devices that shell code gives to programs without an option: as arguments, as variables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from ...engine.places.context import PlaceContext
from ...engine.places.rule import PlaceRule, on_place
from ...engine.rule import Example, Family
from ...flow.command_line.programs import program_of, python_of
from ...flow.words import is_device_name
from ...kinds.shell.places import Command, Use, Variable, Word
from ...model.finding import Applicability, Edit, Finding, Severity

_PATH = "train.sh"
_DEVICE = re.compile(r"cuda(?::\d+)?")
_TOOLS = frozenset(
    {
        "setup.py", "pip", "pip3", "unittest", "pytest", "venv", "virtualenv", "build", "ensurepip", "tox",
        "nox", "conda", "mamba", "uv", "poetry", "invoke", "twine", "compileall", "http.server", "mkdocs",
        "sphinx",
    }
)  # fmt: skip
"""Programs and modules of Python that are given names of packages, tests and builds, not devices."""
_EXPANSION = re.compile(r"[\"']?\$\{?([A-Za-z_]\w*)\}?[\"']?")


class DeviceValue(PlaceRule):
    """A script gives a CUDA device to a program without an option.

    What it does: Reports ``cuda`` and ``cuda:0`` among the arguments of a Python program that belong to no
    option, and as the value of a variable that is named like a device or is passed as such an argument. The
    change is only offered, because the script does not show what the program does with the value.

    Why it matters on the NPU: If the program creates a device from the value, it raises without CUDA.

    Example: ``python train.py cuda:0``, ``DEVICE=cuda python train.py``.

    Use instead: ``npu``, ``npu:0``.
    """

    code = "NPU1012"
    name = "shell-device-word"
    family = Family.SHELL
    words = ("cuda",)
    examples = (
        Example("python train.py cuda:1 8\n", unsafe="python train.py npu:1 8\n", path=_PATH),
        Example("DEVICE=cuda python train.py\n", unsafe="DEVICE=npu python train.py\n", path=_PATH),
        Example("D=cuda\npython train.py $D\n", unsafe="D=npu\npython train.py $D\n", path=_PATH),
        Example("DEVICE='cuda:0'\n", unsafe="DEVICE='npu:0'\n", path=".env"),
        Example(
            "ENV DEVICE=cuda\nRUN python train.py\n",
            unsafe="ENV DEVICE=npu\nRUN python train.py\n",
            path="Dockerfile",
        ),
        Example.unchanged(
            "echo cuda\nmake cuda\npython train.py --name cuda\nTARGET=cuda make\n"
            "python setup.py build cuda\npython -m pip install cuda\npython -m unittest cuda\n",
            path=_PATH,
        ),
    )

    @on_place(Command)
    def run(self, command: Command, ctx: PlaceContext) -> Iterator[Finding]:
        for word in _arguments(command):
            if _DEVICE.fullmatch(word.text or "") and _may_take_device(command, word, ctx):
                yield from self._offered(word, "argument")

    @on_place(Variable)
    def sets(self, variable: Variable, ctx: PlaceContext) -> Iterator[Finding]:
        value = variable.value
        if value is None or variable.use not in (Use.SET, Use.PREFIX):
            return
        if not _DEVICE.fullmatch(value.text or "") or _is_given_to_an_option(variable.name, ctx):
            return
        if is_device_name(variable.name.lower()) or _is_an_argument(variable.name, ctx):
            yield from self._offered(value, "variable", variable=variable.name)

    def _offered(self, word: Word, key: str, **arguments: str) -> Iterator[Finding]:
        text = word.text or ""
        span = word.span_of(text)
        fix = None
        if span is not None:
            edit = Edit(*span, "npu" + text.removeprefix("cuda"))
            fix = self.fix(Applicability.UNSAFE, edits=[edit])
        yield self.found(word, key, Severity.INFORMATION, fix=fix, value=text, **arguments)


def _arguments(command: Command) -> Iterator[Word]:
    """The words behind a program of Python that follow no option, so that they are no option's value."""
    at = program_of(command.words)
    if at is None or (command.words[at].text or "").rpartition("/")[2] in _TOOLS:
        return
    for before, word in pairwise(command.words[at:]):
        if not (before.text or "").startswith("-") or "=" in (before.text or ""):
            yield word


def _may_take_device(command: Command, word: Word, ctx: PlaceContext) -> bool:
    """Whether a program may make a device of a word; ``cuda`` alone may be the name of anything else, so that
    a program of the project must have something to do with torch or devices."""
    found = python_of(command.words, ctx.project, ctx.file.path)
    if found is None or ":" in (word.text or ""):
        return True
    return any(name in found[1] for name in ("torch", "device"))


def _is_an_argument(name: str, ctx: PlaceContext) -> bool:
    """Whether a command of the file gives a variable's value to a program as such an argument."""
    return any(
        match is not None and match[1] == name
        for command in _commands(ctx)
        for word in _arguments(command)
        for match in (_EXPANSION.fullmatch(word.raw),)
    )


def _is_given_to_an_option(name: str, ctx: PlaceContext) -> bool:
    """Whether a command of the file gives a variable's value to an option, which is judged there."""
    return any(
        match is not None and match[1] == name and (before.text or "").startswith("-")
        for command in _commands(ctx)
        for before, word in pairwise(command.words)
        for match in (_EXPANSION.fullmatch(word.raw),)
    )


def _commands(ctx: PlaceContext) -> Iterator[Command]:
    return (place for place in ctx.file.places() if isinstance(place, Command))
