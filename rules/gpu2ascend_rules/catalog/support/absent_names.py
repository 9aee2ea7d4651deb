"""NPU007: names that the chosen PyTorch does not have any more, or not yet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import ImportRef, MemberRef, NameRef
from ...engine.rule import Example, Rule, on
from ...engine.scan import imported_name
from ...facts.releases.history import Lack, known_part, lacking
from ...facts.releases.successors import has_own_successor, successor_of
from ...flow.guards.ways import is_avoided
from ...inference.classes.torch_classes import bases_of
from ...model.finding import Finding, Severity
from ...receivers.evidence import is_assigned
from ...receivers.given_members import may_be_given
from ...receivers.listed_members import receiver
from ...text.guards import has_other_way, is_expected_missing
from ...text.names import Certainty

_OTHERS_SAY_SO = re.compile(
    r"torch\.(amp|cuda|npu|backends|GradScaler|compile|set_autocast_\w+|distributed\.\w+_multigpu)(?!\w)"
)
"""What rules of other families rename or speak of, version by version."""


class AbsentName(Rule):
    """A name is used that this PyTorch version does not have.

    What it does: Looks up every name below ``torch``, and every method of an object that is certainly a
    tensor, a module or an optimizer, in a table of PyTorch's releases. It reports names that were removed
    before the chosen version, and names that were added after it. Names whose absence is not certain, such as
    names that native code adds or that the file itself assigns to its objects, are not reported. Code that
    tests for the name or the version, or handles its absence, is not reported either.

    Why it matters on the NPU: The import or the call raises, on every device. A project is often migrated to
    a different PyTorch version than it was written for.

    Example: ``from torch._six import string_classes`` with PyTorch 2.0 or newer.

    Use instead: what the message names; or a PyTorch version that has the name.
    """

    code = "NPU007"
    examples = (
        Example("from torch._six import string_classes\n"),
        Example("import torch\ne, v = torch.symeig(a, eigenvectors=True)\n"),
        Example("import torch\ndef f(x: torch.Tensor):\n    return x.symeig()\n"),
        Example("import torch\ny = torch.fft(x, 2)\n"),
        Example("from torch.utils.ffi import create_extension\n"),
        Example("from torch.utils.serialization import load_lua\nnet = load_lua(path)\n"),
        Example("from torch.utils.serialization import load_lua\n", version="2.1.0"),
        Example(
            "import torch.nn.functional as F\ny = F.scaled_dot_product_attention(q, k, v)\n", version="1.11.0"
        ),
        Example("import torch.nn as nn\nclass N(nn.RMSNorm):\n    pass\n", version="2.1.0"),
        Example.unchanged("import torch\ny = torch.fft.fft(x)\nz = torch.linalg.eigh(a)\n"),
        Example.unchanged("import torch\ne, v = torch.symeig(a, eigenvectors=True)\n", version="1.11.0"),
        Example.unchanged(
            "try:\n    from torch._six import inf\nexcept ImportError:\n    from torch import inf\n"
        ),
        Example.unchanged(
            "import torch\nif hasattr(torch, 'symeig'):\n    e, v = torch.symeig(a)\n"
            "else:\n    e, v = torch.linalg.eigh(a)\n"
        ),
        Example.unchanged(
            "import torch\nif torch.__version__ < '1.8':\n    y = torch.rfft(x, 2)\n"
            "else:\n    y = torch.fft.rfft2(x)\n"
        ),
    )

    @on.absent_import()
    def imported(self, ref: ImportRef, ctx: Context) -> Iterator[Finding]:
        yield from self._looked_up(imported_name(ref.binding), ref.node, ref.statement, ctx)

    @on.support_listed_name("absent")
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ref.certainty is not Certainty.AMBIGUOUS:
            yield from self._looked_up(ref.name, _node_of(ref, lacking(ref.name, ctx.version)), ref.node, ctx)

    @on.name("torch.fft")
    def called(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        is_called = ref.call is not None and not ref.rest
        if (
            is_called
            and lacking("torch.fft", ctx.version) is None
            and ref.certainty is not Certainty.AMBIGUOUS
        ):
            yield from self._looked_up(f"{ref.name}()", ref.node, ref.node, ctx)

    @on.support_listed_member("absent")
    def member(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        if is_assigned(ref) or ref.receiver_name is not None:
            return
        instance = receiver(ref, ctx)
        if instance is None or not instance.class_name:
            return
        if may_be_given(ref.name, ctx.source, is_own_class=instance.definition is not None):
            return
        for base in bases_of(instance.class_name):
            yield from self._looked_up(f"{base}.{ref.name}", ref.identifier, ref.node, ctx)

    def _looked_up(self, name: str, node: Node, expression: Node, ctx: Context) -> Iterator[Finding]:
        lack = None if _OTHERS_SAY_SO.match(name) else lacking(name, ctx.version)
        if lack is None or is_expected_missing(expression, ctx.source) or is_avoided(expression, ctx):
            return
        instead = successor_of(name, ctx.version)
        key = _key(lack, is_called=name.endswith("()"))
        details: dict[str, Any] = {"instead": instead} if instead is not None else {}
        api = name if has_own_successor(name) else known_part(name, lack)
        finding = self.report(
            node,
            f"{key}_use" if instead is not None else key,
            Severity.INFORMATION if has_other_way(expression) else Severity.ERROR,
            api=api.removesuffix("()"),
            kind="unsupported",
            version=ctx.version,
            release=lack.removed or lack.added or "",
            **details,
        )
        yield finding._replace(api=name.removesuffix("()"))


def _key(lack: Lack, *, is_called: bool) -> str:
    if is_called:
        return "called"
    return "removed" if lack.removed is not None else "added"


def _node_of(ref: NameRef, lack: Lack | None) -> Node:
    """The expression up to the part that is not there."""
    first = ref.root_name.count(".") + 1
    count = lack.api.count(".") + 1 if lack is not None else 0
    return ref.chain.nodes[count - first] if 0 <= count - first < len(ref.chain.nodes) else ref.node
