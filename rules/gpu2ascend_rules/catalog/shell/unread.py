"""NPU1011: shell code that is not understood."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...engine.places.context import PlaceContext
from ...engine.places.rule import PlaceRule, on_place
from ...engine.rule import Example, Family
from ...kinds.kind import Place
from ...kinds.shell.places import Unread
from ...model.finding import Finding, Severity

_WORD = re.compile(r"cuda|nccl|nvidia|nsys|gpu", re.I)
_PATH = "train.sh"


class UnreadShellCode(PlaceRule):
    """A part of a script that mentions CUDA is not understood.

    What it does: Reports the first such place of each part that is no shell code as far as it is known: a
    mistake, a template, or syntax of another shell. The part stays as it is.

    Why it matters on the NPU: What the part says of GPUs was not looked at.

    Example: an ``if`` without its ``fi`` before ``export CUDA_VISIBLE_DEVICES=0``.

    Use instead: look through the part by hand.
    """

    code = "NPU1011"
    name = "unread-shell-code"
    family = Family.SHELL
    words = ("cuda", "nccl", "nvidia", "nsys", "gpu")
    examples = (
        Example("ls\nx=$(( 1 + ; )\nfoo ) CUDA_VISIBLE_DEVICES=0 (\n", manual=True, path=_PATH),
        Example.unchanged("export CUDA_VISIBLE_DEVICES=0\nls\n", path=_PATH),
    )

    @on_place(Unread)
    def unread(self, part: Unread, ctx: PlaceContext) -> Iterator[Finding]:
        match = _WORD.search(part.text)
        if match is not None:
            start = part.start + len(part.text[: match.start()].encode())
            yield self.found(Place(start, start + len(match[0])), "part", Severity.INFORMATION, word=match[0])
