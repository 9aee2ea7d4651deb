"""NPU205: where ``map_location`` puts what was saved on a GPU."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import KeywordRef, StringRef
from ...engine.rule import Example, Rule, on
from ...flow import Role, device_flow
from ...flow.templates import template_of
from ...flow.words import is_device_text
from ...limits.walks import FORWARD_LIMITS
from ...model.finding import Applicability, Edit, Finding, Severity
from ...renames.texts import renamed_device
from ...text.scopes import BindingKind
from ...text.syntax import called_on, field, same, text_of, without_parentheses


class MapLocation(Rule):
    """A map_location dictionary or function sends storages to a CUDA device.

    What it does: Offers a dictionary that maps the devices of files saved on a GPU, and those of files saved
    on an NPU, to the NPU. The keys describe what the file contains, so ``cuda:0`` remains one of them. It
    also reports that torch_npu handles files in the format from before torch 1.6 differently.

    Why it matters on the NPU: If both keys and values were renamed, no key would match a file that was saved
    on a GPU, and ``torch.load`` would not find the CUDA device named in it. For files in the old format,
    torch_npu ignores a dictionary or function and loads to the CPU, with a printed warning.

    Example: ``torch.load(f, map_location={'cuda:0': 'cuda:1'})``.

    Use instead: ``map_location='cpu'``, then ``model.to(device)``.
    """

    code = "NPU205"
    only_with = "torch"
    examples = (
        Example(
            "import torch\nw = torch.load(f, map_location={'cuda:0': 'cuda:1'})\n",
            "import torch\nimport torch_npu\n"
            "w = torch.load(f, map_location={'cuda:0': 'npu:1', 'npu:0': 'npu:1'})\n",
        ),
        Example(
            "import torch\nmap_location = {'cuda:%d' % 0: 'cuda:%d' % rank}\n"
            "w = torch.load(f, map_location=map_location)\n",
            "import torch\nimport torch_npu\n"
            "map_location = {'cuda:%d' % 0: 'npu:%d' % rank, 'npu:%d' % 0: 'npu:%d' % rank}\n"
            "w = torch.load(f, map_location=map_location)\n",
        ),
        Example(
            "import torch\nplace = 'cuda:%d' % rank\nw = torch.load(f, map_location={'cuda:0': place})\n"
            "place = 'cuda:0'\n",
            "import torch\nimport torch_npu\nplace = 'npu:%d' % rank\n"
            "w = torch.load(f, map_location={'cuda:0': place, 'npu:0': place})\nplace = 'npu:0'\n",
        ),
        Example(
            "import torch\nw = torch.load(f, {'cuda:1': 'cpu'})\n",
            unsafe="import torch\nimport torch_npu\nw = torch.load(f, {'cuda:1': 'cpu', 'npu:1': 'cpu'})\n",
        ),
        Example("import torch\nw = torch.load(f, map_location=lambda s, l: s.cuda(0))\n"),
        Example.unchanged("import torch\nw = torch.load(f, map_location=lambda s, l: s)\n"),
        Example.unchanged("import torch\nw = torch.load(f, map_location=lambda s, l: s.cpu())\n"),
        Example.unchanged(
            "import torch\nw = torch.load(f, map_location={'cuda:0': 'npu:0', 'npu:0': 'npu:0'})\n"
        ),
    )

    @on.string("cuda")
    def dictionary(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        verdict = device_flow(ctx).role_of(ref)
        if verdict.role is not Role.MAPPING or verdict.node is None:
            return
        edits = list(_edits(verdict.node, ctx))
        if not edits:
            return
        applicability = Applicability.SAFE if _maps_to_cuda(verdict.node, ctx) else Applicability.UNSAFE
        fix = self.fix(applicability, edits=edits, requires=ctx.names_the_npu)
        yield self.report(verdict.node, "dictionary", Severity.WARNING, fix=fix)

    @on.keyword("map_location", needs="lambda")
    def function(self, ref: KeywordRef, ctx: Context) -> Iterator[Finding]:
        value = without_parentheses(ref.value)
        body = field(value, "body") if value.type == "lambda" else None
        if body is None or body.type == "identifier" or ref.callee_name != "torch.load":
            return
        if "cpu" in text_of(body):
            return
        yield self.report(value, "function", Severity.INFORMATION)


def assigned_to(place: Node, ctx: Context) -> Iterator[Node]:
    """What is assigned to a variable that is given as the place."""
    if place.type == "identifier":
        for binding in ctx.source.names.bindings_in_scope(text_of(place), place)[: FORWARD_LIMITS.values]:
            if binding.kind is BindingKind.ASSIGNMENT and binding.value is not None:
                yield without_parentheses(binding.value)


def _edits(dictionary: Node, ctx: Context) -> Iterator[Edit]:
    """New values, and for each key that names a CUDA device one that names the NPU."""
    pairs = [item for item in dictionary.named_children if item.type == "pair"]
    keys = {text_of(key) for item in pairs if (key := field(item, "key")) is not None}
    for item in pairs:
        key, value = field(item, "key"), field(item, "value")
        if key is None or value is None or not is_device_text(template_of(_plain(key))):
            continue
        held = _held(value, ctx)
        renamed = text_of(value)
        if all(map(_names_cuda, held)):
            renamed = _renamed(renamed) if same(held[0], value) else renamed
            for string in chain.from_iterable(map(_strings, held)):
                yield from renamed_device(string)
        new_key = _renamed(text_of(key))
        if new_key not in keys:
            yield Edit(item.end_byte, item.end_byte, f", {new_key}: {renamed}")


def _held(value: Node, ctx: Context) -> list[Node]:
    """What a variable is given that is read here alone; else the value itself."""
    names = ctx.source.names
    assigned = list(assigned_to(value, ctx))
    bindings = names.bindings_in_scope(text_of(value), value) if assigned else ()
    if not assigned or len(assigned) != len(bindings):
        return [value]
    reads = (names.bindings_in_scope(text_of(value), item) for item in names.references(text_of(value)))
    return assigned if sum(bindings[0] in found for found in reads) == 1 else [value]


def _maps_to_cuda(dictionary: Node, ctx: Context) -> bool:
    """Whether every entry maps one CUDA device to another: all must become NPUs, whatever the file holds."""
    pairs = [item for item in dictionary.named_children if item.type == "pair"]
    return all(
        value is not None
        and all(map(_names_cuda, _held(value, ctx)))
        and key is not None
        and _names_cuda(key)
        for key, value in ((field(item, "key"), field(item, "value")) for item in pairs)
    )


def _renamed(text: str) -> str:
    return text.replace("cuda", "npu", 1)


def _names_cuda(value: Node) -> bool:
    return is_device_text(template_of(_plain(value)))


def _plain(expression: Node) -> Node:
    """The string of ``'cuda:%d' % i`` and ``'cuda:{}'.format(i)``."""
    node = without_parentheses(expression)
    if node.type == "binary_operator":
        return _plain(field(node, "left") or node)
    if node.type == "call":
        receiver = called_on(node)
        return receiver or node
    return node


def _strings(value: Node) -> Iterator[Node]:
    node = _plain(value)
    first = node.named_children[0] if node.type == "concatenated_string" else node
    if first.type == "string":
        yield first
