"""The part of the data that each process has: ``DistributedSampler`` by MindSpore's own."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ....engine.scan import scan_names
from ....facts.releases.canonical import public_name
from ....model.finding import Edit
from ....text.syntax import Arguments, arguments_of, call_of, field, text_of
from ..evidence import ROOTS, Evidence
from ..use import Reason, Use, changed, refused

SAMPLER = "torch.utils.data.distributed.DistributedSampler"
_NAMES = frozenset({SAMPLER, "torch.utils.data.DistributedSampler"})
_SHARDS, _SHARD = "mint.distributed.get_world_size()", "mint.distributed.get_rank()"


def uses_of_samplers(evidence: Evidence) -> Iterator[Use]:
    """What becomes of samplers that divide the data between processes."""
    samplers: set[str] = set()
    for ref in scan_names(evidence.source, ROOTS):
        name = public_name(ref.name)
        if (name not in _NAMES and ref.name not in _NAMES) or ref.call is None:
            continue
        evidence.take_care_of(ref.node)
        if not evidence.context.options.distributed:
            yield refused(SAMPLER, ref.call, Reason.PROCESSES)
            continue
        yield _sampler(ref.call)
        assignment: Node | None = ref.call.parent
        while assignment is not None and assignment.type == "conditional_expression":
            assignment = assignment.parent
        target = field(assignment, "left") if assignment is not None else None
        if target is not None:
            samplers.add(text_of(target))
    for method in evidence.source.identifiers("set_epoch") if samplers else ():
        attribute = method.parent
        call = call_of(attribute) if attribute is not None and attribute.type == "attribute" else None
        owner = field(attribute, "object") if attribute is not None else None
        if call is not None and owner is not None and text_of(owner) in samplers:
            yield _epoch_set(call, owner)


def _sampler(call: Node) -> Use:
    arguments = arguments_of(call)
    if arguments.unpacked or arguments.get("dataset", 0) is None:
        return refused(SAMPLER, call, Reason.ARGUMENTS)
    dropped = arguments.get("drop_last", 5)
    if dropped is not None and text_of(dropped.value) != "False":
        return refused(SAMPLER, call, Reason.ARGUMENT, "drop_last")
    shuffle = arguments.get("shuffle", 3)
    shards = _number(arguments, "num_replicas", 1, _SHARDS)
    shard = _number(arguments, "rank", 2, _SHARD)
    shown = text_of(shuffle.value) if shuffle is not None else "True"
    text = f"ds.DistributedSampler({shards}, {shard}, shuffle={shown})"
    needs = {"ds"} | ({"mint"} if "mint." in text else set())
    return changed(SAMPLER, call, [Edit(call.start_byte, call.end_byte, text)], needs)


def _number(arguments: Arguments, name: str, position: int, usual: str) -> str:
    """A number that a call gives as such; else that of the processes that there are."""
    given = arguments.get(name, position)
    return text_of(given.value) if given is not None and given.value.type == "integer" else usual


def _epoch_set(call: Node, owner: Node) -> Use:
    """``sampler.set_epoch(epoch)`` as ``sampler.seed = epoch``: what the order of a pass is made of."""
    first = arguments_of(call).at(0)
    if first is None or call.parent is None or call.parent.type != "expression_statement":
        return refused(f"{SAMPLER}.set_epoch", call, Reason.ARGUMENTS)
    before = Edit(owner.end_byte, first.value.start_byte, ".seed = ")
    behind = Edit(first.value.end_byte, call.end_byte, "")
    return changed(f"{SAMPLER}.set_epoch", call, [before, behind])
