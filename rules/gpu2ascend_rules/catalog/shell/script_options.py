"""NPU1009: options that shell code passes to the project's programs."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...engine.places.context import PlaceContext
from ...engine.rule import Example, Rule, on
from ...flow.command_line.options import Fate, fate_of, fate_of_input
from ...flow.command_line.programs import program_in, program_of, python_of
from ...kinds.registry import kind_file, kind_of_name
from ...kinds.shell.expansion import HEADS, called
from ...kinds.shell.places import Command, Function, Use, Variable, Word
from ...kinds.shell.summary import summarise
from ...kinds.shell.words import SCRIPT_SUFFIXES, given_to_make, options_of, variable_in
from ...limits.checkpoints import checkpoint
from ...model.finding import UNDECIDED, Applicability, Edit, Finding, Severity
from ...model.project.inputs import SettingInput, VariableInput
from .reading.given import CONFIGURATION, DEFAULT, VALUE, Given, Way, given_by, given_in, ways_of
from .reading.summaries import is_given, program_at, summary_of

_INCLUDE = re.compile(r"^[ \t]*[-s]?include[ \t]+([^\n#]+)", re.M)
"""How a makefile takes in others."""
_COMPUTED = re.compile(r".*(?:[)}]|\$\w+)/")
"""What comes before the path of a script that is sourced: ``$(dirname "$0")/``, ``${HERE}/``."""
_MOST_SCRIPTS = 100
"""Scripts beside a file that are looked at."""
_RUN_SCRIPTS = HEADS | {"source", ".", "qsub", "bsub"}
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_MOST_DEEP = 3
_DEVICE = re.compile(r"cuda(?::\d+)?")
_TELLING = re.compile(r"--?(?:\w+[-_])?(?:device(?:[-_]type)?|(?:dist(?:ributed)?|ddp)[-_]?backend|backend)")


class UsedCommand(NamedTuple):
    """A command that starts a program, in another script."""

    path: str
    words: tuple[Word, ...]


def commands_of_readers(ctx: PlaceContext) -> tuple[UsedCommand, ...]:
    """The commands of what sources or includes the file, in its directory or the one above."""
    return ctx.once("commands of scripts that source this one", lambda: tuple(_commands(ctx)))


def _commands(ctx: PlaceContext) -> Iterator[UsedCommand]:
    name = posixpath.basename(ctx.file.path)
    for path in _scripts(ctx):
        checkpoint()
        text = ctx.project.text_at(path)
        script = kind_file(path, text) if text is not None and name in text else None
        if text is None or script is None:
            continue
        summary = summarise(script.places())
        includes = any(_included(match[1], name) for match in _INCLUDE.finditer(text))
        if includes or any(_is_path_of(name, word) for word in summary.sourced):
            run = ((command, words) for command in summary.commands for words in _run(command, ctx))
            yield from (
                UsedCommand(path, words)
                for command, words in run
                if program_in(command._replace(words=words), ctx, path) is not None
            )


def _run(command: Command, ctx: PlaceContext) -> Iterator[tuple[Word, ...]]:
    """The words of a command of another script, and of what it runs by a function of the file."""
    yield command.words
    for function in summary_of(ctx).functions.get(command.words[0].text or "", ()):
        yield from called(_body(function, ctx.file.places()), command.words[1:])


def _body(function: Function, places: Iterable[object]) -> list[Command | Variable]:
    first, last = function.body
    inside = (place for place in places if isinstance(place, Command | Variable))
    return [_elsewhere(place) for place in inside if first <= place.start < last]


def _scripts(ctx: PlaceContext) -> list[str]:
    own = posixpath.dirname(ctx.file.path)
    directories = dict.fromkeys((own, posixpath.dirname(own)))
    paths = (
        posixpath.join(directory, name)
        for directory in directories
        for name in ctx.project.names_in(directory)
    )
    scripts = (path for path in paths if path != ctx.file.path and _is_script(path))
    return sorted(scripts)[:_MOST_SCRIPTS]


def _is_script(path: str) -> bool:
    kind = kind_of_name(path)
    return kind is not None and kind.name in ("shell", "makefile")


def _is_path_of(name: str, word: Word) -> bool:
    """Whether a script of a name is read: wherever it lies, for the path is often computed."""
    return posixpath.basename(word.raw.strip("\"'")) == name


def _included(names: str, name: str) -> bool:
    return any(posixpath.basename(item) == name for item in names.split())


class CalledCommand(NamedTuple):
    """A command of another script, with the arguments of the call in place of its own words for them."""

    path: str
    """Of the script that has the command."""
    words: tuple[Word, ...]
    """Those of the script have no place in the file that calls it: they begin before it."""


def commands_called(command: Command, ctx: PlaceContext) -> tuple[CalledCommand, ...]:
    """The commands that get arguments of a command which starts a script of the project."""

    def found() -> Iterator[CalledCommand]:
        yield from _called(command.words, ctx.file.path, ctx, _MOST_DEEP)
        yield from _of_sourced(command, ctx)

    return ctx.once(("called", command), lambda: tuple(found()))


def _of_sourced(command: Command, ctx: PlaceContext) -> Iterator[CalledCommand]:
    """What a command runs by a function of a script that the file sources."""
    functions = ctx.once("functions of sourced scripts", lambda: _functions_sourced(ctx))
    for path, body in functions.get(command.words[0].text or "", ()):
        for inner in called(body, command.words[1:]):
            yield CalledCommand(path, inner)


def _functions_sourced(ctx: PlaceContext) -> dict[str, list[tuple[str, list[Command | Variable]]]]:
    """The functions of the scripts that the file sources, by name: the script, and what runs in them."""
    found: dict[str, list[tuple[str, list[Command | Variable]]]] = {}
    for word in summary_of(ctx).sourced:
        named = _script(_COMPUTED.sub("", word.raw.strip("\"'")), ctx.file.path, ctx)
        script = kind_file(*named) if named is not None else None
        places = tuple(script.places()) if script is not None else ()
        for place in places:
            if named is not None and isinstance(place, Function):
                found.setdefault(place.name, []).append((named[0], _body(place, places)))
    return found


def _called(words: tuple[Word, ...], path: str, ctx: PlaceContext, depth: int) -> Iterator[CalledCommand]:
    at = _script_among(words)
    given = given_to_make(Command(words[0].start, words[-1].end, words, is_captured=False))
    variables = {item.name: item.value for item in given if item.value is not None}
    names = (words[at].text or "",) if at is not None else _MAKEFILES if variables else ()
    found = next(filter(None, (_script(name, path, ctx) for name in names)), None) if depth else None
    if found is None or found[0] == path:
        return
    script = kind_file(*found)
    places = script.places() if script is not None else ()
    body = [_elsewhere(place) for place in places if isinstance(place, Command | Variable)]
    for inner in called(body, words[at + 1 :] if at is not None else (), variables):
        yield CalledCommand(found[0], inner)
        yield from _called(inner, found[0], ctx, depth - 1)


def _elsewhere(place: Command | Variable) -> Command | Variable:
    """A command of another file, whose words no edit may touch."""
    if not isinstance(place, Command):
        return place
    return place._replace(words=tuple(word._replace(start=-1, end=-1) for word in place.words))


def _script_among(words: tuple[Word, ...]) -> int | None:
    """Which word of a command names a script that a shell runs."""
    if words[0].text is not None and words[0].text.endswith(SCRIPT_SUFFIXES):
        return 0
    if (words[0].text or "").rpartition("/")[2] not in _RUN_SCRIPTS:
        return None
    return next((at for at, word in enumerate(words) if (word.text or "").endswith(SCRIPT_SUFFIXES)), None)


def _script(name: str, path: str, ctx: PlaceContext) -> tuple[str, str] | None:
    """The path and the text of a script, seen from the directory of the file, or from that of the project."""
    for directory in dict.fromkeys((posixpath.dirname(path), "")):
        place = posixpath.normpath(posixpath.join(directory, name))
        text = ctx.project.text_at(place) if not place.startswith(("..", "/")) else None
        if text is not None:
            return place, text
    return None


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
    words = ("cuda", "nccl", "gpu")
    example_path = "train.sh"
    examples = (
        Example(
            "python train.py --device cuda:0 --dist-backend=nccl\n",
            unsafe="python train.py --device npu:0 --dist-backend=hccl\n",
        ),
        Example(
            "python train.py --device cuda:0 cuda:1\nA='--device cuda:0 cuda:1'\npython a.py $A\n",
            unsafe="python train.py --device npu:0 npu:1\nA='--device npu:0 npu:1'\npython a.py $A\n",
        ),
        Example(
            'ENTRYPOINT ["python", "train.py", "--device", "cuda"]\n',
            unsafe='ENTRYPOINT ["python", "train.py", "--device", "npu"]\n',
            path="Dockerfile",
        ),
        Example(
            "for d in cuda:0 cuda:1; do python train.py --device $d; done\n"
            "for i in 0 1; do python train.py --device=cuda:$i & done\n"
            "python train.py --device cuda:0,cuda:1 --device cuda:$i,cuda:$((i+1))\n",
            unsafe="for d in npu:0 npu:1; do python train.py --device $d; done\n"
            "for i in 0 1; do python train.py --device=npu:$i & done\n"
            "python train.py --device npu:0,npu:1 --device npu:$i,npu:$((i+1))\n",
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
                given.word, "unknown", Severity.INFORMATION, kind=UNDECIDED, option=given.option, value=text
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
    """Where the values are of which earlier commands showed what they are, of those looked into here."""
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
