"""NPU1014: what options of transformers' trainer ask of a GPU."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...engine.places.context import PlaceContext
from ...engine.rule import Example, Rule, on
from ...kinds.kind import Place, WholeText
from ...model.finding import Applicability, Edit, Finding, Severity

_OPTION = "--tf32"
_BETWEEN = r"""(?:=|["']?[ \t]*,?[ \t]*(?:\\?\r?\n[ \t]*)?)["']?"""
"""What is between an option and its value: on a command line, over two lines, in a list."""
_GIVEN = re.compile(rf"(?<![\w-]){_OPTION}{_BETWEEN}(true|yes|1)(?![\w./-])".encode(), re.I)
_OFF = {"True": "False", "true": "false", "TRUE": "FALSE", "yes": "no", "Yes": "No", "1": "0"}


class TrainerOption(Rule):
    """A command tells a trainer of transformers to use TF32.

    What it does: Gives ``--tf32`` the opposite value, unless the project declares the option itself.

    Why it matters on the NPU: transformers raises ValueError: TF32 needs CUDA.

    Example: ``torchrun train.py --bf16 True --tf32 True``.

    Use instead: ``--tf32 False``.
    """

    code = "NPU1014"
    words = ("--tf32",)
    example_path = "train.sh"
    examples = (
        Example(
            "torchrun train.py --tf32 True \\\n    --bf16 True\n",
            "torchrun train.py --tf32 False \\\n    --bf16 True\n",
        ),
        Example('ARGS="--tf32=true"\n', 'ARGS="--tf32=false"\n'),
        Example.unchanged("# python train.py --tf32 True\npython train.py --tf32 False\n"),
    )

    @on.place(WholeText)
    def search(self, place: WholeText, ctx: PlaceContext) -> Iterator[Finding]:
        if ctx.project.declared_in(_OPTION):
            return
        for match in _GIVEN.finditer(ctx.file.data):
            value = match[1].decode()
            if value in _OFF and ctx.file.comment_at(*match.span(1)) is None:
                fix = self.fix(Applicability.SAFE, edits=[Edit(*match.span(1), _OFF[value])])
                yield self.report(Place(*match.span(1)), "raises", Severity.ERROR, fix=fix)
