"""Fixes that are not made: those that fail, and those after which a text does not parse any more.

Either is a defect of ours. It must cost neither the other fixes of the file nor go unreported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

from ..limits.checkpoints import long_step
from ..model.defects import BREAKS, refused
from ..model.finding import Edit, Finding, Message
from ..text.plain.text_file import TextFile
from .offsets import Inside, OffsetMap

Judge = Callable[[TextFile, Sequence[Iterable[Edit]]], bool]
"""Whether a text is as sound as the given one was, by itself and the edits of each pass that led to it."""
MOST_OF_A_RULE = 4
"""Fixes of a rule that break a text before no other of that rule is tried in it."""


class HasFinding(Protocol):
    """A fix that may be made."""

    @property
    def finding(self) -> Finding:
        """What it answers."""


_Item = TypeVar("_Item", bound=HasFinding)


class SoundPart:
    """Divides fixes into those that can be made together and those that break the text.

    The guilty are found by halving. As no rule breaks a text more often than :data:`MOST_OF_A_RULE` times,
    the number of texts that are judged is logarithmic in the number of fixes, times the rules that err.
    """

    def __init__(self) -> None:
        self._broken: Counter[str] = Counter()

    def of(
        self, items: Sequence[_Item], is_sound: Callable[[list[_Item]], bool]
    ) -> tuple[list[_Item], list[_Item]]:
        """The fixes to make, and those not to make; both in their order."""
        kept: list[_Item] = []
        guilty: list[_Item] = []
        todo = [list(items)]
        while todo:
            part = todo.pop()
            guilty += [item for item in part if self._errs(item)]
            part = [item for item in part if not self._errs(item)]
            if not part:
                continue
            long_step()
            if is_sound([*kept, *part]):
                kept += part
            elif len(part) == 1:
                self._broken[part[0].finding.code] += 1
                guilty += part
            else:
                half = len(part) // 2
                todo += [part[half:], part[:half]]
        return kept, guilty

    def _errs(self, item: HasFinding) -> bool:
        return self._broken[item.finding.code] >= MOST_OF_A_RULE


class Refusals:
    """The fixes of a file that were not made, pass by pass, with the places of their findings.

    Args:
        is_sound: Judges what each pass would make of the text; ``None`` where nothing is known to break it.
    """

    def __init__(self, is_sound: Judge | None = None) -> None:
        self._is_sound = is_sound
        self._passes: list[Iterable[Edit]] = []
        self._found: dict[tuple[str, int], Finding] = {}
        """In the present text, with what is to be said."""
        self._part = SoundPart()
        self.errors: list[Exception] = []
        """What rules and rewrites raised."""

    @property
    def is_judging(self) -> bool:
        """Whether each text is judged."""
        return self._is_sound is not None

    def note(self, code: str, error: Exception) -> None:
        """Note that a rule failed, of which its finding tells."""
        self.errors.append(error)

    def refuse(self, finding: Finding, reason: Message | str) -> None:
        """Note that the fix of a finding is not made, and why."""
        self._found[finding.code, finding.start] = refused(finding, reason)

    def holds(self, finding: Finding) -> bool:
        """Whether the fix of a finding on the present text was refused."""
        return (finding.code, finding.start) in self._found

    def accepts(self, text: TextFile, edits: Iterable[Edit]) -> bool:
        """Whether edits of the present text, which make ``text`` of it, leave it sound."""
        return self._is_sound is None or self._is_sound(text, [*self._passes, edits])

    def admitted(
        self, items: Sequence[_Item], made: Callable[[list[_Item]], tuple[TextFile, Iterable[Edit]]]
    ) -> list[_Item]:
        """The fixes that can be made together: all of them where nothing is judged.

        Args:
            made: The text after fixes, and all of their edits.
        """

        def is_sound(part: list[_Item]) -> bool:
            try:
                return self.accepts(*made(part))
            except Exception:  # whatever cannot be made is not made
                return False

        if not self.is_judging:
            return list(items)
        kept, guilty = self._part.of(items, is_sound)
        for item in guilty:
            self.refuse(item.finding, BREAKS)
        return kept

    def moved(self, edits: Iterable[Edit]) -> None:
        """Go on to the text after a pass of edits."""
        edits = tuple(edits)
        moves = OffsetMap(edits)
        self._passes.append(edits)
        found = list(self._found.values())
        self._found = {}
        for finding in found:
            start = moves.present(finding.start)
            end = max(start, moves.present(finding.end, Inside.END, past_insertions=False))
            self._found[finding.code, start] = finding._replace(start=start, end=end)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings whose fixes were refused, which say so."""
        return tuple(self._found.values())

    def marked(self, findings: Iterable[Finding]) -> list[Finding]:
        """Findings on the present text, of which those that were refused say so, with all others refused."""
        left = dict(self._found)
        shown = [left.pop((item.code, item.start), item) for item in findings]
        return [*shown, *left.values()]
