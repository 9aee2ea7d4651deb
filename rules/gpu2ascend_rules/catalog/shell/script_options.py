"""NPU1009: options that shell code passes to the project's programs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from ...engine.places.context import PlaceContext
from ...engine.places.rule import PlaceRule, on_place
from ...engine.rule import Example, Family
from ...flow.command_line.options import Fate, fate_of
from ...flow.command_line.programs import program_of, python_of
from ...kinds.shell.places import Command, Use, Variable, Word
from ...model.finding import Applicability, Edit, Finding, Severity
from .sourced import commands_of_readers

_PATH = "train.sh"
_DEVICE = re.compile(r"cuda(?::\d+)?")
_VALUE = re.compile(r"cuda(?::\d+)?|nccl|NCCL|gpu")
_JOINED = re.compile(r"(--?[A-Za-z][\w-]*)=[\"']?(cuda(?::\d+)?|nccl|NCCL|gpu)[\"']?")
_IN_TEXT = re.compile(
    r"(?<![\w-])(--?[A-Za-z][\w-]*)(?:=|\s+)[\"']?(cuda(?::\d+)?|nccl|NCCL|gpu)(?![\w./:-])"
)
_TELLING = re.compile(r"--?(?:\w+[-_])?(?:device(?:[-_]type)?|(?:dist(?:ributed)?|ddp)[-_]?backend|backend)")
_EXPANSION = re.compile(r"[\"']?\$\{?([A-Za-z_]\w*)(?:\[[@*]\])?\}?[\"']?")
_DEFAULT = re.compile(r"[\"']?\$\{\w+:?-[\"']?(cuda(?::\d+)?|nccl|NCCL|gpu)[\"']?\}[\"']?")


class _Given(NamedTuple):
    """A value that an option of a command gets."""

    option: str
    value: str
    start: int
    end: int


class ScriptOption(PlaceRule):
    """A script passes a CUDA device or NCCL to a program.

    What it does: Looks up the option in the program that the command starts, and in the modules of the
    project that it uses. If the value becomes a device or a back end of torch, it is changed together with
    the program; if that is not clear, the change is only offered. File names and options of other programs
    are not changed.

    Why it matters on the NPU: The migration changes the choices and defaults of the options, so the program
    rejects the old value, or asks for CUDA.

    Example: ``torchrun train.py --device cuda --dist-backend nccl``.

    Use instead: ``--device npu --dist-backend hccl``.
    """

    code = "NPU1009"
    name = "script-option"
    family = Family.SHELL
    words = ("cuda", "nccl", "gpu")
    examples = (
        Example(
            "python train.py --device cuda:0 --dist-backend=nccl\n",
            unsafe="python train.py --device npu:0 --dist-backend=hccl\n",
            path=_PATH,
        ),
        Example(
            'ENTRYPOINT ["python", "train.py", "--device", "cuda"]\n',
            unsafe='ENTRYPOINT ["python", "train.py", "--device", "npu"]\n',
            path="Dockerfile",
        ),
        Example(
            "test:\n  script:\n    - python train.py\n      --device cuda\n",
            unsafe="test:\n  script:\n    - python train.py\n      --device npu\n",
            path=".gitlab-ci.yml",
        ),
        Example.unchanged(
            "python train.py --log cuda.log --name cuda --use_cuda\nother --device cuda\n"
            "python tool.py --out runs/cuda --optimizer nccl\necho train.py --device cuda\n",
            path=_PATH,
        ),
    )

    @on_place(Command)
    def run(self, command: Command, ctx: PlaceContext) -> Iterator[Finding]:
        at = program_of(command.words)
        if at is None:
            return
        for given in _given(command.words[at + 1 :], ctx):
            yield from self._finding(given, command, ctx)

    @on_place(Variable)
    def sets(self, variable: Variable, ctx: PlaceContext) -> Iterator[Finding]:
        """What scripts that source this one pass on."""
        value = variable.value
        if value is None or variable.use not in (Use.SET, Use.PREFIX):
            return
        default = _DEFAULT.fullmatch(value.raw)
        text = default[1] if default is not None else value.text or ""
        span = value.span_of(text) if _VALUE.fullmatch(text) else None
        if span is None or _is_passed_on(variable.name, ctx):
            return
        fates = {
            _Given(option, text, *span): _fate(option, text, used.words, used.path, ctx)
            for used in commands_of_readers(ctx)
            for option in _options_with(variable.name, used.words)
        }
        if len({(fate.becomes, fate.is_known) for fate in fates.values()}) == 1:
            yield from self._judged(next(iter(fates)), _least_sure(fates.values()))
        elif fates:
            given = next(iter(fates))
            yield self.found(
                Word(given.start, given.end, text, text),
                "unknown",
                Severity.INFORMATION,
                option=given.option,
                value=text,
            )

    def _finding(self, given: _Given, command: Command, ctx: PlaceContext) -> Iterator[Finding]:
        yield from self._judged(given, _fate(given.option, given.value, command.words, ctx.file.path, ctx))

    def _judged(self, given: _Given, fate: Fate) -> Iterator[Finding]:
        place = Word(given.start, given.end, given.value, given.value)
        if fate.becomes is not None and fate.becomes != given.value:
            applicability = Applicability.SAFE if fate.is_safe else Applicability.UNSAFE
            fix = self.fix(applicability, edits=[Edit(given.start, given.end, fate.becomes)])
            severity = Severity.WARNING if fate.is_safe else Severity.INFORMATION
            yield self.found(place, "follows", severity, fix=fix, option=given.option, value=given.value)
        elif not fate.is_known and _TELLING.fullmatch(given.option) and given.value != "gpu":
            new = "npu" + given.value[len("cuda") :] if _DEVICE.fullmatch(given.value) else "hccl"
            fix = self.fix(Applicability.UNSAFE, edits=[Edit(given.start, given.end, new)])
            yield self.found(
                place, "unknown", Severity.INFORMATION, fix=fix, option=given.option, value=given.value
            )


def _fate(option: str, value: str, words: tuple[Word, ...], path: str, ctx: PlaceContext) -> Fate:
    """What becomes of a value in a command of the script at a path."""
    program = python_of(words, ctx.project, path)
    return fate_of(program, option, value, ctx) if program is not None else Fate(is_known=False)


def _least_sure(fates: Iterable[Fate]) -> Fate:
    return min(fates, key=lambda fate: fate.is_safe)


def _options_with(name: str, words: tuple[Word, ...]) -> Iterator[str]:
    """The options of a command that get a variable's value."""
    for before, word in pairwise(words):
        match = _EXPANSION.fullmatch(word.raw)
        option = before.text or ""
        if match is not None and match[1] == name and option.startswith("-") and "=" not in option:
            yield option


def _is_passed_on(name: str, ctx: PlaceContext) -> bool:
    """Whether a command of the file itself gives a variable's value to an option: it decides there."""
    return any(
        isinstance(place, Command) and any(True for _ in _options_with(name, place.words))
        for place in ctx.file.places()
    )


def _given(words: tuple[Word, ...], ctx: PlaceContext) -> Iterator[_Given]:
    """The values that the options among some words get, where one may be a device or a back end."""
    for before, word in pairwise((None, *words)):
        if word is None:
            continue
        option = before.text if before is not None and (before.text or "").startswith("-") else None
        joined = _JOINED.fullmatch(word.raw)
        if joined is not None:
            span = word.span_of(joined[2])
            if span is not None:
                yield _Given(joined[1], joined[2], *span)
        elif option is not None and "=" not in option and _VALUE.fullmatch(word.text or ""):
            span = word.span_of(word.text or "")
            if span is not None:
                yield _Given(option, word.text or "", *span)
        elif _EXPANSION.fullmatch(word.raw):
            yield from _of_variable(word, option, ctx)


def _of_variable(word: Word, option: str | None, ctx: PlaceContext) -> Iterator[_Given]:
    """What the file puts into a variable that stands for a value, or for options with their values."""
    match = _EXPANSION.fullmatch(word.raw)
    if match is None:
        return
    for variable in _assignments(ctx).get(match[1], ()):
        value = variable.value
        if value is None:
            continue
        default = _DEFAULT.fullmatch(value.raw)
        text = default[1] if default is not None else value.text
        if option is not None and "=" not in option and _VALUE.fullmatch(text or ""):
            span = value.span_of(text or "")
            if span is not None and _is_only_given(match[1], ctx):
                yield _Given(option, text or "", *span)
        for inner in _IN_TEXT.finditer(value.raw):
            start = value.start + len(value.raw[: inner.start(2)].encode())
            if ctx.file.comment_at(start, start + 1) is None:
                yield _Given(inner[1], inner[2], start, start + len(inner[2]))


def _assignments(ctx: PlaceContext) -> dict[str, list[Variable]]:
    def found() -> dict[str, list[Variable]]:
        known: dict[str, list[Variable]] = {}
        for place in ctx.file.places():
            if isinstance(place, Variable) and place.use in (Use.SET, Use.PREFIX):
                known.setdefault(place.name, []).append(place)
        return known

    return ctx.once("assignments", found)


def _is_only_given(name: str, ctx: PlaceContext) -> bool:
    """Whether a variable's value goes to options only: nothing compares it or makes a name of it."""

    def read() -> dict[str, int]:
        counts: dict[str, int] = {}
        for place in ctx.file.places():
            if isinstance(place, Variable) and place.use is Use.READ:
                counts[place.name] = counts.get(place.name, 0) + 1
        return counts

    def given() -> dict[str, int]:
        counts: dict[str, int] = {}
        for place in ctx.file.places():
            if isinstance(place, Command) and program_of(place.words) is not None:
                for before, word in pairwise(place.words):
                    match = _EXPANSION.fullmatch(word.raw)
                    if match is not None and (before.text or "").startswith("-"):
                        counts[match[1]] = counts.get(match[1], 0) + 1
        return counts

    reads, gives = ctx.once("variables read", read), ctx.once("variables given", given)
    own = sum(f"${{{name}" in item.value.raw for item in _assignments(ctx)[name] if item.value is not None)
    return reads.get(name, 0) - own <= gives.get(name, 0)
