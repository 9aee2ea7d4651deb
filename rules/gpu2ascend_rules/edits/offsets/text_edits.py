"""From a module before and after a transformation to the edits that make the one into the other."""

from __future__ import annotations

from itertools import accumulate

from ...model.finding import Edit


def text_edits(old: str, new: str) -> tuple[Edit, ...]:
    """Edits of whole lines, as few and small as the difference allows; places are bytes of ``old``."""
    import difflib

    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    starts = [0, *accumulate(len(line.encode("utf-8", "surrogatepass")) for line in before)]
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    return tuple(
        Edit(starts[first], starts[last], "".join(after[new_first:new_last]))
        for tag, first, last, new_first, new_last in matcher.get_opcodes()
        if tag != "equal"
    )
