"""NPU106 and NPU107: the out-of-memory error, by class and by text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from ...engine.context import TORCH, Context
from ...engine.events import NameRef, StringRef
from ...engine.rule import Example, Rule, on, replace
from ...limits.below import nodes_in
from ...limits.parents import parent_of
from ...model.finding import Applicability, Finding, Severity
from ...model.versions import Version
from ...renames.error_texts import ERROR_TEXTS, searched_text
from ...renames.qualified_names import name_becomes
from ...renames.texts import literal_becomes, part_becomes
from ...text.syntax import ancestors, text_of

RAISED_BY_CLASS_FROM = Version(2, 6)


class OutOfMemoryClass(Rule):
    """torch.cuda.OutOfMemoryError is named.

    What it does: From torch 2.6 on, replaces it with ``torch.OutOfMemoryError``, which is the same class. For
    older versions it offers ``RuntimeError``.

    Why it matters on the NPU: There is no ``OutOfMemoryError`` below ``torch_npu.npu``: using the name raises
    AttributeError while the real error is being handled. Before 2.6 torch_npu raises a plain RuntimeError,
    which this class does not catch.

    Example: ``except torch.cuda.OutOfMemoryError:`` becomes ``except torch.OutOfMemoryError:``.

    Use instead: ``torch.OutOfMemoryError`` from 2.6 on; before that, ``RuntimeError`` whose text contains
    'out of memory'.
    """

    code = "NPU106"
    is_exclusive = True
    examples = (
        Example(
            "import torch\ntry:\n    f()\nexcept torch.cuda.OutOfMemoryError:\n    pass\n",
            "import torch\ntry:\n    f()\nexcept torch.OutOfMemoryError:\n    pass\n",
        ),
        Example(
            "import torch\ntry:\n    f()\nexcept torch.cuda.OutOfMemoryError:\n    pass\n",
            unsafe="import torch\ntry:\n    f()\nexcept RuntimeError:\n    pass\n",
            version="2.1.0",
        ),
        Example.unchanged("import torch\ntry:\n    f()\nexcept torch.OutOfMemoryError:\n    pass\n"),
    )

    @on.name("torch.cuda.OutOfMemoryError")
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ref.root_name == ref.name:  # the import statement carries it
            if ctx.version < RAISED_BY_CLASS_FROM:
                yield self.report(ref.node, "older", Severity.ERROR, api=ref.name, version=ctx.version)
            return
        if ctx.version >= RAISED_BY_CLASS_FROM:
            renaming = name_becomes(ref, "torch.OutOfMemoryError", ctx)
            fix = self.fix(Applicability.SAFE, edits=renaming.edits, requires=[TORCH])
            yield self.report(ref.node, "class", Severity.WARNING, fix=fix, api=ref.name)
            return
        fix = self.fix(Applicability.UNSAFE, edits=[replace(ref.node, "RuntimeError")])
        yield self.report(ref.node, "older", Severity.WARNING, fix=fix, api=ref.name, version=ctx.version)


class OutOfMemoryText(Rule):
    """An error message is searched for 'CUDA out of memory'.

    What it does: Offers to search for 'out of memory', also where the message is in a variable or a list.

    Why it matters on the NPU: The NPU's message is 'NPU out of memory', so the search never succeeds and the
    error is not handled.

    Example: ``if 'CUDA out of memory' in str(e):``.

    Use instead: ``'out of memory'``, which the messages of both devices contain.
    """

    code = "NPU107"
    examples = (
        Example(
            "if 'CUDA out of memory' in str(e):\n    pass\n",
            unsafe="if 'out of memory' in str(e):\n    pass\n",
        ),
        Example(
            "if 'CUDA error: out of memory' in str(e):\n    pass\n",
            unsafe="if 'out of memory' in str(e):\n    pass\n",
        ),
        Example(
            "if str(e).startswith('CUDA out of memory.'):\n    pass\n",
            unsafe="if str(e).startswith('NPU out of memory.'):\n    pass\n",
        ),
        Example(
            "OOM = ['CUDA out of memory']\nfor text in OOM:\n    if text in str(e):\n        pass\n",
            unsafe="OOM = ['out of memory']\nfor text in OOM:\n    if text in str(e):\n        pass\n",
        ),
        Example(
            "if 'CUDA' in e.args[0] and 'out of memory' in e.args[0]:\n    pass\n",
            unsafe="if 'NPU' in e.args[0] and 'out of memory' in e.args[0]:\n    pass\n",
        ),
        Example.unchanged("if 'CUDA' in title and 'memory' in title:\n    pass\n"),
        Example.unchanged("if 'CUDA' in title and 'out of memory' in str(e):\n    pass\n"),
        Example.unchanged("OOM = 'CUDA out of memory'\nprint(OOM)\n"),
        Example.unchanged("print('CUDA out of memory')\nif 'out of memory' in str(e):\n    pass\n"),
    )

    @on.string(*ERROR_TEXTS)
    def text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        searched = searched_text(ref, ctx)
        if searched is not None:
            becomes = "" if searched.is_compared else "NPU "
            edits = part_becomes(ref.node, searched.start, searched.end, becomes)
            fix = self.fix(Applicability.UNSAFE, edits=edits) if edits else None
            yield self.report(ref.node, "text", Severity.WARNING, fix=fix)

    @on.string("CUDA", needs="out of memory")
    def beside_the_rest(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        """The device's name alone, searched for in what is searched for the rest beside it."""
        test = parent_of(ref.node)
        if ref.text != "CUDA" or test is None or test.type != "comparison_operator":
            return
        *_, whole = (test, *takewhile(lambda item: item.type == "boolean_operator", ancestors(test)))
        searched = text_of(test).removeprefix(text_of(ref.node))
        beside = (node for node in nodes_in(whole) if node.type == "comparison_operator")
        if any("out of memory" in text_of(node) and text_of(node).endswith(searched) for node in beside):
            fix = self.fix(Applicability.UNSAFE, edits=literal_becomes(ref.node, "NPU") or ())
            yield self.report(ref.node, "text", Severity.WARNING, fix=fix)
