"""Datasets, samplers and loaders: what has the same arguments in the helper file of the project.

A ``GeneratorDataset`` of MindSpore gives neither the samples nor the attributes that programs ask a loader of
torch for, and cannot hold a batch of any form. So a class of the same name loads the batches.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.engine.events import NameRef
from gpu2ascend_rules.engine.scan import scan_names
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.similar.assemble import stand_ins
from gpu2ascend_rules.text.names import Certainty
from gpu2ascend_rules.text.scopes import BindingKind
from gpu2ascend_rules.text.syntax import arguments_of, field, last_name, text_of

from ...helpers import MINDSPORE
from ..evidence import ROOTS, Evidence
from ..use import Reason, Use, changed, helped, refused

_DATA = "torch.utils.data."
_INNER = re.compile(r"torch\.utils\.data\.(?:dataset|dataloader|sampler|distributed|_utils\.collate)\.(?=\w)")
LOADER, SPLIT, SAMPLER = f"{_DATA}DataLoader", f"{_DATA}random_split", f"{_DATA}DistributedSampler"
_OF_LOADER = ("generator", "worker_init_fn", "multiprocessing_context", "in_order")
"""Arguments of a loader that say how random numbers are made, or how workers start."""


def uses_of_loading(evidence: Evidence) -> Iterator[Use]:
    """What becomes of every name below ``torch.utils.data``."""
    for ref in scan_names(evidence.source, ROOTS):
        name = _INNER.sub(_DATA, ref.name)
        if not name.startswith(_DATA) or evidence.is_taken_care_of(ref.node):
            continue
        if name not in stand_ins(MINDSPORE):
            continue
        evidence.take_care_of(ref.node)
        yield _use(evidence, ref, name)


def _use(evidence: Evidence, ref: NameRef, name: str) -> Use:
    if ref.certainty is Certainty.AMBIGUOUS:
        return refused(name, ref.node, Reason.AMBIGUOUS)
    if ref.binding is not None and ref.binding.kind is BindingKind.ASSIGNMENT:
        return refused(name, ref.node, Reason.CLASS)
    if name == SAMPLER and not evidence.context.options.distributed:
        return refused(name, ref.call or ref.node, Reason.PROCESSES)
    written = f"{MINDSPORE.module}.{name.rpartition('.')[2]}"
    edits = [Edit(ref.node.start_byte, ref.node.end_byte, written)]
    call = ref.call
    if call is not None and name == LOADER:
        wrong = _without_counterpart(evidence, call)
        if wrong is not None:
            return refused(name, call, Reason.ARGUMENT, wrong)
    if call is not None and name == SPLIT:
        more = _seeded(evidence, call)
        if more is None:
            return refused(name, call, Reason.ARGUMENT, "generator")
        edits += more
    return helped(name, changed(name, call if call is not None else ref.node, edits))


def _without_counterpart(evidence: Evidence, call: Node) -> str | None:
    """The argument of a loader that nothing stands for, also where a dictionary of the file names it."""
    arguments = arguments_of(call)
    for name in _OF_LOADER:
        if arguments.get(name, 99) is not None:
            return name
        if arguments.unpacked and re.search(
            rb"['\"]%s['\"]|\b%s=" % ((name.encode(),) * 2), evidence.source.data
        ):
            return name
    if len(arguments.positional) > _BY_POSITION:
        return "pin_memory"
    size = arguments.get("batch_size", 1)
    return "batch_size" if size is not None and text_of(size.value) == "None" else None


_BY_POSITION = 7


def _seeded(evidence: Evidence, call: Node) -> list[Edit] | None:
    """``generator=torch.Generator().manual_seed(3)`` as ``seed=3``; nothing for what is not that."""
    generator = arguments_of(call).get("generator", 2)
    if generator is None:
        return []
    value = generator.value
    function = (
        field(value, "function") if value.type == "call" and last_name(value) == "manual_seed" else None
    )
    made = field(function, "object")
    maker = field(made, "function") if made is not None and made.type == "call" else None
    named = evidence.source.names.qualified_name(maker) if maker is not None else None
    seed = arguments_of(value).at(0) if value.type == "call" else None
    if named is None or maker is None or seed is None or named.qualified_name != "torch.Generator":
        return None
    evidence.take_care_of(maker)
    start = generator.node.start_byte
    behind = [Edit(seed.value.end_byte, value.end_byte, "")] if seed.value.end_byte < value.end_byte else []
    return [Edit(start, seed.value.start_byte, "seed="), *behind]
