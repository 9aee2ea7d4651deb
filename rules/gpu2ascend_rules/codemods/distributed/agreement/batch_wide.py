"""What an expression has to do with a whole batch: pairs of its items, numbers of its items, their spread."""

from __future__ import annotations

import re

from tree_sitter import Node

from ....limits.below import nodes_in
from ....limits.parents import parent_of
from ....limits.walks import PROGRAM_WALK_LIMITS
from ....text.syntax import (
    Argument,
    arguments_of,
    called_on,
    field,
    last_name,
    operator_of,
    text_of,
    without_parentheses,
)
from ...program import Place, callee_name
from ..job import Job

PAIRS, COUNTED, TOGETHER, KEPT = "pairs", "counted", "together", "kept"

_PRODUCTS = frozenset({"mm", "matmul"})
_ALL_PAIRS = frozenset({"cdist", "pdist"})
_PAIRED_AXES = re.compile(r"""['"](\w)(\w),\s*(\w)\2\s*->\s*\1\3['"]""")
_LIBRARIES = ("pytorch_metric_learning.losses.", "pytorch_metric_learning.miners.", "info_nce.")
_TURNED = re.compile(r"\.(?:t\(\)|T|transpose\(0, ?1\)|transpose\(1, ?0\)|permute\(1, ?0\))$")
_KEPT = re.compile(r"^self\.|weight|center|centroid|proto|codebook|parameters")
"""What a model keeps, which is no part of a batch."""
_NORMALIZED = frozenset({"CrossEntropyLoss", "NLLLoss", "cross_entropy", "nll_loss"})
_COUNTS = frozenset({"sum", "count_nonzero", "nonzero", "norm"})
_SPREAD = frozenset({"std", "var", "cov", "corrcoef", "median"})
_CHOSEN = frozenset({"topk", "kthvalue", "quantile", "masked_select"})
_OVER_AXIS = frozenset({"mean", "sum", "max", "min", "softmax", "log_softmax"})
_BENT = frozenset({"sqrt", "log", "exp"})
_POSITION_OF_AXIS = {"topk": 1, "kthvalue": 1, "quantile": 1}
_SHUFFLES = frozenset({"permutation", "randperm"})
_TESTS = frozenset({"comparison_operator", "not_operator"})


def kind_of(job: Job, place: Place) -> str | None:
    """In which way an expression mixes the items of a batch, if it does."""
    node = place.node
    left, right = field(node, "left"), field(node, "right")
    if node.type == "binary_operator" and left is not None and right is not None:
        if operator_of(node) == "@":
            return PAIRS if _is_turned(left) or _is_turned(right) else None
        return COUNTED if operator_of(node) == "/" and is_count(Place(place.file, right)) else None
    if node.type == "assignment":
        return KEPT if left is not None and _is_store(left) else None
    if node.type == "subscript":
        return _kind_of_items(place)
    return _kind_of_call(job, place) if node.type == "call" else None


def _kind_of_items(place: Place) -> str | None:
    """In which way a selection of items mixes them."""
    return PAIRS if _is_shuffled(place) else TOGETHER if _is_selection(place) else None


def _kind_of_call(job: Job, call: Place) -> str | None:
    name, values = last_name(call.node), [item.value for item in arguments_of(call.node).items]
    makers = with_makers(job, call)
    if _is_of_pairs(call, name, values) or any(callee_name(item).startswith(_LIBRARIES) for item in makers):
        return PAIRS
    is_divided = name == "div" and bool(values) and is_count(Place(call.file, values[-1]))
    if is_divided or any(_is_normalized(job, item) for item in makers):
        return COUNTED
    return TOGETHER if name in _SPREAD | _CHOSEN | _OVER_AXIS | _BENT and _is_together(call, name) else None


def with_makers(job: Job, call: Place) -> list[Place]:
    """A call, and the calls that make the object that it calls: ``criterion = CrossEntropyLoss()``."""
    function = field(call.node, "function")
    is_object = function is not None and not callee_name(call).startswith("torch.")
    made = job.origins.of(Place(call.file, function)) if is_object and function is not None else []
    return [call, *(item for item in made if item.node.type == "call")]


def _is_of_pairs(call: Place, name: str, values: list[Node]) -> bool:
    is_product = name in _PRODUCTS and any(map(_is_turned, values))
    is_distance = name in _ALL_PAIRS and not any(map(_is_kept, values))
    return is_product or is_distance or _PAIRED_AXES.search(call.text) is not None


def _is_together(call: Place, name: str) -> bool:
    """Whether a function of torch goes over the items, in another way than for a mean or a sum of them."""
    if _is_kept(call.node):
        return False
    if name in _BENT:
        inner = (called_on(call.node), *(item.value for item in arguments_of(call.node).items))
        return any(_is_mean(item) for item in inner if item is not None)
    over = _axis(call)
    if name == "topk" and over is None and _finds_best(call.node):
        return False
    if name in _OVER_AXIS:
        outer = parent_of(call.node)
        is_linear = outer is not None and text_of(outer).endswith((".sum", ".mean"))
        return over is not None and _is_first(over) and not is_linear
    return over is None or _is_first(over)


def _finds_best(call: Node) -> bool:
    """``_, token = out.topk(1)``: where the best of each item is, and no value."""
    count, statement = arguments_of(call).get("k", 0), parent_of(call)
    target = field(statement, "left")
    first = target.named_children[0] if target is not None and target.type == "pattern_list" else None
    return count is not None and text_of(count.value) == "1" and text_of(first) == "_"


def _axis(call: Place) -> Argument | None:
    """The axis that a reduction is given, by name or by position."""
    position = _POSITION_OF_AXIS.get(last_name(call.node), 0) + callee_name(call).startswith("torch.")
    arguments = arguments_of(call.node)
    return arguments.get("dim", position) or arguments.keyword("axis")


def _is_first(axis: Argument) -> bool:
    return text_of(axis.value).strip("()[] ").partition(",")[0] == "0"


def _is_mean(node: Node) -> bool:
    """``F.mse_loss(…)``, ``criterion(…)``, ``(…).mean()``, also within a sum."""
    inner = without_parentheses(node)
    if inner.type == "binary_operator":
        return any(map(_is_mean, inner.named_children))
    name = last_name(inner) if inner.type == "call" else ""
    is_mean = name == "mean" and not arguments_of(inner).items
    return is_mean or name.endswith("_loss") or "criterion" in name or name in ("mse", "loss_fn")


def _is_turned(node: Node) -> bool:
    return _TURNED.search(text_of(without_parentheses(node))) is not None and not _is_kept(node)


def _is_kept(node: Node) -> bool:
    return _KEPT.search(text_of(node)) is not None


def _is_normalized(job: Job, call: Place) -> bool:
    """``CrossEntropyLoss(weight=…)``: a mean over the weights of the items of a batch, or without some.

    Labels of -100 are left out unless others are named.
    """
    arguments = arguments_of(call.node)
    reduction = arguments.keyword("reduction")
    is_mean = reduction is None or "mean" in text_of(reduction.value)
    if not is_mean or last_name(call.node) not in _NORMALIZED:
        return False
    given = [item for name in ("weight", "ignore_index") if (item := arguments.keyword(name)) is not None]
    is_given = any(text_of(item.value) not in ("None", "-100") for item in given)
    return is_given or any(b"-100" in file.data for file in job.program.files)


def _is_store(left: Node) -> bool:
    """``queue[:, start:end] = keys``: a tensor that keeps what a batch gives."""
    keys = left.named_children[1:] if left.type == "subscript" else []
    is_own = text_of(left).startswith("self.")
    return any(key.type == "slice" and len(key.named_children) > 0 for key in keys) or (
        is_own and any(key.type == "identifier" for key in keys)
    )


def _is_shuffled(place: Place) -> bool:
    """``x[torch.randperm(len(x))]``, also by a variable: each item meets another one of the batch."""
    found = [*place.node.named_children[1:]]
    for key in list(found):
        bindings = place.file.names.bindings_in_scope(text_of(key), key) if key.type == "identifier" else ()
        found += [item.value for item in bindings if item.value is not None]
    calls = (node for one in found for node in nodes_in(one) if node.type == "call")
    return any(last_name(call) in _SHUFFLES for call in calls)


def _is_selection(place: Place) -> bool:
    """``out[labels != 0]``, also by a variable that is given such a test; not where it is given a value."""
    if field(parent_of(place.node), "left") == place.node:
        return False
    for key in place.node.named_children[1:]:
        found = [key]
        if key.type == "identifier":
            bindings = place.file.names.bindings_in_scope(text_of(key), key)
            found += [item.value for item in bindings if item.value is not None]
        if any(without_parentheses(item).type in _TESTS for item in found):
            return True
    return False


def is_count(divisor: Place, depth: int = 0) -> bool:
    """Whether a divisor is added up from the data: ``mask.sum().clamp(min=1)``, or a variable with that."""
    for node in nodes_in(divisor.node):
        if node.type == "call" and last_name(node) in _COUNTS:
            over = _axis(Place(divisor.file, node))
            if over is None or _is_first(over):
                return True
        if node.type == "identifier" and depth < PROGRAM_WALK_LIMITS.callers:
            bindings = divisor.file.names.bindings_in_scope(text_of(node), node)
            values = [item.value for item in bindings if item.value is not None]
            if any(is_count(Place(divisor.file, value), depth + 1) for value in values):
                return True
    return False
