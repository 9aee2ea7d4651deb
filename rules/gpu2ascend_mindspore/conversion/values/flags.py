"""Whether anybody asks for gradients of tensors outside of modules; else ``requires_grad`` does nothing."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_type
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import arguments_of, field, last_name, parts_of, text_of

_ASK = ("grad", "register_hook", "retain_grad", "is_leaf", "requires_grad_", "jacobian", "hessian")
_FLAG = "requires_grad"
_GROUP = "add_param_group"
_GIVEN_BY_MODULES = frozenset({"parameters", "named_parameters"})
_PASS_ON = frozenset({"filter", "list", "tuple", "set", "chain", "from_iterable", "iter"})
_AS_A_WHOLE = frozenset({"list", "tuple", "list_splat", "parenthesized_expression", "binary_operator"})
_DRAWN = frozenset({"generator_expression", "list_comprehension"})
_NO_VALUES = frozenset({"lambda", "none"})
_PARAMS = frozenset({"'params'", '"params"'})


def asks_for_gradients(source: SourceFile) -> bool:
    """Whether a file reads gradients, has no optimizer, or one of more than the parameters of modules."""
    return source.once((asks_for_gradients,), lambda: _asks(source))


def _asks(source: SourceFile) -> bool:
    if any(source.identifiers(name) for name in _ASK):
        return True
    is_read = any(parent_type(one) == "attribute" for one in source.identifiers(_FLAG))
    given = list(_given_to_optimizers(source))
    return is_read or not given or not all(map(_is_of_modules, given))


def _given_to_optimizers(source: SourceFile) -> Iterator[Node]:
    for node in nodes_in(source.root):
        function = field(node, "function") if node.type == "call" else None
        if function is None:
            continue
        name = source.names.name_of(function)
        is_optimizer = name.startswith("torch.optim.") and "lr_scheduler" not in name
        if is_optimizer or last_name(node) == _GROUP:
            first = arguments_of(node).get("params" if is_optimizer else "param_group", 0)
            yield first.value if first is not None else node


def _is_of_modules(node: Node) -> bool:
    """Whether an expression certainly has the parameters of modules alone, all, some or in groups of them."""
    if node.type in _AS_A_WHOLE:
        return all(map(_is_of_modules, parts_of(node)))
    if node.type in _DRAWN:
        drawn = _drawn_from(node)
        return drawn is not None and _is_of_modules(drawn)
    if node.type == "dictionary":
        values = [field(pair, "value") for pair in parts_of(node) if text_of(field(pair, "key")) in _PARAMS]
        return len(values) == 1 and values[0] is not None and _is_of_modules(values[0])
    if node.type != "call":
        return False
    if last_name(node) in _GIVEN_BY_MODULES:
        return True
    arguments = arguments_of(node)
    passed = [one.value for one in arguments.items if one.value.type not in _NO_VALUES]
    return last_name(node) in _PASS_ON and bool(passed) and all(map(_is_of_modules, passed))


def _drawn_from(comprehension: Node) -> Node | None:
    """What the items are drawn from that a comprehension gives as they are."""
    item = text_of(field(comprehension, "body"))
    for clause in parts_of(comprehension):
        left = field(clause, "left") if clause.type == "for_in_clause" else None
        if left is not None and item in (text_of(one) for one in (left, *left.named_children)):
            return field(clause, "right")
    return None
