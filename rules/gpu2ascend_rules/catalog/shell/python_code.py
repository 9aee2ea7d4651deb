"""NPU1010: code that shell code gives to Python as a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from ...edits.fix_edits import needed_imports, own_edits
from ...engine.places.context import PlaceContext
from ...engine.places.rule import PlaceRule, on_place
from ...engine.rule import Example, Family
from ...kinds.kind import Place
from ...kinds.shell.places import Command, Word
from ...model.finding import Edit, Finding, Fix, Plan
from ...rewrite import RewriteDeclined
from ...text.source_file import SourceFile

_PATH = "train.sh"
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*")
_REPLACED = re.compile(r"[\\$`]")


class PythonCode(PlaceRule):
    """A script passes Python code to the interpreter as a string.

    What it does: Applies the rules for Python to the code of ``python -c``, and makes their changes in it.

    Why it matters on the NPU: The code fails in the same ways as a Python file: the number of devices that a
    script asks torch.cuda for is 0.

    Example: ``python -c "import torch; print(torch.cuda.device_count())"``.

    Use instead: what the message names.
    """

    code = "NPU1010"
    name = "python-code"
    family = Family.SHELL
    words = ("torch", "cuda")
    examples = (
        Example(
            'GPUS=$(python -c "import torch; print(torch.cuda.device_count())")\n'
            "python3 -u -c 'import torch\nprint(torch.device(\"cuda\"))' > log\n",
            'GPUS=$(python -c "import torch; import torch_npu; print(torch_npu.npu.device_count())")\n'
            "python3 -u -c 'import torch\nimport torch_npu\nprint(torch.device(\"npu\"))' > log\n",
            path=_PATH,
        ),
        Example(
            "python -c \"from tests import run; run(run_opts='--device=cuda')\"\n",
            unsafe="python -c \"from tests import run; run(run_opts='--device=npu')\"\n",
            path=_PATH,
        ),
        Example.unchanged('python -c "print(1)"\necho -c "import torch; torch.cuda.init()"\n', path=_PATH),
    )

    @on_place(Command)
    def run(self, command: Command, ctx: PlaceContext) -> Iterator[Finding]:
        for word in _codes(command):
            code = word.raw[1:-1]
            start = word.start + 1
            source = SourceFile(code, "")
            for finding in ctx.python_findings(source):
                place = Place(start + finding.start, start + finding.end)
                fix = None
                if finding.fix is not None and not source.has_syntax_error:
                    fix = _moved(finding.fix, source, start, word.raw[0])
                yield self.found(
                    place, "found", finding.severity, fix=fix, rule=finding.code, message=finding.message
                )


def _codes(command: Command) -> Iterator[Word]:
    """The texts for ``-c`` that stand as they are: between quotes, with nothing that the shell replaces."""
    is_python = False
    for option, word in pairwise(command.words):
        is_python = is_python or bool(_PYTHON.fullmatch((option.text or "").rpartition("/")[2]))
        if not is_python or option.text != "-c" or len(word.raw) < 3:
            continue
        quote, inner = word.raw[0], word.raw[1:-1]
        if quote not in "'\"" or word.raw[-1] != quote or quote in inner:
            continue
        if quote == "'" or not _REPLACED.search(inner):
            yield word


def _moved(fix: Fix, source: SourceFile, start: int, quote: str) -> Fix | None:
    """A fix of the code as one of the script; None where its text cannot stand between the quotes."""
    try:
        own = own_edits(source, fix)
    except RewriteDeclined:
        return None
    edits = (*own, *needed_imports(source, [(fix, own)]))
    texts = "".join(edit.text for edit in edits)
    if not edits or quote in texts or (quote == '"' and _REPLACED.search(texts)) or fix.plan.equivalents:
        return None
    moved = tuple(Edit(edit.start + start, edit.end + start, edit.text) for edit in sorted(edits))
    return fix._replace(plan=Plan(moved))
