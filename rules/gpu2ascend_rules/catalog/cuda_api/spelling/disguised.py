"""NPU114: names and strings that Python reads otherwise than they are written."""

from __future__ import annotations

from collections.abc import Iterator

from ....engine.context import Context
from ....engine.rule import Example, Rule, on
from ....model.finding import Applicability, Edit, Finding, Severity
from ....text.dynamic.disguises import Disguise


class Disguised(Rule):
    """A name or a string is written so that a search does not find it.

    What it does: Writes identifiers in the form in which Python reads them (NFKC), and letters instead
    of escapes in strings that spell a word such as ``cuda``. What the plain text means on the NPU is then
    examined as any other code.

    Why it matters on the NPU: Python reads ``x.ｃｕｄａ()`` as ``x.cuda()`` and ``'c\\x75da'`` as ``'cuda'``,
    so the code needs a GPU, while neither a search nor a rule that looks for the word sees that.

    Example: ``x.ｃｕｄａ()`` becomes ``x.cuda()``, and then ``x.npu()``.

    Use instead: the plain name or string.
    """

    code = "NPU114"
    name = "disguised-name"
    examples = (
        Example("import torch\ny = f(device='\\u0063uda')\n", "import torch\ny = f(device='cuda')\n"),
        Example("s = 'c\\x75da:0'\n", "s = 'cuda:0'\n"),
        Example("s = 'c\\165da'\nn = f'\\N{LATIN SMALL LETTER N}ccl{i}'\n", "s = 'cuda'\nn = f'nccl{i}'\n"),
        Example("s = 'c\\x75' 'da'\n", "s = 'cu' 'da'\n"),
        Example("import torch\nx.ｎｕｍ_gpus = 1\n", "import torch\nx.num_gpus = 1\n"),
        Example.unchanged("s = '\\x1b[31mcuda' r'c\\x75da'\nℓ = b'\\u0063uda'\n"),
    )

    @on.disguise()
    def disguised(self, place: Disguise, ctx: Context) -> Iterator[Finding]:
        """Each such place."""
        edits = [Edit(*edit) for edit in place.edits]
        fix = self.fix(Applicability.SAFE, edits=edits)
        yield self.report(place.node, "disguised", Severity.WARNING, fix=fix, plain=place.plain)
