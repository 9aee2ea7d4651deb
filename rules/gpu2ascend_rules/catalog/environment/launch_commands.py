"""NPU906 and NPU907: options in the commands by which a script launches others."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import StringRef
from ...engine.rule import Example, Rule, on
from ...flow import Role
from ...flow.command_line.old_words import COUNTERPARTS, given_words, old_argument, old_words
from ...flow.command_line.options import Fate, fate_of
from ...flow.command_line.programs import is_of_others, python_of, runs_nothing
from ...flow.subjects.commands import command_role, element_of, option_before, previous_element
from ...flow.templates import plain_text
from ...kinds.shell.places import Command, Word
from ...kinds.shell.reading import places_of
from ...kinds.shell.script import parsed
from ...limits.parents import parent_of
from ...model.finding import UNDECIDED, Applicability, Edit, Finding, Fix, Severity
from ...model.versions import Version
from ...renames.texts import literal_becomes, part_becomes, parts_become
from ...text.syntax import text_of

_PER_NODE = re.compile(r"--nproc[-_]per[-_]node")
_JOINED = re.compile(r"--nproc[-_]per[-_]node[= ]+gpu(?!\w)")
_AUTOLOAD_SINCE = Version(2, 5)
_VALUE = re.compile(r"nccl|cuda(?::(?:\d+|\{\}|%[ds])?)?")
_VALUES = re.compile(rf"(?:{_VALUE.pattern})(?:,(?:{_VALUE.pattern}|cpu))*")
_TELLING = re.compile(r"--(?:device(?:[-_]type)?|(?:(?:dist(?:ributed)?|ddp)[-_])?backend)")


class ProcessesPerGpu(Rule):
    """A launcher starts one process per GPU.

    What it does: Finds ``--nproc_per_node=gpu`` in commands. From torch 2.5 on it is replaced with ``npu``;
    before that, the launcher does not load torch_npu and needs a number.

    Why it matters on the NPU: ``gpu`` is the number of CUDA devices, and the launcher stops if there are
    none.

    Example: ``['torchrun', '--nproc_per_node=gpu', 'train.py']``.

    Use instead: ``npu``, or the number of devices.
    """

    code = "NPU906"
    examples = (
        Example(
            "import os, subprocess\nos.system('torchrun --nproc_per_node=gpu train.py')\n"
            "subprocess.run(['torchrun', '--nproc-per-node', 'gpu', 'train.py'])\n",
            "import os, subprocess\nos.system('torchrun --nproc_per_node=npu train.py')\n"
            "subprocess.run(['torchrun', '--nproc-per-node', 'npu', 'train.py'])\n",
        ),
        Example(
            "import os\nos.system('python -m torch.distributed.launch --nproc_per_node=gpu train.py')\n",
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
    """A command passes a CUDA device or NCCL to a script.

    What it does: Looks up the options of a command in the program of the project that it starts, and changes
    the value together with the program; overrides of hydra and variables of the environment, too. If the
    program is not found, the change is only offered; where no program of the project takes the value any
    more, that is an error.

    Why it matters on the NPU: The migration changes the options' defaults and choices, so the values in
    commands must change as well.

    Example: ``['python', 'train.py', '--dist-backend', 'nccl']``.

    Use instead: ``--device npu``, ``--dist-backend hccl``.
    """

    code = "NPU907"
    examples = (
        Example(
            "import os, subprocess\nos.system('python train.py --device cuda:0 --dist-backend=nccl')\n"
            "subprocess.run(['python', 'train.py', '--backend', 'nccl', '--dist-backend=nccl'])\n",
            unsafe="import os, subprocess\nos.system('python train.py --device npu:0 --dist-backend=hccl')\n"
            "subprocess.run(['python', 'train.py', '--backend', 'hccl', '--dist-backend=hccl'])\n",
        ),
        Example(
            "import os, subprocess\nos.system('python train.py --device cuda:0 cuda:1')\n"
            "subprocess.run(['python', 'train.py', '--device', 'cuda:0', 'cuda:1'])\n"
            "subprocess.run(['python', 'train.py', '--device', f'cuda:{i},cuda:{i + 1}'])\n",
            unsafe="import os, subprocess\nos.system('python train.py --device npu:0 npu:1')\n"
            "subprocess.run(['python', 'train.py', '--device', 'npu:0', 'npu:1'])\n"
            "subprocess.run(['python', 'train.py', '--device', f'npu:{i},npu:{i + 1}'])\n",
        ),
        Example(
            "import subprocess\nsubprocess.run(['python', 't.py', '--device', f'cuda:{i}'])\n"
            "subprocess.run(['python', 't.py', '--device', 'cuda:' + str(i)])\n"
            "subprocess.run(['python', 't.py', '--device', 'cuda:%d' % i])\n",
            unsafe="import subprocess\nsubprocess.run(['python', 't.py', '--device', f'npu:{i}'])\n"
            "subprocess.run(['python', 't.py', '--device', 'npu:' + str(i)])\n"
            "subprocess.run(['python', 't.py', '--device', 'npu:%d' % i])\n",
        ),
        Example.unchanged(
            "import subprocess\nsubprocess.run(['python', 't.py', '--device', 'cuda:' + n + ',cuda:9'])\n"
        ),
        Example.unchanged(
            "print('python train.py --device cuda')\nhelp = 'use --backend nccl'\n"
            "subprocess.run(['python', 'train.py', '--use_cuda', '--gpu', '0'])\n"
        ),
    )

    @on.string("nccl", "cuda")
    def text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        given = list(_known(ref, ctx))
        role = command_role(ref.node, ctx) if given else Role.SHOWN
        old = old_argument(ref.node, ref.text, ctx)
        if old is not None and role is not Role.CONSUMED:
            sure = Applicability.SAFE if old.is_certain else Applicability.UNSAFE
            yield self._old(ref, given[0], self.fix(sure, edits=_changed(ref, given)))
            return
        if role is Role.SHOWN:
            return
        for applicability, changes in _by_certainty(given, role, ref, ctx).items():
            fix = self.fix(applicability, edits=_changed(ref, changes))
            first = next((one for one in changes if one.is_old), None)
            if applicability is Applicability.SAFE:
                yield self.report(ref.node, "follows", Severity.WARNING, fix=fix)
            elif first is not None and role is Role.CONSUMED:
                yield self._old(ref, first, fix)
            else:
                yield self.report(ref.node, "value", Severity.INFORMATION, fix=fix, kind=UNDECIDED)

    def _old(self, ref: StringRef, given: _Given, fix: Fix) -> Finding:
        """A value of which nothing shows the program that gets it, as no program of the project takes it."""
        said = {"option": given.option, "value": given.value, "target": given.becomes}
        return self.report(ref.node, "old", Severity.ERROR, fix=fix, **said)


class _Given(NamedTuple):
    """A value that an option gets; the span is that of what changes, in the text of the string."""

    option: str
    value: str
    start: int
    end: int
    new: str
    is_old: bool = False
    """Whether the project's programs do not take it there any more."""
    is_certain: bool = False
    """Whether the text names the program that does not."""

    @property
    def becomes(self) -> str:
        """The value with the change."""
        return self.new + self.value[self.end - self.start :]


def _given(ref: StringRef, ctx: Context) -> Iterator[_Given]:
    """The values that stand with their options in one text, or the one that follows its option in a list."""
    if "=" in ref.text or ("--" in ref.text and " " in ref.text):
        data = ref.text.encode("utf-8", "replace")
        found = {word.start: word for word in old_words(data, ctx.source.path, ctx)}
        telling = {word.start: word for option, word in given_words(data) if _TELLING.fullmatch(option)}
        for at, word in sorted({**telling, **found}.items()):
            start = len(data[:at].decode("utf-8", "replace"))
            value = _VALUE.match(ref.text, start)
            end = start + len(word.value)
            given = _Given(word.name, value[0] if value else word.value, start, end, word.new)
            yield given._replace(is_old=at in found, is_certain=word.is_certain)
    elif _VALUES.fullmatch(ref.text):
        yield from _following(ref, ctx)


def _following(ref: StringRef, ctx: Context) -> Iterator[_Given]:
    """The values in a text that follows its option in a list: one, or several between commas."""
    for item in re.finditer("[^,]+", ref.text):
        bare = item[0].partition(":")[0]
        old = old_argument(ref.node, item[0], ctx) if bare in COUNTERPARTS else None
        option = old.name if old is not None else option_before(ref.node)
        if bare in COUNTERPARTS and (old is not None or _TELLING.fullmatch(option)):
            end = item.start() + len(bare)
            yield _Given(option, item[0], item.start(), end, COUNTERPARTS[bare], is_old=old is not None)


def _changed(ref: StringRef, changes: list[_Given]) -> list[Edit]:
    if len(changes) == 1 and changes[0].value == ref.text and not ref.is_formatted:
        return literal_becomes(ref.node, changes[0].becomes) or []
    return parts_become(ref.node, [(one.start, one.end, one.new) for one in changes]) or []


def _known(ref: StringRef, ctx: Context) -> Iterator[_Given]:
    """The values as what is known of them: a program of others takes what it takes."""
    for given in _given(ref, ctx):
        command = _command_around(given, ref, ctx)
        yield given._replace(is_old=False) if command is not None and command.is_of_others else given


def _by_certainty(
    given: list[_Given], role: Role, ref: StringRef, ctx: Context
) -> dict[Applicability, list[_Given]]:
    """The values that change, by how sure that is."""
    found: dict[Applicability, list[_Given]] = {}
    for one in given:
        applicability = _applicability(one, ref, ctx) if role is Role.CONSUMED else Applicability.UNSAFE
        if applicability is not None:
            found.setdefault(applicability, []).append(one)
    return found


def _applicability(given: _Given, ref: StringRef, ctx: Context) -> Applicability | None:
    """How sure a change is, as the program shows that the command starts; None where its value stays."""
    command = _command_around(given, ref, ctx)
    if command is not None and command.only_prints:
        return None
    if given.is_certain:
        return Applicability.SAFE
    program = command.program if command is not None else _program_of_list(ref, ctx)
    fate = fate_of(program, given.option, given.value, ctx) if program is not None else Fate(is_known=False)
    if fate.is_known and fate.becomes in (None, given.value):
        return None
    is_safe = fate.is_safe and fate.becomes == given.becomes
    return Applicability.SAFE if is_safe else Applicability.UNSAFE


def _program_of_list(ref: StringRef, ctx: Context) -> tuple[str, str] | None:
    """The project's program that the command starts of which a string is a word."""
    if " " in ref.text.strip():
        return None
    element = element_of(ref.node)
    parent = parent_of(element)
    key = ("program of a list", parent.start_byte if parent is not None else -1)
    return ctx.once(key, lambda: python_of(_listed(element), ctx.project, ctx.source.path))


def _command_around(given: _Given, ref: StringRef, ctx: Context) -> _Started | None:
    """The command in a text that an option belongs to."""
    if " " not in ref.text.strip():
        return None
    at = len(ref.text[: given.start].encode("utf-8", "replace"))
    commands = ctx.once(("programs of a text", ref.node.start_byte), lambda: _programs(ref.text, ctx))
    behind = bisect_right(commands, at, key=lambda command: command.start)
    around = (command for command in map(commands.__getitem__, range(behind - 1, -1, -1)) if at < command.end)
    return next(around, None)


class _Started(NamedTuple):
    """A command of a text, and the project's program that it starts."""

    start: int
    end: int
    program: tuple[str, str] | None
    only_prints: bool
    is_of_others: bool


def _programs(text: str, ctx: Context) -> list[_Started]:
    """The commands of a text, by where they begin in its UTF-8."""
    data = text.encode("utf-8", "replace")
    places = (place for place in places_of(parsed(data).root_node, parsed) if isinstance(place, Command))
    started = (
        _Started(
            place.start,
            place.end,
            python_of(place.words, ctx.project, ctx.source.path),
            bool(place.words) and runs_nothing(place.words),
            is_of_others(place.words, ctx.project),
        )
        for place in places
    )
    return sorted(started, key=lambda command: command.start)


def _listed(string: Node) -> tuple[Word, ...]:
    """The elements of a list as the words of a command."""
    holder = parent_of(string)
    siblings = holder.named_children if holder is not None else []
    return tuple(
        Word(node.start_byte, node.end_byte, _word(node), text_of(node))
        for node in siblings
        if node.type not in ("comment", "keyword_argument")
    )


def _word(node: Node) -> str | None:
    return "python" if text_of(node) == "sys.executable" else plain_text(node)
