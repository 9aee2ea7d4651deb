"""NPU427: what is gathered from batches under their own keys, or in buffers: each process gathers its share.

``hardness[index] = loss`` and ``matrix[t, p] += 1`` in a pass over a share, ``bank.update(index, z)`` of an
object that keeps what it is given, ``self.mean = … x.mean(0)`` in a module, and lists of what a generator
yields that trains.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from tree_sitter import Node

from ....limits.below import nodes_in
from ....limits.parents import parent_of
from ....model.finding import Severity
from ....text.syntax import ancestors, arguments_of, enclosing_statement, field, last_name, text_of
from ...change import Change, first_line, reported_only
from ...passing import argument_for, parameter_names
from ...program import Place, function_around
from ..data.loops import passes_over
from ..data.roles import TrainingLoop
from ..job import Job
from ..places import below

CODE = "NPU427"
_ASSIGNMENTS = ("assignment", "augmented_assignment")
_SCATTERS = frozenset({"index_add_", "index_copy_", "index_put_", "scatter_", "scatter_add_"})
_APPENDS = frozenset({"append", "appendleft", "extend"})
_OF_FORM = frozenset({"device", "dim", "dtype", "is_cuda", "ndim", "numel", "shape", "size", "type"})
"""What a batch has whatever its values are."""
_NAMING = frozenset({"items", "keys"})
_COMPREHENSIONS = ("list_comprehension", "set_comprehension", "dictionary_comprehension")


def say_gathered(job: Job, loops: list[TrainingLoop], shared: set[tuple[str, int]]) -> Iterator[Change]:
    """What is said of each place that gathers, once."""
    seen: set[tuple[str, int]] = set()
    for loop in (*loops, *passes_over(shared, job.program, job.origins)):
        if not any(place.key in shared for place in loop.loaders):
            continue
        stored = [(place, "share") for place in (*_stored(loop.loop), *_listed(job, loop.loop))]
        for place, message in (*stored, *_handed_on(job, loop.loop)):
            if place.key not in seen:
                seen.add(place.key)
                text = first_line(place.text)
                yield reported_only(CODE, message, place, Severity.WARNING, text=text)
    for place in job.program.places("class_definition"):
        for update in _buffers_updated(place):
            text = first_line(update.text)
            yield reported_only(CODE, "kept", update, Severity.WARNING, text=text)


def _stored(loop: Place) -> Iterator[Place]:
    """What a loop stores by keys of its batches, in what there is outside of it."""
    body = field(loop.node, "body") or loop.node
    tainted = _of_batches(loop)
    found: list[tuple[Node, str]] = []
    for node in below(body) if tainted else ():
        holder, keys = _store(node)
        if holder is None or not any(_reads(key, tainted) for key in keys):
            continue
        root = _root(holder)
        if text_of(root) not in tainted and not _is_made_in(loop, root):
            found.append((node, text_of(holder)))
    summed = {holder for node, holder in found if not _is_number_put(node)}
    yield from (
        Place(loop.file, node) for node, holder in found if holder not in summed or not _is_number_put(node)
    )


def _is_number_put(store: Node) -> bool:
    """``sums[key] = 0``: where a sum starts, if there is one."""
    value = field(store, "right") if store.type == "assignment" else None
    return value is not None and value.type in ("integer", "float")


def _handed_on(job: Job, loop: Place) -> Iterator[tuple[Place, str]]:
    """The calls in a loop by which an object keeps tensors of a batch, and what is said of each.

    What the object gives, as a memory of features does, has an effect on the training.
    """
    body, tainted = field(loop.node, "body") or loop.node, _of_batches(loop)
    nodes = list(below(body)) if tainted else []
    losses = {text_of(field(field(one, "function"), "object")) for one in nodes if _is_backward(one)}
    for node in nodes:
        receiver = field(field(node, "function"), "object")
        if receiver is None or node.type != "call" or text_of(receiver) in {*tainted, "self"}:
            continue
        method = job.program.callee(Place(loop.file, node))
        if method is not None and _keeps(method, Place(loop.file, node), tainted - losses):
            yield Place(loop.file, node), "kept" if _is_asked(receiver, node, nodes) else "share"


def _is_asked(holder: Node, call: Node, nodes: list[Node]) -> bool:
    """Whether a loop uses what a call of an object gives, or the object elsewhere."""
    is_used = enclosing_statement(call).named_children[:1] != [call]
    return is_used or any(one != holder and text_of(one) == text_of(holder) for one in nodes)


def _keeps(method: Place, call: Place, tainted: Collection[str]) -> bool:
    """Whether a method of an object stores in that what a call gives it of a batch; no numbers of it."""
    body = field(method.node, "body")
    given = {
        name
        for name in parameter_names(method.node)
        if (value := argument_for(method, name, call)) is not None and _gives_tensor(value.node, tainted)
    }
    if body is None or not given:
        return False
    own = _spread(given, body)
    return any(
        holder is not None
        and text_of(_root(holder)) == "self"
        and any(_gives_tensor(one, own) for one in what)
        for holder, what in (_appended(node) or _put(node) for node in below(body))
    )


def _gives_tensor(value: Node, names: Collection[str]) -> bool:
    return _reads(value, names) and not text_of(value).endswith(".item()")


def _appended(node: Node) -> tuple[Node | None, list[Node]] | None:
    """What a call appends to, and what."""
    if node.type != "call" or last_name(node) not in _APPENDS:
        return None
    return field(field(node, "function"), "object"), [one.value for one in arguments_of(node).items]


def _put(node: Node) -> tuple[Node | None, list[Node]]:
    """What a statement or a call stores in, and the keys and values that it does so by."""
    holder, keys = _store(node)
    value = field(node, "right")
    return holder, [*keys, value] if value is not None else keys


def _is_backward(node: Node) -> bool:
    return node.type == "call" and last_name(node) == "backward"


def _of_batches(loop: Place) -> set[str]:
    """The variables of a loop that hold a batch, and what is computed of it."""
    body, target, iterable = (field(loop.node, name) for name in ("body", "left", "right"))
    if loop.node.type != "for_statement" or body is None or target is None or iterable is None:
        return set()
    return _spread(_drawn(target, iterable), body)


def _drawn(target: Node, iterable: Node) -> set[str]:
    """The variables that a loop gives a batch, without that which counts."""
    is_counted = iterable.type == "call" and last_name(iterable) == "enumerate"
    parts = target.named_children[1:] if is_counted else [target]
    return {text_of(one) for part in parts for one in nodes_in(part) if one.type == "identifier"}


def _store(node: Node) -> tuple[Node | None, list[Node]]:
    """What a statement or a call stores in, and the keys that it does so by."""
    left = field(node, "left") if node.type in _ASSIGNMENTS else None
    if left is not None and left.type == "subscript":
        return field(left, "value"), left.named_children[1:]
    if node.type == "call" and last_name(node) in _SCATTERS:
        return field(field(node, "function"), "object"), [one.value for one in arguments_of(node).items]
    return None, []


def _listed(job: Job, loop: Place) -> Iterator[Place]:
    """The lists of what a generator yields in whose loop the model is trained."""
    function = function_around(loop)
    if function is None or not any(node.type == "yield" for node in below(function.node)):
        return
    for call in job.program.calls_of(function):
        clause = parent_of(call.node)
        outer = parent_of(clause) if clause is not None and clause.type == "for_in_clause" else None
        if outer is not None and outer.type in _COMPREHENSIONS:
            yield Place(call.file, outer)


def _buffers_updated(owner: Place) -> Iterator[Place]:
    """The statements of ``forward`` that give a buffer of a module a value of the batch."""
    buffers = _buffers(owner.node)
    for function in nodes_in(owner.node) if buffers else ():
        parameters, body = field(function, "parameters"), field(function, "body")
        is_forward = function.type == "function_definition" and text_of(field(function, "name")) == "forward"
        if is_forward and parameters is not None and body is not None:
            names = {text_of(one) for one in nodes_in(parameters) if one.type == "identifier"} - {"self"}
            tainted = _spread(names, body)
            yield from (Place(owner.file, one) for one in below(body) if _updates(one, buffers, tainted))


def _buffers(owner: Node) -> set[str]:
    """The names of the buffers that a class registers."""
    calls = (node for node in nodes_in(owner) if node.type == "call" and last_name(node) == "register_buffer")
    given = (arguments_of(one).get("name", 0) for one in calls)
    return {text_of(one.value).strip("'\"") for one in given if one is not None}


def _updates(node: Node, buffers: Collection[str], tainted: Collection[str]) -> bool:
    """Whether a statement or a call gives a buffer a value that depends on some names."""
    if node.type in _ASSIGNMENTS:
        left, right = field(node, "left"), field(node, "right")
        is_own = left is not None and _buffer_of(left) in buffers
        return is_own and right is not None and _reads(right, tainted)
    name = last_name(node) if node.type == "call" else ""
    if not name.endswith("_") or name.startswith("_"):
        return False
    owner = field(field(node, "function"), "object")
    given = [one.value for one in arguments_of(node).items]
    return owner is not None and _buffer_of(owner) in buffers and any(_reads(one, tainted) for one in given)


def _buffer_of(node: Node) -> str:
    """The name of what ``self.mean``, ``self.mean[0]`` or ``self.mean.mul_(m)`` is a part of."""
    text = text_of(node)
    return text.removeprefix("self.").partition(".")[0].partition("[")[0] if text.startswith("self.") else ""


def _spread(names: set[str], body: Node) -> set[str]:
    """Some names, and those that statements of a block compute of them."""
    tainted = set(names)
    for node in below(body):
        if node.type in (*_ASSIGNMENTS, "for_statement"):
            target, value = field(node, "left"), field(node, "right")
            is_named = value is not None and value.type == "call" and last_name(value) in _NAMING
            if target is not None and value is not None and not is_named and _reads(value, tainted):
                parts = [target, *target.named_children] if "pattern" in target.type else [target]
                tainted |= {text_of(one) for one in parts if one.type == "identifier"}
    return tainted


def _reads(value: Node, names: Collection[str]) -> bool:
    """Whether the value of an expression depends on what some names hold, and not on its form alone."""
    read = (node for node in nodes_in(value) if node.type == "identifier" and text_of(node) in names)
    return any(
        text_of(field(parent_of(node), "attribute")) not in _OF_FORM
        and text_of(field(parent_of(parent_of(node)), "function")) != "len"
        for node in read
    )


def _root(node: Node) -> Node:
    """The name at the beginning of ``a.b[c].d``."""
    while (inner := field(node, "object") or field(node, "value")) is not None:
        node = inner
    return node


def _is_made_in(loop: Place, root: Node) -> bool:
    """Whether a variable is given a value in a loop, as for each batch; attributes are not."""
    bindings = loop.file.names.bindings_in_scope(text_of(root), root)
    return any(one.node.id != root.id and loop.node in ancestors(one.node) for one in bindings)
