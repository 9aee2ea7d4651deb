"""Where gradients may be taken: in steps, in modules, and in what they call."""

from __future__ import annotations

from functools import partial

from tree_sitter import Node

from gpu2ascend_rules.inference.classes.torch_classes import is_module
from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.text.syntax import ancestors, enclosing, field, last_name, text_of

from .evidence import Evidence


def is_differentiated(evidence: Evidence, place: Node) -> bool:
    """Whether a gradient may be taken of code: that of a step or of a module, and of what they call."""
    if any(start <= place.start_byte < end for start, end in evidence.moved):
        return True
    for one in ancestors(place):
        if one.type == "class_definition" and field(one, "superclasses") is not None:
            base = evidence.context.instances.classes.torch_base(one)
            if base is None or is_module(base):
                return True
    function = enclosing(place, "function_definition")
    name = field(function, "name")
    called = evidence.source.once(_called_in_steps, partial(_called_in_steps, evidence))
    return name is not None and text_of(name) in called


def _called_in_steps(evidence: Evidence) -> frozenset[str]:
    """The last names of all that is called in steps, and in the functions of such names."""
    root = evidence.source.root
    found: set[str] = set()
    open_spans = [*evidence.moved, *evidence.called]
    definitions = {
        text_of(name): one
        for one in nodes_in(root)
        if one.type == "function_definition" and (name := field(one, "name")) is not None
    }
    calls = [one for one in nodes_in(root) if one.type == "call"]
    while open_spans:
        start, end = open_spans.pop()
        for call in calls:
            called = last_name(call)
            if start <= call.start_byte < end and called not in found:
                found.add(called)
                if called in definitions:
                    function = definitions[called]
                    open_spans.append((function.start_byte, function.end_byte))
    return frozenset(found)
