"""Whether the statements of a step compute all that gradients are taken of.

A tensor that was computed before them brings its graph along in PyTorch. In MindSpore it is a constant, and
the weights behind it would keep their values without an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tree_sitter import Node

from gpu2ascend_rules.limits.below import nodes_in, nodes_of
from gpu2ascend_rules.limits.parents import parent_of, parent_type
from gpu2ascend_rules.text.scopes import BindingKind
from gpu2ascend_rules.text.syntax import (
    LOOPS,
    ancestors,
    arguments_of,
    call_of,
    encloses,
    enclosing,
    field,
    is_assigned,
    is_field,
    last_name,
    text_of,
)

from ..evidence import ROOTS, Evidence
from ..values.arguments import names_device
from ..values.kept import called_by
from ..values.legacy_types import makes_legacy
from .constant.detached import is_gradient_free, reads_graph
from .identities import identity
from .trained import all_trained_by, optimizers_made, owners_trained_by, trained_by
from .variables import assigned_in, identifiers_in, read_before_assigned

_SCOPES = ("function_definition", "module", "lambda")
_WITHOUT_GRAPH = frozenset({"detach", "item", "numpy", "tolist"})
_DEPTH = 3
"""How many functions that call each other are looked into."""
_PLACING = frozenset({"to", "cuda", "cpu", "float", "long", "double", "half", "view", "reshape", "permute"})
OF_DATA = frozenset({"numpy", "math", "random", "time", "os", *ROOTS})
_DEFINED = frozenset({BindingKind.IMPORT, BindingKind.DEFINITION})
_BUILTINS = frozenset(
    {
        "len", "int", "float", "max", "min", "next", "range", "zip", "enumerate", "print", "iter", "list",
        "tuple", "dict", "set", "str", "isinstance", "hasattr", "sorted", "reversed", "round", "bool",
    }
)  # fmt: skip


def computes_all(evidence: Evidence, statements: Sequence[Node], optimizers: Sequence[Node]) -> bool:
    """Whether no tensor with a graph comes into statements from elsewhere, as far as the file shows."""
    return (
        bool(models_in(evidence, statements))
        and not _comes_from_outer_block(evidence, statements)
        and not _comes_from_container(evidence, statements)
        and not has_outer_state(evidence, statements)
        and all(_is_of_its_optimizer(evidence, statements, one) for one in optimizers)
    )


def has_outer_state(evidence: Evidence, statements: Sequence[Node]) -> bool:
    """Whether statements read what other methods, callers of their function, or statements before the loops
    around them may have computed."""
    return (
        _reads_state(evidence, statements)
        or _is_handed_in(evidence, statements)
        or _comes_from_before_loops(evidence, statements)
    )


def models_in(evidence: Evidence, statements: Sequence[Node]) -> list[str]:
    """What statements call that may be a model: anything but functions and losses of torch."""
    found: dict[str, None] = {}
    for call in (one for statement in statements for one in nodes_in(statement) if one.type == "call"):
        function = field(call, "function")
        if function is None or function.type not in ("identifier", "attribute", "subscript"):
            continue
        resolution = evidence.source.names.qualified_name(function)
        if resolution is not None and resolution.qualified_name.partition(".")[0] in ROOTS:
            continue
        owner = field(function, "object")
        if owner is not None and evidence.is_of_kind(owner, "tensor"):
            continue
        if makes_legacy(evidence.source, call):
            continue
        instance = evidence.instance(function)
        if instance is None or not instance.class_name.endswith("Loss"):
            found[text_of(function)] = None
    return list(found)


def may_have_graph(evidence: Evidence, statement: Node, depth: int = _DEPTH) -> bool:
    """Whether a statement calls anything that may be a model: all but what makes, moves and shapes data."""
    if is_gradient_free(evidence, statement):
        return False
    for call in nodes_in(statement):
        function = field(call, "function") if call.type == "call" else None
        if function is None or not models_in(evidence, [call]):
            continue
        resolution = evidence.source.names.qualified_name(function)
        if resolution is not None and resolution.qualified_name.partition(".")[0] in OF_DATA:
            continue
        if text_of(function) in _BUILTINS or _makes_data(evidence, function, depth):
            continue
        name = field(function, "attribute") if function.type == "attribute" else None
        if text_of(name) not in _PLACING:
            return True
    return any(node.type == "call" and call_of(node) is not None for node in nodes_in(statement))


def _makes_data(evidence: Evidence, function: Node, depth: int) -> bool:
    """Whether a function is of an object of another library, or of the file and calls no model."""
    owner, classes = field(function, "object"), evidence.context.instances.classes
    around = enclosing(function, "class_definition") if text_of(owner) == "self" else None
    if owner is not None and around is None:
        found = evidence.instance(owner)
        around = found.definition if found is not None and not found.class_name else None
        if around is None:
            return evidence.others.made(owner)
    name = text_of(field(function, "attribute"))
    definition = classes.method(around, name) if around is not None else classes.definition_of(function)
    body = field(definition, "body")
    if not depth or body is None or definition is None or definition.type != "function_definition":
        return False
    is_given = all(_is_no_weight(evidence, definition, one) for one in identifiers_in(body))
    return is_given and not any(may_have_graph(evidence, one, depth - 1) for one in body.named_children)


def _is_no_weight(evidence: Evidence, function: Node, name: Node) -> bool:
    """Whether what a function reads is its own, or from outside and certainly no part of a model."""
    holder = parent_of(name)
    if text_of(name) == "self":
        is_method = call_of(holder) is not None
        return is_method or (holder is not None and _is_plain(evidence, holder))
    bindings = evidence.source.names.bindings_in_scope(text_of(name), name)
    outer = [one for one in bindings if not encloses(function, one.node)]
    return all(one.kind in _DEFINED for one in outer) or _is_plain(evidence, name)


def _is_plain(evidence: Evidence, value: Node) -> bool:
    return names_device(value) or evidence.others.made(value)


def _comes_from_outer_block(evidence: Evidence, statements: Sequence[Node]) -> bool:
    """Whether a block around that of the statements computes what they read, in the same turn of a loop."""
    block = parent_of(statements[0])
    turn = enclosing(statements[0], *LOOPS, *_SCOPES)
    body = field(turn, "body")
    if block is None or body is None or block.id == body.id:
        return False
    every = {text_of(one) for statement in statements for one in identifiers_in(statement)}
    read = (every - set(assigned_in(statements))) | set(read_before_assigned(statements))
    inside = {one.id for one in [block, *ancestors(block)]}
    earlier = (
        child
        for around in _blocks_around(block, body)
        for child in around.named_children
        if child.id not in inside and child.end_byte <= block.start_byte
    )
    return any(read & set(assigned_in([one])) and may_have_graph(evidence, one) for one in earlier)


def _comes_from_container(evidence: Evidence, statements: Sequence[Node]) -> bool:
    """Whether other statements put into a container that is read what a module has computed there."""
    around = enclosing(statements[0], *_SCOPES) or statements[0]
    held = {
        text_of(one)
        for each in statements
        for one in identifiers_in(each)
        if reads_graph(evidence, one) or parent_type(one) == "subscript"
    }
    for one in nodes_of(around, "expression_statement"):
        name, value = _put_by(one)
        if name not in held or value is None or any(encloses(each, one) for each in statements):
            continue
        given = {text_of(each) for each in identifiers_in(value) if reads_graph(evidence, each)}
        if _is_of_module(evidence, value) or _makes_graph_of(evidence, given, around, around.end_byte):
            return True
    return False


def _put_by(statement: Node) -> tuple[str, Node | None]:
    """The variable into which a statement puts something, and that: ``kept.append(x)``, ``kept[0] = x``."""
    inner = statement.named_children[0]
    if inner.type == "call" and last_name(inner) in ("append", "extend", "insert"):
        return text_of(field(field(inner, "function"), "object")), field(inner, "arguments")
    target = field(inner, "left") if inner.type in ("assignment", "augmented_assignment") else None
    is_item = target is not None and target.type == "subscript"
    return (text_of(field(target, "value")), field(inner, "right")) if is_item else ("", None)


def _blocks_around(block: Node, body: Node) -> Iterator[Node]:
    """The blocks around one, up to and with that of a turn."""
    for one in ancestors(block):
        if one.id == body.id or one.type == "block":
            yield one
        if one.id == body.id:
            return


def _comes_from_before_loops(evidence: Evidence, statements: Sequence[Node]) -> bool:
    """Whether a module computed what statements read with its graph before the loops around them.

    Without ``retain_graph`` only the first turn may go through it, and there may be no other.
    """
    read = (name for one in statements for name in identifiers_in(one))
    held = {text_of(name) for name in read if reads_graph(evidence, name)}
    inner = enclosing(statements[0], *LOOPS, *_SCOPES)
    while inner is not None and inner.type in LOOPS:
        held -= set(assigned_in([inner]))
        outer = enclosing(inner, *LOOPS, *_SCOPES)
        if outer is not None and _makes_graph_of(evidence, held, outer, inner.start_byte):
            return True
        inner = outer
    return False


def _makes_graph_of(evidence: Evidence, names: set[str], around: Node, end: int) -> bool:
    """Whether a module computes one of some variables within a loop or a scope, before a place in it."""
    body = field(around, "body") or around
    given = evidence.context.once(("assignments below", body.id), lambda: _assignments_below(body))
    statements = (one for name in names for one in given.get(name, ()) if one.end_byte <= end)
    return any(_is_of_module(evidence, one) for one in statements)


def _assignments_below(block: Node) -> Mapping[str, Sequence[Node]]:
    """The statements that give variables values, by name."""
    found: dict[str, list[Node]] = {}
    for one in nodes_of(block, "expression_statement"):
        for name in assigned_in([one]):
            found.setdefault(name, []).append(one)
    return found


def _is_of_module(evidence: Evidence, statement: Node) -> bool:
    """Whether a statement calls what is certainly a module, and keeps the graph."""
    return any(
        reads_graph(evidence, one) and evidence.is_module(function)
        for one in nodes_in(statement)
        if one.type == "call" and (function := field(one, "function")) is not None
    )


def _reads_state(evidence: Evidence, statements: Sequence[Node]) -> bool:
    """Whether statements read an attribute that methods of the class set as they go."""
    for attribute in (one for statement in statements for one in nodes_in(statement)):
        if attribute.type != "attribute" or not text_of(attribute).startswith("self."):
            continue
        if call_of(attribute) is not None or text_of(attribute).count(".") != 1:
            continue
        name = field(attribute, "attribute")
        places = evidence.source.identifiers(text_of(name)) if name is not None else ()
        if any(_is_state(parent_of(one), statements) for one in places):
            return True
    return False


def _is_state(target: Node | None, statements: Sequence[Node]) -> bool:
    """Whether a method sets an attribute there, but as one of several results of statements."""
    if target is None or target.type != "attribute" or not is_assigned(target):
        return False
    if not is_field(target, "left") and any(encloses(one, target) for one in statements):
        return False
    method = field(enclosing(target, "function_definition"), "name")
    return method is not None and text_of(method) != "__init__"


def _is_handed_in(evidence: Evidence, statements: Sequence[Node]) -> bool:
    """Whether the file calls the function around the statements with what a model has just computed."""
    function = enclosing(statements[0], "function_definition")
    name = field(function, "name")
    if name is None:
        return False
    for other in evidence.source.identifiers(text_of(name)):
        place = parent_of(other) if parent_type(other) == "attribute" else other
        call = call_of(place)
        if call is None:
            continue
        if any(_has_graph(evidence, argument.value) for argument in arguments_of(call).items):
            return True
    return False


def _has_graph(evidence: Evidence, value: Node) -> bool:
    """Whether an argument is what a module gives, without ``detach()`` behind it."""
    if value.type == "call":
        function = field(value, "function")
        if last_name(value) in _WITHOUT_GRAPH or function is None:
            return False
        return function.type in ("identifier", "attribute") and evidence.is_module(function)
    if value.type != "identifier":
        return False
    bindings = evidence.source.names.bindings_in_scope(text_of(value), value)
    return any(
        one.value is not None and one.value.type == "call" and _has_graph(evidence, one.value)
        for one in bindings
    )


def _is_of_its_optimizer(evidence: Evidence, statements: Sequence[Node], optimizer: Node) -> bool:
    """With several optimizers in a file, whether the step calls the module whose parameters its own has.

    Of several modules it calls each, or what each is a part of: MindSpore moves those without gradients, too.
    """
    called = {*models_in(evidence, statements)}
    trained = trained_by(evidence, optimizer, statements)
    every = [trained] if trained is not None else all_trained_by(evidence, optimizer)
    if len(every) > 1:
        is_shown = all(any(f"{one}.".startswith(f"{model}.") for model in called) for one in every)
        return is_shown or _calls_all_of(evidence, statements, optimizer)
    if evidence.source.once(optimizers_made, lambda: optimizers_made(evidence)) < 2:
        return True
    return bool(every) and every[0] in called


def _calls_all_of(evidence: Evidence, statements: Sequence[Node], optimizer: Node) -> bool:
    """Whether statements, or functions of the file that they call, call each module of an optimizer."""
    owners = {identity(evidence, one) for one in owners_trained_by(evidence, optimizer)}
    is_known = bool(owners)
    open_nodes, seen = list(statements), set[int]()
    while open_nodes and owners:
        for call in nodes_in(open_nodes.pop()):
            function = field(call, "function") if call.type == "call" else None
            if function is None or function.type not in ("identifier", "attribute"):
                continue
            owners.discard(identity(evidence, function))
            owner = field(function, "object")
            kept, called = (evidence.instance(one) if one is not None else None for one in (owner, function))
            definition = called_by(evidence.context, function, kept, called)
            if definition is not None and definition.id not in seen:
                seen.add(definition.id)
                open_nodes.append(definition)
    return is_known and not owners
