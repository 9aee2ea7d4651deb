"""Whether anybody asks for gradients of tensors outside of modules; else ``requires_grad`` does nothing."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_type
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import arguments_of, field, text_of

_ASK = ("grad", "register_hook", "retain_grad", "is_leaf", "requires_grad_", "jacobian", "hessian")
_FLAG = "requires_grad"


def asks_for_gradients(source: SourceFile) -> bool:
    """Whether a file reads gradients, has no optimizer, or one of more than the parameters of modules."""
    return source.once((asks_for_gradients,), lambda: _asks(source))


def _asks(source: SourceFile) -> bool:
    if any(source.identifiers(name) for name in _ASK):
        return True
    is_read = any(parent_type(one) == "attribute" for one in source.identifiers(_FLAG))
    given = [text_of(one) for one in _given_to_optimizers(source)]
    return is_read or not given or any("parameters(" not in one for one in given)


def _given_to_optimizers(source: SourceFile) -> Iterator[Node]:
    for node in nodes_in(source.root):
        function = field(node, "function") if node.type == "call" else None
        name = source.names.name_of(function) if function is not None else ""
        first = arguments_of(node).get("params", 0) if name.startswith("torch.optim.") else None
        if first is not None and "lr_scheduler" not in name:
            yield first.value
