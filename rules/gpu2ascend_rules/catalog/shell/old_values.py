"""NPU1013: old words that are still given to options of which the migration changes the values."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from ...engine.places.context import PlaceContext
from ...engine.places.rule import PlaceRule, on_place
from ...engine.rule import Example, Family
from ...flow.command_line.programs import runs_nothing
from ...kinds.kind import Place, WholeText
from ...model.finding import Applicability, Edit, Finding, Severity
from .reading.between import BETWEEN
from .reading.served import spans_served
from .reading.summaries import summary_of

_PATH = "train.sh"
_NEW = {"cuda": "npu", "nccl": "hccl", "NCCL": "HCCL"}


class OldOptionValue(PlaceRule):
    """A command still gives an option its old value.

    What it does: Searches scripts, container files and configurations for an option of the project's programs
    whose default or choices the migration changes, with the word that it does not take any more, wherever no
    other rule has changed or reported it. The change is only offered.

    Why it matters on the NPU: The program rejects the value, or takes another way than the one that the
    migration prepared.

    Example: ``sbatch --wrap="python train.py --backend nccl"``, where ``--backend`` now takes ``hccl``.

    Use instead: the word for the NPU.
    """

    code = "NPU1013"
    name = "old-option-value"
    family = Family.SHELL
    needs_project = True
    words = ("cuda", "nccl")
    examples = (Example.unchanged("python train.py --backend nccl\n", path=_PATH),)

    @on_place(WholeText)
    def search(self, place: WholeText, ctx: PlaceContext) -> Iterator[Finding]:
        data = ctx.file.data
        for flag, olds in sorted(ctx.project.moved_options(ctx.options).items()):
            if flag.encode() not in data:
                continue
            words = "|".join(sorted(map(re.escape, {old.partition(":")[0] for old in olds} & _NEW.keys())))
            pattern = rf"(?<![\w-]){re.escape(flag)}{BETWEEN}({words})(?::\d+)?(?![\w./-])"
            for match in re.finditer(pattern.encode(), data) if words else ():
                if not self._is_known(match, ctx):
                    yield self._left(match, flag)

    def _is_known(self, match: re.Match[bytes], ctx: PlaceContext) -> bool:
        """Whether another rule has reported the value, a program that serves the NPU gets it, a comment has
        it, or no program gets it."""
        start, end = match.span(1)
        spans = (*ctx.reported, *ctx.once(spans_served, lambda: tuple(spans_served(ctx))))
        is_reported = any(first < end and start < last for first, last in spans)
        return is_reported or ctx.file.comment_at(start, end) is not None or _is_of_other(match.start(), ctx)

    def _left(self, match: re.Match[bytes], flag: str) -> Finding:
        old = match[1].decode()
        fix = self.fix(Applicability.UNSAFE, edits=[Edit(*match.span(1), _NEW[old])])
        place = Place(*match.span(1))
        return self.found(place, "left", Severity.ERROR, fix=fix, option=flag, value=old, target=_NEW[old])


def _is_of_other(start: int, ctx: PlaceContext) -> bool:
    """Whether an option is a word of a command that runs no program, and of which no other code reads what it
    prints: ``echo``, ``rsync``."""
    summary = summary_of(ctx)
    last = bisect_right(summary.commands, start, key=lambda command: command.start) - 1
    command = summary.commands[last] if last >= 0 else None
    if command is None or command.is_captured or not runs_nothing(command.words):
        return False
    behind = bisect_left(summary.redirections, command.end, key=lambda item: item.start)
    if behind < len(summary.redirections):
        between = ctx.file.data[command.end : summary.redirections[behind].start]
        if not between.strip(b" \t"):
            return False  # it may write a script
    return any(word.start == start for word in command.words)
