"""Modules in training from where they are made, as in torch; a cell is made in evaluation mode."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from gpu2ascend_rules.inference.classes.torch_classes import is_class, is_module
from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.scopes import BindingKind
from gpu2ascend_rules.text.syntax import (
    OWN_SCOPES,
    ancestors,
    arguments_of,
    call_of,
    enclosing,
    enclosing_statement,
    field,
    is_assigned,
    last_name,
    text_of,
    value_given,
)

from ...bases import BasesElsewhere
from ...evidence import CONVERTED, Evidence
from ...use import Reason, Use, changed, refused
from .making import SWITCHES, is_last_of_making, switches_of_parts

SET_TRAIN = ".set_train()"
_TRAIN = "torch.nn.Module.train"
_WITH_MODE = re.compile(
    r"\b(?:\w*Dropout\w*|dropout\w*|\w*BatchNorm\w*|MultiheadAttention|Transformer\w*|RReLU|rrelu|training)\b"
)
"""What computes otherwise in training, in the text of a class."""
_WITHOUT_MODE = CONVERTED | {
    "numpy",
    "math",
    "typing",
    "collections",
    "functools",
    "itertools",
    "abc",
    "copy",
}
"""Modules of which nothing that a class uses has a mode, but for what has one by its name."""


def uses_of_modes(evidence: Evidence) -> Iterator[Use]:
    """The modules that are made outside any other, whose results depend on their mode."""
    switched: dict[int, tuple[list[Node], bool]] = {}
    for call in evidence.source.once((_made,), lambda: tuple(_made(evidence))):
        is_whole = _is_whole(evidence, call)
        if not _has_mode(evidence, call) or (is_whole and _is_switched_next(evidence, call)):
            continue
        switches = switches_of_parts(evidence, call)
        if not switches:
            if is_whole:
                yield changed(_TRAIN, call, [Edit(call.end_byte, call.end_byte, SET_TRAIN)])
        else:
            _, are_whole = switched.get(switches[0].id, ((), True))
            switched[switches[0].id] = switches, are_whole and is_whole
    for switches, are_whole in switched.values():
        yield from _before_switches(evidence, switches, is_whole=are_whole)


def begins_in_training(evidence: Evidence, node: Node) -> bool:
    """Whether a variable or an attribute has modules that the file itself makes: they are in training."""
    values = _values(evidence, whole_of(node))
    return bool(values) and all(_is_made_here(evidence, one) for one in values)


def whole_of(node: Node) -> Node:
    """The model of ``model[0]``: a part has the mode of the whole."""
    while node.type == "subscript" and node.named_children[0].type in ("identifier", "attribute"):
        node = node.named_children[0]
    return node


def has_mode(evidence: Evidence, node: Node) -> bool:
    """Whether a module that begins in training computes otherwise there, as far as is known."""
    return any(
        _has_mode(evidence, one) for one in _values(evidence, whole_of(node)) if _is_class(evidence, one)
    )


def _made(evidence: Evidence) -> Iterator[Node]:
    """The calls of classes of modules in a file."""
    for node in nodes_in(evidence.source.root):
        if node.type == "call" and _is_class(evidence, node):
            yield node


def _is_class(evidence: Evidence, call: Node) -> bool:
    """Whether a call makes a module, by a class of torch, of the file or of the project."""
    function = field(call, "function") if call.type == "call" else None
    if function is None or function.type not in ("identifier", "attribute"):
        return False
    definition = evidence.context.instances.classes.definition_of(function)
    if definition is not None:
        return definition.type == "class_definition" and _is_module_class(evidence, definition)
    name = evidence.source.names.name_of(function)
    if name.startswith("torch.nn."):
        return is_module(name) and is_class(name) and not name.endswith("Loss")
    base = evidence.context.shared(BasesElsewhere).base_of(name) if name else None
    return base is not None and is_module(base)


def _is_module_class(evidence: Evidence, definition: Node) -> bool:
    base = evidence.context.instances.classes.torch_base(definition)
    return base is not None and is_module(base) and not base.endswith("Loss")


def _is_whole(evidence: Evidence, call: Node) -> bool:
    """Whether a module is part of no other, which is switched with all its parts."""
    for one in ancestors(call):
        if one.type == "call" and one.id != call.id and _is_class(evidence, one):
            return False
        if one.type == "class_definition" and _is_module_class(evidence, one):
            return False
    holder = _holder(call)
    function = enclosing(call, "function_definition")
    if holder is not None and _is_part(evidence, holder):
        return False
    return function is None or not _makes_parts(evidence, function)


def _holder(call: Node) -> Node | None:
    """The variable that a module is given to, or the list that it is added to."""
    parent = parent_of(call)
    if parent is not None and parent.type == "assignment":
        target = field(parent, "left")
        return target if target is not None and target.type == "identifier" else None
    for one in ancestors(call):
        if one.type in ("assignment", "augmented_assignment"):
            target, value = field(one, "left"), field(one, "right")
            is_list = value is not None and value.type in ("list", "list_comprehension", "tuple")
            return target if is_list and target is not None and target.type == "identifier" else None
        if one.type == "call" and last_name(one) in ("append", "extend", "insert"):
            return field(field(one, "function"), "object")
    return None


def _is_part(evidence: Evidence, holder: Node) -> bool:
    """Whether a variable is given to a module that is made in the same scope."""
    scope = enclosing(holder, "function_definition", "module")
    uses = evidence.source.identifiers(text_of(holder))
    return any(
        one.type == "call" and _is_class(evidence, one)
        for use in uses
        if enclosing(use, "function_definition", "module") == scope
        for one in ancestors(use)
    )


def _makes_parts(evidence: Evidence, function: Node) -> bool:
    """Whether a function is only called for parts of modules: in their classes, or as their arguments."""
    name = field(function, "name")
    calls = [
        call
        for identifier in (evidence.source.identifiers(text_of(name)) if name is not None else ())
        if identifier != name and (call := call_of(identifier)) is not None
    ]
    return bool(calls) and all(not _is_whole(evidence, one) for one in calls if one != function)


def _has_mode(evidence: Evidence, call: Node) -> bool:
    function = field(call, "function")
    assert function is not None
    if _WITH_MODE.search(text_of(call)):
        return True
    definition = evidence.context.instances.classes.definition_of(function)
    if definition is not None:
        return _may_have_mode(evidence, definition, set()) or any(
            _may_have_mode(evidence, one.value, set()) for one in arguments_of(call).items
        )
    if not evidence.source.names.name_of(function).startswith("torch.nn."):
        return True
    return _holds_others(function) and _may_have_mode(evidence, field(call, "arguments"), set())


def _holds_others(function: Node) -> bool:
    return text_of(function).rpartition(".")[2] in ("Sequential", "ModuleList", "ModuleDict", "DataParallel")


def _may_have_mode(evidence: Evidence, node: Node | None, seen: set[int]) -> bool:
    """Whether a text names what has a mode, or what is not known to have none."""
    if node is None or node.id in seen:
        return False
    seen.add(node.id)
    if _WITH_MODE.search(text_of(node)):
        return True
    for one in nodes_in(node):
        if one.type != "identifier":
            continue
        for binding in evidence.source.names.bindings_in_scope(text_of(one), one):
            if binding.kind is BindingKind.DEFINITION:
                if _may_have_mode(evidence, binding.statement, seen):
                    return True
            elif binding.kind is BindingKind.IMPORT:
                root = evidence.source.names.imported_meaning(binding).partition(".")[0]
                if root not in _WITHOUT_MODE and call_of(one) is not None:
                    return True
            elif binding.kind is BindingKind.PARAMETER and call_of(one) is not None:
                return True
    return False


def _is_switched_next(evidence: Evidence, call: Node) -> bool:
    """Whether a module is switched where it is made, or before anything else is done with it."""
    node: Node = call
    while (attribute := parent_of(node)) is not None and attribute.type == "attribute":
        outer = call_of(attribute)
        if outer is None:
            break
        if last_name(outer) in SWITCHES:
            return True
        node = outer
    assignment = parent_of(node)
    target = field(assignment, "left") if assignment is not None and assignment.type == "assignment" else None
    return target is not None and _is_switched_first(evidence, text_of(target), enclosing_statement(call))


def _is_switched_first(evidence: Evidence, name: str, made: Node) -> bool:
    """Whether the first that the statements behind do with a module is to switch it."""
    use = re.compile(
        rf"(?<![\w.]){re.escape(name)}\b(?!\.(?:named_)?parameters\(|\.to\(|\.cuda\()(\.train\(|\.eval\()?"
    )
    statement = made.next_named_sibling
    while statement is not None:
        found = use.search(text_of(statement))
        if found is not None and statement.type not in OWN_SCOPES:
            return found[1] is not None and not _is_conditional(statement, found.start())
        if found is None and _calls_functions_of_file(evidence, statement):
            return False
        statement = statement.next_named_sibling
    return False


def _is_conditional(statement: Node, offset: int) -> bool:
    """Whether what begins somewhere in a statement is done under a condition, and nothing where it fails."""
    start = statement.start_byte + len(text_of(statement)[:offset].encode())
    inside = statement.descendant_for_byte_range(start, start + 1)
    around = (one for one in ancestors(inside) if one.start_byte >= statement.start_byte) if inside else ()
    return any(one.type == "if_statement" and field(one, "alternative") is None for one in around)


def _calls_functions_of_file(evidence: Evidence, statement: Node) -> bool:
    """Whether a statement calls functions of the file, which may use what is global."""
    if statement.type in OWN_SCOPES:
        return False
    functions = (field(one, "function") for one in nodes_in(statement) if one.type == "call")
    definition_of = evidence.context.instances.classes.definition_of
    return any(definition_of(one) is not None for one in functions if one is not None)


def _before_switches(evidence: Evidence, switches: Sequence[Node], *, is_whole: bool) -> Iterator[Use]:
    """A module whose class switches its parts as it is made begins in training before that.

    What is written where it is made, or where a module is that it is part of, would undo it.
    """
    first = enclosing_statement(switches[0])
    if not is_whole or not is_last_of_making(evidence, first):
        yield from (refused(_TRAIN, one, Reason.MODE) for one in switches)
        return
    text = f"self{SET_TRAIN}\n{' ' * first.start_point[1]}"
    yield changed(_TRAIN, first, [Edit(first.start_byte, first.start_byte, text)])


def _values(evidence: Evidence, node: Node) -> list[Node]:
    """All values of a variable or an attribute; none where one is not an expression of the file."""
    values: list[Node | None] = []
    if node.type == "identifier":
        bindings = evidence.source.names.bindings_in_scope(text_of(node), node)
        values = [one.value or value_given(one.node) for one in bindings]
    elif node.type == "attribute":
        name = field(node, "attribute")
        for identifier in evidence.source.identifiers(text_of(name)) if name is not None else ():
            target = parent_of(identifier)
            if target is not None and target.type == "attribute" and is_assigned(target):
                values.append(value_given(target))
    known = [_bare(one) for one in values if one is not None]
    new = [one for one in known if text_of(one) != text_of(node)]  # not ``net = net.cuda()``
    return new if len(known) == len(values) else []


def _bare(value: Node) -> Node:
    """What is placed on a device by a call behind it."""
    while value.type == "call" and last_name(value) in ("to", "cuda", "cpu", "npu", "float"):
        owner = field(field(value, "function"), "object")
        if owner is None:
            break
        value = owner
    return value


def _is_made_here(evidence: Evidence, value: Node, depth: int = 3) -> bool:
    if value.type in ("identifier", "attribute") and depth:
        values = _values(evidence, value)
        return bool(values) and all(_is_made_here(evidence, one, depth - 1) for one in values)
    if value.type != "call":
        return False
    if _is_class(evidence, value):
        return True
    function = field(value, "function")
    if function is None or not depth:
        return False
    if evidence.source.names.name_of(function) == "copy.deepcopy":
        copied = arguments_of(value).at(0)
        return copied is not None and _is_made_here(evidence, copied.value, depth - 1)
    definition = evidence.context.instances.classes.definition_of(function)
    return definition is not None and definition.type == "function_definition" and evidence.is_module(value)
