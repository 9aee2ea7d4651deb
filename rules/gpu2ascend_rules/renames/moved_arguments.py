"""Arguments whose meaning changes with the callee, so that they are named before the callee moves.

``torch_npu.npu.amp.GradScaler`` has ``dynamic`` where ``torch.cuda.amp.GradScaler`` has ``enabled``. The rule
on the call, the rule on the name and the rule on its import all make the same edit, so that none of their
fixes alone leaves a call that means something else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tree_sitter import Node

from ..data import load_json
from ..model.finding import Edit
from ..text.syntax import arguments_of, call_of, chain_from_root


def canonical_name(api: str) -> str:
    """The name under which the tables have an API that is reachable by several."""
    canonical: dict[str, str] = load_json("cuda_names")["canonical"]
    return canonical.get(api, api)


def naming_edits(api: str, call: Node | None) -> list[Edit]:
    """The edits that name what a call of ``api`` gives by a position that means something else later."""
    changed = load_json("moved_arguments").get(canonical_name(api))
    if changed is None or call is None:
        return []
    arguments = arguments_of(call)
    value = arguments.at(changed["position"])
    if value is None or len(arguments.positional) != changed["count"]:
        return []
    return [Edit(value.node.start_byte, value.node.start_byte, f"{changed['name']}=")]


def has_unknown_positions(api: str, call: Node | None) -> bool:
    """Whether a call of ``api`` unpacks positional arguments, so that nobody knows which they are."""
    if call is None or canonical_name(api) not in load_json("moved_arguments"):
        return False
    holder = call.child_by_field_name("arguments")
    return holder is not None and any(child.type == "list_splat" for child in holder.named_children)


def naming_edits_of_uses(target: str, roots: Iterable[Node]) -> Iterator[Edit]:
    """The naming edits of every call that the uses of an imported name make.

    ``target`` is what the name means, ``roots`` are the identifiers that read it.
    """
    for root in roots:
        chain = chain_from_root(root)
        api = ".".join((target, *chain.attributes))
        yield from naming_edits(api, call_of(chain.node))
