"""Questions for the name of a class: ``name.find('Linear')`` never finds a layer that is called ``Dense``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from tree_sitter import Node

from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import ancestors, field, target_of, text_of

from ...correspondences.table import entries
from ..evidence import Evidence
from ..use import Reason, Use, changed, refused

_LAYERS, _CELLS = "torch.nn.", "nn."
_LINEAR, _DENSE = "Linear", "Dense"
_QUESTIONS = ("find", "startswith", "endswith", "count", "index")


@cache
def _renamed() -> Mapping[str, str]:
    """The classes of layers that have other names there."""
    found: dict[str, str] = {}
    for api, forms in entries().items():
        name = api.removeprefix(_LAYERS)
        for entry in forms:
            target = entry.target_text.partition("(")[0]
            if api.startswith(_LAYERS) and "." not in name and target.startswith(_CELLS):
                found[name] = target.removeprefix(_CELLS)
    return {old: new for old, new in found.items() if old != new and old[:1].isupper()}


def uses_of_class_names(evidence: Evidence) -> Iterator[Use]:
    """What becomes of texts that the name of a class is compared with."""
    if not evidence.imports:
        return
    for identifier in evidence.source.identifiers("__name__"):
        for place in _places(evidence, identifier):
            for string in _texts(place):
                use = _use(evidence, string)
                if use is not None:
                    yield use


def _places(evidence: Evidence, identifier: Node) -> Iterator[Node]:
    """The expressions that give the name of an object's class: as written, and the variable that has it."""
    attribute = parent_of(identifier)
    owner = field(attribute, "object")
    if attribute is None or owner is None or not text_of(owner).endswith(("__class__", ")")):
        return
    yield attribute
    target = target_of(attribute)
    if target is not None and target.type == "identifier":
        yield from evidence.source.identifiers(text_of(target))


def _texts(place: Node) -> Iterator[Node]:
    """The texts that a name is compared with, or that are looked for in it."""
    for one in ancestors(place):
        if one.type == "comparison_operator":
            yield from _strings(one)
            return
        if one.type == "call":
            function = field(one, "function")
            name = field(function, "attribute")
            if text_of(name) in _QUESTIONS:
                yield from _strings(one)
                return
        if one.type not in ("attribute", "argument_list", "call"):
            return


def _strings(node: Node) -> Iterator[Node]:
    return (one for one in nodes_in(node, "string") if one.type == "string")


def _use(evidence: Evidence, string: Node) -> Use | None:
    word = text_of(string).strip("\"'")
    if evidence.writes_mint and any(one.is_of_mint for one in evidence.entries.get(f"{_LAYERS}{word}", ())):
        return None
    if all((word in old) == (word in new) for old, new in _renamed().items()) and word not in _renamed():
        return None
    own = any(name in text_of(one) for one in _class_names(evidence) for name in (_LINEAR, _DENSE))
    if word != _LINEAR or own:
        return refused(f"{_LAYERS}{word}", string, Reason.CLASS)
    start = string.start_byte + text_of(string).index(_LINEAR)
    return changed(f"{_LAYERS}{word}", string, [Edit(start, start + len(_LINEAR), _DENSE)])


def _class_names(evidence: Evidence) -> Iterator[Node]:
    """The names of the classes that the file defines."""
    for node in nodes_in(evidence.source.root):
        name = field(node, "name") if node.type == "class_definition" else None
        if name is not None:
            yield name
