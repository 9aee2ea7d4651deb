"""ADV115: what makes the host wait for the device within a forward pass."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tree_sitter import Node

from ....engine.context import Context
from ....engine.events import MemberRef, Outline
from ....engine.rule import Example, on
from ....inference.models.code import ModelCode
from ....limits.parents import parent_of
from ....model.finding import Finding
from ....receivers.residence import model_code
from ....text.guards import condition_in
from ....text.syntax import arguments_of, field, last_name, text_of, without_parentheses
from ....text.unit_tests import is_unit_test
from .model_rule import ModelRule

_READS = frozenset({"item", "tolist", "numpy", "cpu"})
_NUMBERS = frozenset({"int", "float", "bool", "max", "min"})
_HEAD = "import torch\nfrom torch import nn\nclass Loss(nn.Module):\n"


def _asserts(outline: Outline) -> bool:
    """Whether the file has an assertion."""
    return b"assert " in outline.source.data


class ModelWaits(ModelRule):
    """A model asks the device for a value.

    What it does: Reports, in the forward pass of a model or in a loss, tests and assertions on tensors
    (``if mask.sum() > 0``, ``assert (x > 0).all()``) and tensors that are made numbers (``.item()``,
    ``.tolist()``, ``.cpu()``, ``int(x)``, ``max(n, 1)``), once of each kind for each function.

    Why it matters on the NPU: Operators are queued, and the host runs ahead of the device. For a value, it
    waits until the queue is empty; afterwards the device waits for the host.

    Example: ``losses['iou'] = iou.mean().item()``.

    Use instead: return tensors (``iou.mean().detach()``) and convert them where they are logged; compute what
    a test decides with ``torch.where`` or a multiplication; ``n.clamp(min=1)`` for ``max(n, 1)``; assertions
    only while debugging.
    """

    code = "ADV115"
    examples = (
        Example(
            f"{_HEAD}    def forward(self, x):\n        assert (x.detach() > 0).all()\n        return x\n"
        ),
        Example(
            f"{_HEAD}    def forward(self, x):\n        if x.detach().sum() > 0:\n"
            "            x = x + 1\n        return x\n"
        ),
        Example(f"{_HEAD}    def forward(self, x):\n        return {{'loss': x.sum().item()}}\n"),
        Example(
            f"{_HEAD}    def forward(self, x):\n        n = (x.detach() > 0).sum()\n"
            "        return x / max(n, 1)\n"
        ),
        Example.unchanged(
            f"{_HEAD}    def forward(self, x):\n        assert x.dim() == 3\n        if x.size(0) > 2:\n"
            "            x = x[:2]\n        return x\n"
        ),
        Example.unchanged(
            f"{_HEAD}    def forward(self, x, y=None):\n        if y is not None:\n"
            "            x = x + y\n        return x\n"
        ),
    )

    @on.member("all", "any", needs=_asserts)
    def checked(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        """Assertions of functions that other files call."""
        statement = ctx.source.enclosing(ref.node, "assert_statement", "function_definition")
        if statement is None or statement.type != "assert_statement" or is_unit_test(ctx.source):
            return
        code, function = model_code(ctx), ctx.source.enclosing(statement, "function_definition")
        name = field(function, "name")
        is_test = name is None or text_of(name).startswith("test")
        is_looked_at = is_test or function in code.functions
        if (
            not is_looked_at
            and _decides(_first(statement), code)
            and ctx.is_first(("asserted", function), statement)
        ):
            yield self.advise(statement, "asserted", count=1)

    def in_model(self, code: ModelCode, ctx: Context) -> Iterator[Finding]:
        kinds = {
            "asserted": (node for node in code.nodes("assert_statement") if _decides(_first(node), code)),
            "tested": (
                condition
                for kind in ("if_statement", "elif_clause", "while_statement", "conditional_expression")
                for node in code.nodes(kind)
                if (condition := condition_in(node)) is not None and _decides(condition, code)
            ),
            "read": (node for node in code.calls(_READS | _NUMBERS) if _reads(node, code)),
        }
        for key, places in kinds.items():
            in_order = iter(sorted(places, key=lambda node: node.start_byte))
            yield from self.once_each(in_order, partial(self._waits, key), ctx)

    def _waits(self, key: str, place: Node, count: int) -> Finding:
        return self.advise(place, key, count=count)


def _first(node: Node) -> Node | None:
    return next(iter(node.named_children), None)


def _decides(condition: Node | None, code: ModelCode) -> bool:
    """Whether the truth of a condition is that of a tensor."""
    if condition is None:
        return False
    node = without_parentheses(condition)
    if node.type in ("boolean_operator", "not_operator"):
        return any(_decides(child, code) for child in node.named_children)
    is_made = node.type in ("comparison_operator", "call")
    return is_made and not _is_of_host(node) and code.is_tensor(node)


def _is_of_host(node: Node) -> bool:
    """Whether the text compares with nothing that a tensor's elements can be."""
    return any(child.type in ("none", "string") for child in node.named_children)


def _reads(call: Node, code: ModelCode) -> bool:
    function, name = field(call, "function"), last_name(call)
    if function is None:
        return False
    if function.type == "attribute":
        receiver = field(function, "object")
        is_part = name == "cpu" and (holder := parent_of(call)) is not None and holder.type == "attribute"
        if receiver is None or is_part or name not in _READS:
            return False
        return code.is_tensor(receiver) or (name == "item" and not arguments_of(call).items)
    given = arguments_of(call).positional
    is_number = function.type == "identifier" and text_of(function) in _NUMBERS
    is_pair = name not in ("max", "min") or len(given) == 2
    return is_number and is_pair and any(code.is_tensor(item.value) for item in given)
