"""NPU1009: options that shell code passes to the project's programs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ...engine.places.context import PlaceContext
from ...engine.rule import Example, Family, Rule, on
from ...flow.command_line.options import Fate, fate_of, fate_of_input
from ...flow.command_line.programs import program_in, program_of, python_of
from ...kinds.shell.places import Command, Use, Variable
from ...kinds.shell.words import options_of, variable_in
from ...model.finding import UNDECIDED, Applicability, Edit, Finding, Severity
from ...model.project.inputs import SettingInput, VariableInput
from .reading.called import commands_called
from .reading.given import CONFIGURATION, DEFAULT, VALUE, Given, Way, given_by, given_in, ways_of
from .reading.sourced import commands_of_readers
from .reading.summaries import is_given, program_at, summary_of

_DEVICE = re.compile(r"cuda(?::\d+)?")
_TELLING = re.compile(r"--?(?:\w+[-_])?(?:device(?:[-_]type)?|(?:dist(?:ributed)?|ddp)[-_]?backend|backend)")


class ScriptOption(Rule):
    """A script passes a CUDA device or NCCL to a program.

    What it does: Looks up the option in the program that the command starts, and in the modules of the
    project that it uses; for an override such as ``trainer.device=cuda`` the code that reads the key, and for
    a variable the code that reads it from the environment. If the value becomes a device or a back end of
    torch, it is changed together with the program; if that is not clear, or if the script uses the value for
    something else as well, the change is only offered. The value may be in the command, in a variable, or
    among the words of a loop. File names and options of other programs are not changed.

    Why it matters on the NPU: The migration changes the choices and defaults of the options, so the program
    rejects the old value, or asks for CUDA.

    Example: ``torchrun train.py --device cuda --dist-backend nccl``.

    Use instead: ``--device npu --dist-backend hccl``.
    """

    code = "NPU1009"
    name = "script-option"
    family = Family.SHELL
    words = ("cuda", "nccl", "gpu")
    example_path = "train.sh"
    examples = (
        Example(
            "python train.py --device cuda:0 --dist-backend=nccl\n",
            unsafe="python train.py --device npu:0 --dist-backend=hccl\n",
        ),
        Example(
            'ENTRYPOINT ["python", "train.py", "--device", "cuda"]\n',
            unsafe='ENTRYPOINT ["python", "train.py", "--device", "npu"]\n',
            path="Dockerfile",
        ),
        Example(
            "for d in cuda:0 cuda:1; do python train.py --device $d; done\n"
            "for i in 0 1; do python train.py --device=cuda:$i & done\n",
            unsafe="for d in npu:0 npu:1; do python train.py --device $d; done\n"
            "for i in 0 1; do python train.py --device=npu:$i & done\n",
        ),
        Example(
            "test:\n  script:\n    - python train.py\n      --device cuda\n",
            unsafe="test:\n  script:\n    - python train.py\n      --device npu\n",
            path=".gitlab-ci.yml",
        ),
        Example.unchanged(
            "python train.py --log cuda.log --name cuda --use_cuda\nother --device cuda\n"
            "python tool.py --out runs/cuda --optimizer nccl\necho train.py --device cuda\n"
        ),
    )

    @on.place(Command)
    def run(self, command: Command, ctx: PlaceContext) -> Iterator[Finding]:
        at = program_in(command, ctx)
        if at is None:
            yield from self._through_scripts(command, ctx)
            return
        program = program_at(command.words[at], ctx)
        ways = ways_of(command, ctx)
        followed = [given for way in ways if way.is_first for given in given_by(way, ctx)]
        fates = {given: _fate(program, given, ctx) for given in (*given_in(command, at), *followed)}
        known = {given.start for given, fate in fates.items() if fate.is_safe}
        known.update(_known_before(ways, program, ctx))
        for given, fate in fates.items():
            if fate.is_safe or given.start not in known:  # else another option says what the value is
                yield from self._judged(given, fate)

    def _through_scripts(self, command: Command, ctx: PlaceContext) -> Iterator[Finding]:
        """What a script that the command starts hands on to programs."""
        fates: dict[Given, list[Fate]] = {}
        for one in commands_called(command, ctx):
            at = program_of(one.words)
            program = python_of(one.words, ctx.project, one.path)
            for given in given_in(command._replace(words=one.words), at) if at is not None else ():
                if given.start >= 0:
                    fates.setdefault(given, []).append(_fate(program, given, ctx))
        for given, found in fates.items():
            if len({fate.becomes for fate in found}) == 1:
                yield from self._judged(given, _least_sure(found))

    @on.place(Variable)
    def sets(self, variable: Variable, ctx: PlaceContext) -> Iterator[Finding]:
        """What scripts that source this one pass on."""
        text, span = _set_to(variable)
        if span is None or is_given(variable.name, ctx):
            return  # a command of the file itself gives it to an option: it decides there
        fate = fate_of_input(VariableInput(variable.name), text, ctx)
        if fate.is_known:
            is_read = bool(summary_of(ctx).reads.get(variable.name))
            yield from self._judged(Given(variable.name, text, *span, is_shared=is_read), fate)
            return
        fates = {
            given: _fate(python_of(used.words, ctx.project, used.path), given, ctx)
            for used in commands_of_readers(ctx)
            for option, word in options_of(used.words)
            if variable_in(word) == variable.name
            for given in (Given(option, text, *span),)
        }
        if len({(fate.becomes, fate.is_known) for fate in fates.values()}) == 1:
            yield from self._judged(next(iter(fates)), _least_sure(fates.values()))
        elif fates:
            given = next(iter(fates))
            yield self.report(
                given.word,
                "unknown",
                Severity.INFORMATION,
                kind=UNDECIDED,
                option=given.option,
                value=text,
            )

    def _judged(self, given: Given, fate: Fate) -> Iterator[Finding]:
        arguments = {"option": given.option, "value": given.word.raw}
        if fate.becomes is not None and fate.becomes != given.value:
            edits = [_edit(given, fate.becomes)]
            if fate.is_safe and given.is_shared:
                fix = self.fix(Applicability.UNSAFE, edits=edits)
                yield self.report(given.word, "shared", Severity.ERROR, fix=fix, **arguments)
                return
            fix = self.fix(Applicability.SAFE if fate.is_safe else Applicability.UNSAFE, edits=edits)
            severity = Severity.WARNING if fate.is_safe else Severity.INFORMATION
            kind = "" if fate.is_safe else UNDECIDED
            yield self.report(given.word, "follows", severity, fix=fix, kind=kind, **arguments)
        elif not fate.is_known and _TELLING.fullmatch(given.option) and given.value != "gpu":
            new = "npu" + given.value[len("cuda") :] if _DEVICE.fullmatch(given.value) else "hccl"
            fix = self.fix(Applicability.UNSAFE, edits=[_edit(given, new)])
            yield self.report(
                given.word, "unknown", Severity.INFORMATION, fix=fix, kind=UNDECIDED, **arguments
            )


def _edit(given: Given, new: str) -> Edit:
    return Edit(given.start, given.end, given.written(new))


def _known_before(ways: tuple[Way, ...], program: tuple[str, str] | None, ctx: PlaceContext) -> Iterator[int]:
    """Where the values stand of which earlier commands showed what they are, of those looked into here."""
    here = {way.source for way in ways if way.is_first}
    for way in ways:
        if not way.is_first and way.source in here:
            yield from (given.start for given in given_by(way, ctx) if _fate(program, given, ctx).is_safe)


def _fate(program: tuple[str, str] | None, given: Given, ctx: PlaceContext) -> Fate:
    """What becomes of a value that is given to a program, by its path and text."""
    if given.keys:
        return fate_of_input(SettingInput(CONFIGURATION, given.keys), given.value, ctx)
    return fate_of(program, given.option, given.value, ctx) if program is not None else Fate(is_known=False)


def _least_sure(fates: Iterable[Fate]) -> Fate:
    return min(fates, key=lambda fate: fate.is_safe)


def _set_to(variable: Variable) -> tuple[str, tuple[int, int] | None]:
    """The word of a device or back end that a variable is set to, with its span; None for other values."""
    value = variable.value
    if value is None or variable.use not in (Use.SET, Use.PREFIX):
        return "", None
    default = DEFAULT.fullmatch(value.raw)
    text = default[1] if default is not None else value.text or ""
    return text, value.span_of(text) if VALUE.fullmatch(text) else None
