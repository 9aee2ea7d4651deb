"""Where the figures of a share are looked at, and what must become of each: a mean, a sum, or unknown."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ....limits.parents import parent_of
from ....text.syntax import (
    COMPREHENSION_TYPES,
    arguments_of,
    field,
    last_name,
    operator_of,
    text_of,
    without_parentheses,
)
from ...program import Place
from ..data.loops import is_loader
from ..data.roles import TrainingLoop
from ..job import Job
from ..places import below, head_of
from .sums import TAKEN, Kept, loop_targets, mean_members, taken_of

_MEANS = frozenset({"mean", "average", "fmean", "nanmean"})
_NAMES = ("identifier", "attribute", "subscript")
_NESTED = frozenset({"lambda", "function_definition", "class_definition"})


class Becomes(enum.Enum):
    """What makes the figure of a share one of all data."""

    MEAN = "mean"
    SUM = "sum"
    UNKNOWN = "unknown"


class Figure(NamedTuple):
    """An expression with a figure of a share in it, and what must become of that."""

    node: Node
    becomes: Becomes
    divided: Node | None = None
    """What is divided, where the sum over the processes belongs there."""
    is_of_batch: bool = False
    """Whether it is one batch's, as its loss is, and a figure only where it is shown."""


class Share:
    """A loop through a share of the data, what it keeps, and how to read figures of it."""

    def __init__(self, job: Job, loop: TrainingLoop, kept: dict[str, Kept], condition: str | None) -> None:
        self._job = job
        self.loop = loop
        self.kept = kept
        self.condition = condition
        """What holds when the data are shared; nothing where they always are, None where nobody can ask."""
        self._settled: set[str] = set()

    def passed_on(self, kept: dict[str, Kept]) -> Share:
        """The share as a caller knows it, by the caller's names."""
        return Share(self._job, self.loop, kept, "" if self.condition == "" else None)

    def asks(self, becomes: Becomes) -> bool:
        """Whether what becomes of a figure depends on who goes through the loop; a mean of equals is one."""
        return bool(self.condition) and (becomes is Becomes.SUM or not self.loop.trains)

    def without(self, names: set[str]) -> Share:
        """The share where some names stand for something else, and what holds nothing but those."""
        emptied: set[str] = set()
        for holder in (name for name, item in self.kept.items() if item is Kept.HOLDER):
            held = {name for name in self.kept if name.startswith(f"{holder}[")}
            emptied |= {holder} if held and held <= names else set()
        kept = {name: item for name, item in self.kept.items() if name not in names | emptied}
        found = Share(self._job, self.loop, kept, self.condition)
        found._settled = names
        return found

    def figures_in(self, place: Place, *, inside: bool) -> Iterator[Figure]:
        """The outermost figures of an expression; ``inside`` the loop they are of the rounds until then."""
        node = place.node
        if self._is(node, Kept.COUNT) or text_of(node) in self._settled:
            return
        found = self._figure(place, inside=inside)
        if found is not None:
            yield found
            return
        for child in _parts(node):
            yield from self.figures_in(Place(place.file, child), inside=inside)

    def _figure(self, place: Place, *, inside: bool) -> Figure | None:
        node = place.node
        if node.type == "binary_operator":
            return self._quotient(place, inside=inside)
        if node.type in _NAMES:
            return self._named(place)
        if node.type in COMPREHENSION_TYPES and self._is(node, Kept.LIST):
            return Figure(node, Becomes.UNKNOWN)
        if node.type == "call":
            function = field(node, "function")
            if self.kept.get(taken_of(node)) is Kept.BATCH:
                return Figure(node, Becomes.MEAN, is_of_batch=True)
            if self._is_mean_of_list(node):
                return Figure(node, Becomes.MEAN)
            if function is not None and function.type == "attribute":
                return self._of_meter(place, node, function)
        return None

    def _named(self, place: Place) -> Figure | None:
        node = place.node
        kept = self.kept.get(text_of(node))
        if kept is not None:
            becomes = Becomes.MEAN if kept is Kept.BATCH else Becomes.UNKNOWN
            return Figure(node, becomes, is_of_batch=kept in (Kept.BATCH, Kept.PART))
        if node.type == "attribute":
            return self._of_meter(place, node, node)
        if node.type == "subscript" and self._is(field(node, "value"), Kept.LIST):
            is_one = text_of(field(node, "subscript") or node).lstrip("-").isdigit()
            return Figure(node, Becomes.MEAN if is_one else Becomes.UNKNOWN)
        return None

    def _is(self, node: Node | None, kept: Kept) -> bool:
        return node is not None and self.kept.get(text_of(node)) is kept

    def _of_meter(self, place: Place, whole: Node, member: Node) -> Figure | None:
        """``losses.avg``, ``losses.mean()``; what else a meter has is a part of its share."""
        receiver, name = field(member, "object"), field(member, "attribute")
        if receiver is None or name is None or not self._is(receiver, Kept.METER):
            return None
        is_mean = text_of(name) in mean_members(self._job, Place(place.file, receiver))
        return Figure(whole, Becomes.MEAN if is_mean else Becomes.UNKNOWN)

    def _is_mean_of_list(self, call: Node) -> bool:
        """``np.mean(losses)``, ``statistics.mean(losses[-10:])``, ``torch.stack(losses).mean()``."""
        first = arguments_of(call).at(0)
        receiver = field(field(call, "function"), "object")
        if first is None and receiver is not None and last_name(receiver) in ("stack", "tensor", "array"):
            first = arguments_of(receiver).at(0)
        return first is not None and last_name(call) in _MEANS and self._is_list(first.value)

    def _is_list(self, given: Node) -> bool:
        """``losses``, ``losses[-10:]``, ``[out["loss"] for out in outs]``."""
        value = without_parentheses(given)
        held = field(value, "value") if value.type == "subscript" else value
        if held is not None and held.type in COMPREHENSION_TYPES and not self._is(held, Kept.LIST):
            iterable = field(head_of(held), "right")
            return iterable is not None and self._is_list(iterable) and _picks(held)
        return self._is(value, Kept.LIST) or self._is(held, Kept.LIST)

    def _quotient(self, place: Place, *, inside: bool) -> Figure | None:
        left, right = field(place.node, "left"), field(place.node, "right")
        if left is None or right is None or operator_of(place.node) != "/":
            return None
        inner = (left, *below(left))
        sums = [item for item in inner if self._is_added_up(item)]
        if not sums or any(map(self._divides, inner)):
            return None
        becomes = self.divided_by(Place(place.file, right), inside=inside)
        if becomes is Becomes.SUM and any(item.type == "call" for item in sums):
            # figures of batches, counted by hand: their latest, or all
            becomes = Becomes.MEAN if "slice" in {item.type for item in inner} else Becomes.UNKNOWN
        return Figure(place.node, becomes, left if becomes is Becomes.SUM else None)

    def _divides(self, node: Node) -> bool:
        """Whether a part of an expression is a quotient of sums by itself."""
        left = field(node, "left") if node.type == "binary_operator" and operator_of(node) == "/" else None
        return left is not None and any(self._is_added_up(item) for item in (left, *below(left)))

    def _is_added_up(self, node: Node) -> bool:
        if node.type == "call" and last_name(node) in ("sum", "fsum"):
            first = arguments_of(node).at(0)
            return first is not None and self._is_list(first.value)
        return node.type in _NAMES and self._is(node, Kept.SUM)

    def divided_by(self, divisor: Place, *, inside: bool) -> Becomes:
        """What a divisor makes of a sum: a mean of the share that was gone through, or a part of a whole."""
        for node in (divisor.node, self._bound(divisor)):
            if node is not None and self._counts_share(Place(divisor.file, node)):
                return Becomes.MEAN
        if not inside:
            return Becomes.SUM
        is_whole = last_name(divisor.node) == "len" if divisor.node.type == "call" else False
        return Becomes.SUM if is_whole else Becomes.MEAN

    def _bound(self, divisor: Place) -> Node | None:
        """What a divisor's name was given, once: ``num_batches = len(loader)``."""
        if divisor.node.type != "identifier":
            return None
        bindings = divisor.file.names.bindings_in_scope(text_of(divisor.node), divisor.node)
        return bindings[0].value if len(bindings) == 1 else None

    def _counts_share(self, divisor: Place) -> bool:
        """Whether a divisor counts what one process went through: batches, items, or its loop's rounds."""
        node = without_parentheses(divisor.node)
        loop = self.loop.loop.node
        names = {text_of(item) for item in (node, *below(node)) if item.type in _NAMES}
        if names & (loop_targets(loop) | self.kept.keys()) or text_of(node) in _bounds(loop):
            return True
        factors = node.named_children if node.type == "binary_operator" and "/" not in text_of(node) else []
        return any(self._is_length_of_share(Place(divisor.file, item)) for item in (node, *factors))

    def _is_length_of_share(self, place: Place) -> bool:
        """``len(loader)``, which is the number of batches that one process gets."""
        node = place.node
        if node.type != "call" or last_name(node) != "len":
            return False
        first = arguments_of(node).at(0)
        if first is None:
            return False
        given = text_of(first.value)
        if given == self.loop.batches.text:
            return True
        known = {loader.key for loader in self.loop.loaders}
        origins = self._job.origins.of(Place(place.file, first.value))
        if any(is_loader(item, self._job.program) for item in origins):
            return any(item.key in known for item in origins)
        return given.lower().endswith(("loader", "_dl", "iterator"))


def _picks(comprehension: Node) -> bool:
    """Whether a comprehension takes a number of each item, as it is."""
    body, clauses = field(comprehension, "body"), comprehension.named_children[1:]
    return (
        body is not None
        and len(clauses) == 1
        and all(
            one.type != "binary_operator" and (one.type != "call" or last_name(one) in TAKEN)
            for one in (body, *below(body))
        )
    )


def _bounds(loop: Node) -> set[str]:
    """What limits the rounds of a loop that counts: as many processes go through as many rounds each."""
    if loop.type == "while_statement":
        condition = field(loop, "condition")
        parts = condition.named_children if condition is not None else []
        return {text_of(part) for part in parts}
    iterable = field(loop, "right")
    while iterable is not None and iterable.type == "call":
        items = arguments_of(iterable).items
        if last_name(iterable) in ("range", "trange"):
            return {text_of(item.value) for item in items}
        iterable = items[0].value if items else None
    return set()


def _parts(node: Node) -> Iterator[Node]:
    """The parts of an expression that have values: no name of a keyword or an attribute, no length."""
    if node.type == "keyword_argument":
        value = field(node, "value")
        if value is not None:
            yield value
    elif node.type == "attribute":
        inner = field(node, "object")
        if inner is not None:
            yield inner
    elif node.type == "call" and last_name(node) in ("len", "isinstance", "type", "hasattr"):
        return
    elif node.type == "call":
        function, arguments = field(node, "function"), field(node, "arguments")
        if function is not None and function.type == "attribute":
            inner = field(function, "object")
            if inner is not None:
                yield inner
        if arguments is not None and arguments.type == "generator_expression":
            yield arguments
        elif arguments is not None:
            yield from arguments.named_children
    elif node.type not in _NESTED:
        yield from node.named_children


_SHOWN = frozenset(
    {"info", "debug", "warning", "log", "write", "set_postfix", "set_postfix_str", "set_description",
     "set_description_str", "add_scalar", "add_scalars", "log_metric", "log_metrics", "print", "save"}
)  # fmt: skip


def is_report(statement: Node) -> bool:
    """Whether a statement shows or keeps figures: it prints, logs, or saves them."""
    first = statement.named_children[0] if statement.named_children else None
    is_call = statement.type == "expression_statement" and first is not None and first.type == "call"
    return is_call and first is not None and last_name(first) in _SHOWN


def is_stored(node: Node) -> bool:
    """Whether a name is given a value rather than looked at."""
    parent = parent_of(node)
    while parent is not None and parent.type in ("pattern_list", "tuple_pattern"):
        node, parent = parent, parent_of(parent)
    return (
        parent is not None
        and parent.type in ("assignment", "augmented_assignment", "for_statement")
        and field(parent, "left") == node
    )
