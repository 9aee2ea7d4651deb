"""NPU1013: old words that are still given to options of which the migration changes the values."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from posixpath import join, normpath

from ...engine.places.context import PlaceContext
from ...engine.rule import Example, Rule, on
from ...flow.command_line.old_words import OldWord, old_words, old_words_of, visible_devices
from ...flow.command_line.programs import runs_nothing
from ...flow.subjects.environment import variable_for
from ...flow.subjects.variable_values import is_no_device
from ...kinds.kind import Place, WholeText
from ...kinds.shell.places import Command, Directive, Variable, Word
from ...model.finding import Applicability, Edit, Finding, Severity
from .frameworks import is_of_another_framework
from .reading.served import Starts, spans_served, starts
from .reading.summaries import summary_of

_PATH = "train.sh"
_SCRIPT = "shell"
_FLAGFILE = ("--flagfile", "-flagfile")
_FILE_OF_ARGUMENTS = re.compile(r"(?:@|--?flagfile=)([\w./-]+)")


class OldOptionValue(Rule):
    """A command or file still gives an option, setting or variable its old value.

    What it does: Searches scripts, container files and configurations for an option, a setting or a variable
    of the project's programs that the migration changes, with the word that it does not take any more,
    and for CUDA_VISIBLE_DEVICES, wherever no other rule has changed or reported it. Where the text names the
    program, it is changed; elsewhere the change is only offered. What a file of arguments gives
    (``@args.txt``, ``--flagfile``) is reported at the command.

    Why it matters on the NPU: The program rejects the value, or takes another way than the one that the
    migration prepared.

    Example: ``echo python train.py --backend nccl > job.sh``, where ``--backend`` now takes ``hccl``.

    Use instead: the word for the NPU.
    """

    code = "NPU1013"
    needs_project = True
    words = ("cuda", "nccl", " @", "flagfile")
    examples = (
        Example.unchanged("python train.py --backend nccl\n", path=_PATH),
        Example(
            "tmux send-keys 'CUDA_VISIBLE_DEVICES=0 python train.py' C-m\n",
            "tmux send-keys 'ASCEND_RT_VISIBLE_DEVICES=0 python train.py' C-m\n", path=_PATH,
        ),
        Example(
            "services:\n  t:\n    command: python train.py\n    environment:\n"
            "      - CUDA_VISIBLE_DEVICES=0\n",
            "services:\n  t:\n    command: python train.py\n    environment:\n"
            "      - ASCEND_RT_VISIBLE_DEVICES=0\n",
            path="docker-compose.yml",
        ),
        Example(
            "env:\n- name: CUDA_VISIBLE_DEVICES\n  value: '0'\n",
            unsafe="env:\n- name: ASCEND_RT_VISIBLE_DEVICES\n  value: '0'\n", path="job.yaml",
        ),
        Example.unchanged("echo 'CUDA_VISIBLE_DEVICES=0 python train.py'\n", path=_PATH),
    )  # fmt: skip

    @on.place(WholeText)
    def search(self, place: WholeText, ctx: PlaceContext) -> Iterator[Finding]:
        reported = (-1, "")
        """The line and the option of the word before: of the devices that one gets, the first is said."""
        for word in old_words_of(ctx):
            here = (ctx.file.data.count(b"\n", 0, word.start), word.name)
            is_further, reported = here == reported, here
            if not is_further and not self._is_known(word, ctx):
                is_tested = bool(summary_of(ctx).reads.get(word.name))
                yield self._left(word, is_certain=word.is_certain and not is_tested)

    @on.place(Command)
    def argument_files(self, place: Command, ctx: PlaceContext) -> Iterator[Finding]:
        """``python train.py @args.txt``, ``--flagfile=flags.txt``: what a file gives not a command."""
        for word, path in _files_of_arguments(place.words, ctx):
            data = (ctx.project.text_at(path) or "").encode("utf-8", "surrogatepass")
            for old in old_words(data, path, ctx):
                said = {"file": path, "option": old.name, "value": old.value, "target": old.new}
                yield self.report(word, "in_file", Severity.ERROR, fix=None, **said)

    @on.place(WholeText)
    def variables(self, place: WholeText, ctx: PlaceContext) -> Iterator[Finding]:
        """The variable that chooses GPUs, in texts of which no other rule knows that they set variables."""
        variable = variable_for("CUDA_VISIBLE_DEVICES", ctx.version)
        if variable is None or not variable.target or variable.target in ctx.file.text:
            return
        if is_of_another_framework(ctx) or starts(ctx) is not Starts.OTHERS:
            return
        places = (item.start for item in ctx.file.places() if isinstance(item, Variable))
        decided = frozenset(places)
        for word in visible_devices(ctx.file.data):
            if word.start in decided or is_no_device(word.value) or self._is_known(word, ctx):
                continue
            if not word.is_certain and ctx.file.kind.name == _SCRIPT:
                continue  # a text of a script that starts no program
            sure = Applicability.SAFE if word.is_certain else Applicability.UNSAFE
            fix = self.fix(sure, edits=[Edit(word.start, word.end, variable.target)])
            said = {"variable": word.name, "target": variable.target}
            yield self.report(Place(word.start, word.end), "variable", Severity.WARNING, fix=fix, **said)

    def _is_known(self, word: OldWord, ctx: PlaceContext) -> bool:
        """Whether another rule has reported the value, a program that serves the NPU gets it, a comment has
        it, or no program gets it."""
        spans = (*ctx.reported, *ctx.once(spans_served, lambda: tuple(spans_served(ctx))))
        is_reported = any(first < word.end and word.start < last for first, last in spans)
        is_comment = ctx.file.comment_at(word.start, word.end) is not None
        is_read = is_comment and any(item.start <= word.start < item.end for item in _directives(ctx))
        return is_reported or (is_comment and not is_read) or _is_of_other(word.start, ctx)

    def _left(self, word: OldWord, *, is_certain: bool) -> Finding:
        applicability = Applicability.SAFE if is_certain else Applicability.UNSAFE
        fix = self.fix(applicability, edits=[Edit(word.start, word.end, word.new)])
        said = {"option": word.name, "value": word.value, "target": word.new}
        place = Place(word.start, word.end)
        return self.report(place, "left", Severity.ERROR, fix=fix, **said)


def _directives(ctx: PlaceContext) -> tuple[Directive, ...]:
    """The comments that a scheduler reads: ``#SBATCH --export=DEVICE=cuda`` sets a variable."""
    places = ctx.file.places
    return ctx.once(_directives, lambda: tuple(item for item in places() if isinstance(item, Directive)))


def _files_of_arguments(words: tuple[Word, ...], ctx: PlaceContext) -> Iterator[tuple[Word, str]]:
    """The files of a command that hold further arguments, each with the word that names it."""
    folder = ctx.file.path.rpartition("/")[0]
    for before, word in zip((None, *words), words, strict=False):
        match = _FILE_OF_ARGUMENTS.fullmatch(word.text or "")
        is_next = before is not None and (before.text or "") in _FLAGFILE
        name = match[1] if match is not None else word.text if is_next else None
        if name:
            paths = dict.fromkeys(normpath(join(base, name)) for base in (folder, ""))
            path = next((path for path in paths if ctx.project.text_at(path) is not None), None)
            yield from [(word, path)] if path is not None else []


def _is_of_other(start: int, ctx: PlaceContext) -> bool:
    """Whether a value is in a command that runs no program, and of which no other code reads what it prints:
    ``echo``, ``rsync``."""
    summary = summary_of(ctx)
    last = bisect_right(summary.commands, start, key=lambda command: command.start) - 1
    command = summary.commands[last] if last >= 0 else None
    if command is None or command.is_captured or not runs_nothing(command.words):
        return False
    if [word.text for word in command.words[:2]] == ["printf", "-v"]:
        return False  # it sets a variable
    behind = bisect_left(summary.redirections, command.end, key=lambda item: item.start)
    if behind < len(summary.redirections):
        between = ctx.file.data[command.end : summary.redirections[behind].start]
        if not between.strip(b" \t"):
            return False  # it may write a script
    return any(word.start <= start < word.end for word in command.words)
