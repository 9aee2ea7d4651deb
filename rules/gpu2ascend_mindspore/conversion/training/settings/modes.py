"""Whether the models of a step are in training: one of torch trains by default."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection
from typing import NamedTuple

from tree_sitter import Node

from gpu2ascend_rules.inference.classes.torch_classes import MODULE, is_module
from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_of, parent_type
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import call_of, enclosing, field, text_of

from ...evidence import Evidence
from ..graphs import models_in
from ..identities import identity
from ..parts.step import Step
from ..scaling import outermost_loop
from ..trained import all_trained_by, owners_trained_by, trained_by
from .beginning import begins_in_training, has_mode


def switch_of(evidence: Evidence, step: Step) -> list[Edit] | None:
    """The edits that have the models of a step train; None where it is not certain that they are to.

    A model of torch trains by default, one of MindSpore does not.
    """
    own = [] if _is_switched(evidence, step) else _to_switch(evidence, step)
    if own is None:
        return None
    first = (step.forward or step.backward)[0]
    place = outermost_loop(first)
    if _begins(evidence, step):
        own = [name for name in own if is_set_before(evidence, name, place)]
    names = list(dict.fromkeys([*own, *_never_switched(evidence, step)]))
    if place.id != first.id and not all(is_set_before(evidence, name, place) for name in names):
        return None
    indent = " " * place.start_point[1]
    text = "".join(f"{name}.set_train()\n{indent}" for name in names)
    return [Edit(place.start_byte, place.start_byte, text)] if text else []


def _to_switch(evidence: Evidence, step: Step) -> list[str] | None:
    """Which of the modules that a step trains are to be switched; None where that is not certain."""
    data, nodes = evidence.source.data, _modules_trained(evidence, step)
    sets_mode = b".eval(" in data or b".train(" in data
    if not nodes and not sets_mode and _are_all_begun(evidence, step):
        return []
    if _begins(evidence, step) and (sets_mode or all(has_mode(evidence, one) for one in nodes)):
        return []
    return None if sets_mode else _trained(evidence, step) or None


def _are_all_begun(evidence: Evidence, step: Step) -> bool:
    """Whether the file makes all modules that a step calls, and has them in training from there."""
    called = [one for statement in step.forward or step.backward for one in nodes_in(statement)]
    functions = [one for call in called if (one := field(call, "function")) is not None]
    named = [*functions, *(one for each in functions if (one := field(each, "object")) is not None)]
    models = [one for one in named if evidence.is_module(one)]
    return bool(models) and all(begins_in_training(evidence, one) for one in models)


def _begins(evidence: Evidence, step: Step) -> bool:
    """Whether the file makes all modules that a step trains, and has them in training from there."""
    nodes = _modules_trained(evidence, step)
    return bool(nodes) and all(begins_in_training(evidence, one) for one in nodes)


def _trained(evidence: Evidence, step: Step) -> list[str]:
    """The modules that a step trains."""
    if step.model is not None:
        return [text_of(step.model)]
    trained = trained_by(evidence, step.optimizer, step.forward or step.backward)
    return [trained] if trained is not None else all_trained_by(evidence, step.optimizer)


def is_set_before(evidence: Evidence, name: str, place: Node) -> bool:
    """Whether a variable gets no value in a loop, so that it has one before it; attributes have."""
    bindings = evidence.source.names.bindings_in_scope(name, place) if "." not in name else ()
    return not any(place.start_byte <= one.node.start_byte < place.end_byte for one in bindings)


def _modules_trained(evidence: Evidence, step: Step) -> list[Node]:
    """The places in a step, or where its optimizer is made, that name the modules it trains."""
    return [step.model] if step.model is not None else owners_trained_by(evidence, step.optimizer)


def _never_switched(evidence: Evidence, step: Step) -> list[str]:
    """The other modules that a step calls, that the file neither makes nor switches.

    A part of a module is switched with it, and one that the file makes begins in training.
    """
    statements = step.forward or step.backward
    switched = _switched_anywhere(evidence)
    functions = {
        text_of(function): function
        for statement in statements
        for call in nodes_in(statement)
        if call.type == "call" and (function := field(call, "function")) is not None
    }
    called = (name for name in models_in(evidence, statements) if re.fullmatch(r"(?:self\.)?\w+", name))
    return [name for name in called if _starts_in_training(evidence, functions[name], switched)]


def _switched_anywhere(evidence: Evidence) -> set[str]:
    """What the file switches to training or evaluation."""
    attributes = (
        parent_of(identifier)
        for name in ("train", "eval")
        for identifier in evidence.source.identifiers(name)
        if parent_type(identifier) == "attribute"
    )
    return {text_of(owner) for attribute in attributes if (owner := field(attribute, "object")) is not None}


def _starts_in_training(evidence: Evidence, function: Node, switched: Collection[str]) -> bool:
    """Whether a module of torch's that is called is in training, because nothing switches it.

    A loss has no mode. One of the project's may have been switched by whoever made it.
    """
    name = text_of(function)
    is_part = name.startswith("self.") and ("self" in switched or _is_of_module(evidence, function))
    if name in switched or is_part or begins_in_training(evidence, function):
        return False
    found = evidence.instance(function)
    if found is None or not is_module(found.class_name) or found.class_name.endswith("Loss"):
        return False
    return found.class_name != MODULE


def _is_of_module(evidence: Evidence, function: Node) -> bool:
    owner = enclosing(function, "class_definition")
    return owner is not None and evidence.context.instances.classes.torch_base(owner) is not None


def _is_one_of(evidence: Evidence, step: Step, switched: Collection[Node]) -> bool:
    """Whether a class switches the modules that a step trains by other names, as a method may call them."""
    modules = {identity(evidence, one) for one in _modules_trained(evidence, step)}
    own = {identity(evidence, one) for one in switched if text_of(one).startswith("self.")}
    return bool(modules) and modules <= own


class _Switched(NamedTuple):
    """What the calls of ``train`` in a file are called of."""

    by_scope: dict[int, dict[str, int]]
    """By the function or module around them: where each is switched first."""
    by_class: dict[int, dict[str, Node]]
    """By the class around them: one place of each."""


def _switched_in(evidence: Evidence) -> _Switched:
    found = _Switched(defaultdict(dict), defaultdict(dict))
    for name in evidence.source.identifiers("train"):
        attribute = parent_of(name)
        call = call_of(attribute) if attribute is not None and attribute.type == "attribute" else None
        model = field(attribute, "object") if attribute is not None and call is not None else None
        if call is None or model is None:
            continue
        scope = enclosing(call, "function_definition", "module")
        owner = enclosing(call, "class_definition")
        if scope is not None:
            found.by_scope[scope.id].setdefault(text_of(model), call.start_byte)
        if owner is not None:
            found.by_class[owner.id].setdefault(text_of(model), model)
    return found


def _is_switched(evidence: Evidence, step: Step) -> bool:
    """Whether a model is switched to training before the step: in its function, its class or the module."""
    backward = step.backward[-1]
    scope = enclosing(backward, "function_definition", "module")
    owner = enclosing(backward, "class_definition")
    models = models_in(evidence, step.forward or step.backward)
    calls = evidence.source.once((_switched_in,), lambda: _switched_in(evidence))
    in_scope = calls.by_scope.get(scope.id, {}) if scope is not None else {}
    switched = {model for model, place in in_scope.items() if place < backward.start_byte}
    in_class = calls.by_class.get(owner.id, {}) if owner is not None else {}
    switched |= {model for model in in_class.keys() & set(models) if model.startswith("self.")}
    trained = {*_trained(evidence, step)}
    if (trained and trained <= switched) or _is_one_of(evidence, step, in_class.values()):
        return True
    return bool(switched & set(models)) and (len(trained) > 1 or not trained & set(models))
