"""A sample as MindSpore's text: every API of torch in it replaced as the table says."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence

from tree_sitter import Node

from gpu2ascend_mindspore.correspondences.binding import Unbound, bind, is_literal_kind
from gpu2ascend_mindspore.correspondences.call_edits import edits_of
from gpu2ascend_mindspore.correspondences.entry import Entry
from gpu2ascend_mindspore.correspondences.rendering import render
from gpu2ascend_mindspore.correspondences.values import Refused
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import call_of, chain_of, text_of

from .samples import tensors

ROOTS = {"einops": "einops", "torch": "torch", "F": "torch.nn.functional", "nn": "torch.nn"}
METHOD = "torch.Tensor"
Table = Mapping[str, Sequence[Entry]]


class Use:
    """An API that an expression uses."""

    def __init__(self, api: str, place: Node, call: Node | None, receiver: Node | None) -> None:
        self.api, self.place, self.call, self.receiver = api, place, call, receiver


def uses(tree: Node) -> Iterator[Use]:
    """The APIs of an expression: dotted names from torch, and every attribute of anything else."""
    stack = [tree]
    while stack:
        node = stack.pop()
        stack += node.named_children
        if node.type != "attribute":
            continue
        chain = chain_of(node)
        parent = node.parent
        if chain is not None and text_of(chain.root) in ROOTS:
            if parent is None or parent.type != "attribute":
                api = ".".join((ROOTS[text_of(chain.root)], *chain.attributes))
                call = call_of(node)
                yield Use(api, call or node, call, None)
            continue
        name, receiver = node.child_by_field_name("attribute"), node.child_by_field_name("object")
        if name is not None and receiver is not None:
            call = call_of(node)
            yield Use(f"{METHOD}.{text_of(name)}", call or node, call, receiver)


def _is_of_kind(node: Node, kind: str) -> bool:
    if kind == "tensor":
        return text_of(node) in _TENSORS
    if kind == "dtype":
        return text_of(node).startswith("torch.")
    if kind == "device":
        return text_of(node) in ("'cpu'", "'cuda'")
    return is_literal_kind(node, kind)


_TENSORS = frozenset(tensors())


def edits_of_use(
    use: Use, entries: Sequence[Entry], is_of_kind: Callable[[Node, str], bool]
) -> tuple[list[Edit], Entry]:
    """The edits by the first entry whose signature fits, and the entry.
    Raises Refused: no entry fits, or the one that fits says no."""
    reason: object = "unknown"
    for entry in entries:
        if not entry.is_for(called=use.call is not None):
            continue
        if entry.signature is None:
            return _renamed(use, entry), entry
        if entry.is_of_helper and use.receiver is None and use.call is not None:
            assert isinstance(entry.target, ast.Call)
            return edits_of(use.call.children[0], [ast.unparse(entry.target.func)]), entry
        bound = bind(entry.signature, use.call, use.receiver, is_of_kind)
        if isinstance(bound, Unbound):
            reason = bound.value
            continue
        try:
            return edits_of(use.place, render(entry, bound)), entry
        except Refused as error:
            reason = error.args
    raise Refused(reason)


def _renamed(use: Use, entry: Entry) -> list[Edit]:
    name = use.place if use.call is None else use.call.children[0]
    if use.receiver is not None:
        attribute = name.child_by_field_name("attribute")
        assert attribute is not None
        name = attribute
    return edits_of(name, [entry.target_text])


def translate(expression: str, table: Table) -> tuple[str, list[Entry]]:
    """The text for MindSpore, and the entries that made it. Raises Refused: an API has no entry that fits."""
    root = SourceFile(expression, "sample.py").root
    edits: list[Edit] = []
    used: list[Entry] = []
    for use in uses(root):
        found, entry = edits_of_use(use, table.get(use.api, ()), _is_of_kind)
        edits += found
        used.append(entry)
    data = expression.encode()
    in_order = sorted(edits, key=lambda one: (one.start, one.end))
    for edit in in_order[::-1]:
        data = data[: edit.start] + edit.text.encode() + data[edit.end :]
    return data.decode(), used
