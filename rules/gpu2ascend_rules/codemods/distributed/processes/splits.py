"""NPU427 for splits of the data: without a seed, what one process trains on is held out by another."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ....limits.parents import parent_of
from ....model.finding import Severity
from ....text.scopes import scope_of
from ....text.syntax import arguments_of, enclosing, enclosing_statement, field, text_of
from ....text.uses import assignment_in
from ...change import Change, first_line, reported_only
from ...program import Place, callee_name
from ..job import Job

CODE = "NPU427"
_SEEDS_ALL = ("seed_everything", "set_seed", "fix_seed", "fix_random_seed", "manual_seed_all")
_SEEDED_BY = {
    "torch": ("torch.manual_seed", "torch.random.manual_seed"),
    "numpy": ("numpy.random.seed",),
    "random": ("random.seed",),
}
"""What sets the seed of each source of random numbers."""
_SPLITS = {
    "torch.utils.data.random_split": ("torch", "generator", 2),
    "torch.utils.data.dataset.random_split": ("torch", "generator", 2),
    "sklearn.model_selection.train_test_split": ("numpy", "random_state", None),
}
"""What splits data: its source of random numbers, and the argument that takes the place of it."""
_SHUFFLES = {"random.shuffle": "random", "numpy.random.shuffle": "numpy"}
_PERMUTATIONS = {"numpy.random.permutation": "numpy", "torch.randperm": "torch", "random.sample": "random"}
"""What puts into another order; that is a split where a slice is taken of it."""
_ONCE_FOR_EACH_ITEM = ("__getitem__", "__iter__", "__next__", "__call__", "forward", "collate_fn")


def say_unseeded_splits(job: Job) -> Iterator[Change]:
    """What is said of splits that each process makes in its own way."""
    for call in job.program.places("call"):
        source = _source_of_split(call)
        if source is not None and not _is_seeded(job, source):
            yield reported_only(CODE, "split", call, Severity.WARNING, text=first_line(call.text))


def _source_of_split(call: Place) -> str | None:
    """The source of random numbers that a call splits data by."""
    name = callee_name(call)
    if name in _SPLITS:
        source, keyword, position = _SPLITS[name]
        arguments = arguments_of(call.node)
        given = arguments.keyword(keyword) or (arguments.at(position) if position is not None else None)
        is_ordered = (shuffle := arguments.keyword("shuffle")) and text_of(shuffle.value) == "False"
        is_open = given is None or text_of(given.value) == "None"
        return source if is_open and not is_ordered and not arguments.unpacked else None
    source_of_order = _SHUFFLES.get(name) or _PERMUTATIONS.get(name)
    return source_of_order if source_of_order is not None and _is_sliced_later(call) else None


def _is_sliced_later(call: Place) -> bool:
    """Whether a part is taken of what a call orders: ``files[:80]``, behind ``random.shuffle(files)``."""
    function = enclosing(call.node, "function_definition")
    name = field(function, "name")
    is_repeated = enclosing(call.node, "for_statement", "while_statement") is not None
    if is_repeated or (text_of(name) in _ONCE_FOR_EACH_ITEM):
        return False
    ordered = _ordered(call)
    if ordered is None:
        return False
    return any(
        _is_slice_of(use)
        for use in call.file.identifiers(text_of(ordered))
        if use.start_byte > call.node.start_byte and scope_of(use) == scope_of(ordered)
    )


def _ordered(call: Place) -> Node | None:
    """The variable that is put into another order, or that is given one."""
    if callee_name(call) in _SHUFFLES:
        first = arguments_of(call.node).at(0)
        return first.value if first is not None and first.value.type == "identifier" else None
    left = field(assignment_in(enclosing_statement(call.node)), "left")
    return left if left is not None and left.type == "identifier" else None


def _is_slice_of(use: Node) -> bool:
    item = parent_of(use)
    if item is None or item.type != "subscript" or field(item, "value") != use:
        return False
    return any(child.type == "slice" for child in item.named_children)


def _is_seeded(job: Job, source: str) -> bool:
    """Whether the program sets a seed anywhere; where it does so is its own affair."""
    names = (callee_name(call) for call in job.program.places("call"))
    return any(name in _SEEDED_BY[source] or name.endswith(_SEEDS_ALL) for name in names)
