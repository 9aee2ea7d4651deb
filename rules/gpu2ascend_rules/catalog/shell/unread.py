"""NPU1011: shell code that is not understood."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...engine.places.context import PlaceContext
from ...engine.rule import Example, Rule, on
from ...kinds.kind import Place
from ...kinds.shell.places import Unread
from ...model.finding import UNDECIDED, Finding, Severity

_WORD = re.compile(r"cuda|nccl|nvidia|nsys|gpu", re.I)


class UnreadShellCode(Rule):
    """A part of a script that mentions CUDA could not be parsed.

    What it does: Reports the first such place of each part that is not recognized as shell code: a mistake, a
    template, or the syntax of another shell. The part is left unchanged.

    Why it matters on the NPU: References to GPUs in this part were not examined.

    Example: an ``if`` without its ``fi`` before ``export CUDA_VISIBLE_DEVICES=0``.

    Use instead: check the part by hand.
    """

    code = "NPU1011"
    words = ("cuda", "nccl", "nvidia", "nsys", "gpu")
    example_path = "train.sh"
    examples = (
        Example("ls\nx=$(( 1 + ; )\nfoo ) CUDA_VISIBLE_DEVICES=0 (\n"),
        Example.unchanged("export CUDA_VISIBLE_DEVICES=0\nls\n"),
    )

    @on.place(Unread)
    def unread(self, part: Unread, ctx: PlaceContext) -> Iterator[Finding]:
        match = _WORD.search(part.text)
        if match is not None:
            start = part.start + len(part.text[: match.start()].encode())
            place = Place(start, start + len(match[0]))
            yield self.report(place, "part", Severity.INFORMATION, kind=UNDECIDED, word=match[0])
