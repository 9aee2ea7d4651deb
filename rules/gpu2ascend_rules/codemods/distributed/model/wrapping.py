"""NPU423: the model is wrapped once it is made, on its device and, with apex, initialized."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tree_sitter import Node

from ....inference.kinds import Kind
from ....limits.parents import parent_of
from ....limits.walks import PROGRAM_WALK_LIMITS
from ....model.finding import Severity
from ....text.scopes import BindingKind
from ....text.syntax import ancestors, arguments_of, encloses, enclosing, field, is_field, last_name, text_of
from ...change import Change, done, reported_only
from ...operations import Operation, OperationKind
from ...passing import argument_for, parameter_names
from ...program import Place, callee_name, function_around
from ..data.roles import TrainingLoop
from ..job import Job
from .freezing import freezings
from .identity import is_module, is_of_target, makers, plain_class_of
from .moving import MOVES, is_moved_elsewhere, is_moved_when_made
from .target import Target, scope_holds
from .unused import leaves_out

_MAKERS = frozenset({"torch.nn.Parameter", "torch.nn.parameter.Parameter"})
_HOLDERS = frozenset({"list", "tuple", "set", "list_splat", "parenthesized_expression", "binary_operator"})
CODE = "NPU423"
_WRAPPERS = frozenset(
    {"DataParallel", "DistributedDataParallel", "FullyShardedDataParallel", "compile", "unwrap_model"}
)
"""What gives a model that has the parameters of the one it is given, by its last name."""
_BLOCKS = frozenset({"block", "module"})


def trained_tensors(job: Job, call: Place) -> Iterator[Place]:
    """The tensors that an optimizer is given: ``scale`` in ``SGD([*model.parameters(), scale])``."""
    given = arguments_of(call.node).get("params", 0) or arguments_of(call.node).get("param_group", 0)
    places = [Place(call.file, node) for node in _expressions(given.value)] if given is not None else []
    for place in places[: PROGRAM_WALK_LIMITS.depth]:
        held = (item for item in job.origins.of(place) if item.node.type in _HOLDERS)
        places += [Place(item.file, node) for item in held for node in _expressions(item.node)]
    for place in places:
        tensors = [one for origin in job.origins.of(place) for one in (origin, *_values_of(job, origin))]
        if not _is_part_of_module(job, place) and any(map(_is_trainable, tensors)):
            yield place


def _values_of(job: Job, place: Place) -> Iterator[Place]:
    """What the values of a dictionary are."""
    for pair in place.node.named_children if place.node.type == "dictionary" else ():
        value = field(pair, "value")
        yield from job.origins.of(Place(place.file, value)) if value is not None else ()


def _in_turn(job: Job, variable: Place) -> list[Place]:
    """The models that a variable holds one after the other: of a list or a dictionary that is gone through,
    or that callers give its function."""
    last: list[Place] = []
    seen, pending = {variable.key}, [variable]
    for place in pending:
        found = [item for item in _bound_to(job, place) if item.key not in seen]
        seen.update(item.key for item in found)
        pending += found
        if not found and place is not variable:
            last.append(place)
    return last


def _bound_to(job: Job, variable: Place) -> Iterator[Place]:
    """What a loop or a call binds a variable to."""
    names = variable.file.names
    bound = (
        names.bindings_in_scope(variable.text, variable.node) if variable.node.type == "identifier" else ()
    )
    kinds = {item.kind for item in bound}
    function = function_around(variable)
    if kinds == {BindingKind.LOOP}:
        yield from filter(_is_listed, job.origins.of(variable, _is_listed))
    elif kinds == {BindingKind.PARAMETER}:
        yield from _mapped_over(job, variable)
    if kinds == {BindingKind.PARAMETER} and function is not None:
        given = (argument_for(function, variable.text, call) for call in job.program.calls_of(function))
        yield from (item for item in given if item is not None)


def _mapped_over(job: Job, variable: Place) -> Iterator[Place]:
    """What ``map`` gives the parameter of a lambda or a function: ``map(lambda net: ..., (a, b))``."""
    owner = enclosing(variable.node, "lambda", "function_definition")
    name = text_of(field(owner, "name"))
    uses = [owner] if owner is not None and not name else variable.file.identifiers(name)
    for use in uses:
        call = parent_of(parent_of(use))
        given = arguments_of(call).positional if call is not None and call.type == "call" else ()
        if call is None or last_name(call) != "map" or len(given) != 2 or given[0].value.id != use.id:
            continue
        for over in job.origins.of(Place(variable.file, given[1].value)):
            if over.node.type in ("list", "tuple", "set"):
                yield from (Place(over.file, one) for one in over.node.named_children)


def _is_listed(place: Place) -> bool:
    holder = parent_of(place.node)
    is_value = holder is not None and holder.type == "pair" and is_field(place.node, "value")
    return is_value or (holder is not None and holder.type in ("list", "tuple", "set"))


def _expressions(value: Node) -> Iterator[Node]:
    """The names in lists, of dictionaries with all their values, and below ``params`` in groups."""
    if value.type in _HOLDERS:
        for child in value.named_children:
            yield from _expressions(child)
    elif value.type == "dictionary":
        for pair in value.named_children:
            key, inner = field(pair, "key"), field(pair, "value")
            if key is not None and inner is not None and text_of(key).strip("'\"") == "params":
                yield from _expressions(inner)
    elif value.type in ("identifier", "attribute"):
        yield value
    elif value.type == "call" and last_name(value) in ("values", "list"):
        owner, given = field(field(value, "function"), "object"), arguments_of(value).positional
        if owner is not None:
            yield from _expressions(owner)
        for one in given:
            yield from _expressions(one.value)


def _is_part_of_module(job: Job, place: Place) -> bool:
    """Whether a tensor is an attribute of a module that trains itself: one of its parameters."""
    owner = enclosing(place.node, "class_definition")
    is_own = owner is not None and place.text.startswith("self.")
    return is_own and owner is not None and is_module(job.program, Place(place.file, owner))


def _is_trainable(origin: Place) -> bool:
    """``nn.Parameter(…)``, ``torch.zeros(3, requires_grad=True)``."""
    if origin.node.type != "call":
        return False
    asked = arguments_of(origin.node).keyword("requires_grad")
    name = callee_name(origin)
    is_asked_for = asked is not None and text_of(asked.value) == "True"
    return name in _MAKERS or (name.startswith("torch.") and is_asked_for)


def wrap_models(job: Job, targets: Iterable[Target], loops: list[TrainingLoop]) -> Iterator[Change]:
    """The wrapping of each named model; and the reports on models that are trained without a name."""
    chosen = list(targets)
    for index, target in enumerate(chosen):
        if not any(is_of_target(job, target.assignments[0], other) for other in chosen[:index]):
            yield from _wrapped(job, target, loops)
    yield from _other_models(job, chosen)


def wrapped_at(job: Job, target: Target, loops: list[TrainingLoop]) -> Node | None:
    """The statement after which a model is wrapped."""
    signs = [_statement(place.node) for place in target.assignments]
    signs += list(_set_up(job, target))
    signs += [
        _statement(item.place.node) for item in freezings(job, target) if item.is_here and not item.is_whole
    ]
    signs += [_statement(place.node) for place in _replaced(job, target)]
    first_use = _first_training(job, target, loops)
    early = [node for node in signs if first_use is None or node.start_byte < first_use] or signs[:1]
    block = _common_block(early)
    inner = [child for child in block.named_children if any(encloses(child, node) for node in early)]
    return inner[-1] if inner else None


def _wrapped(job: Job, target: Target, loops: list[TrainingLoop]) -> Iterator[Change]:
    anchor = wrapped_at(job, target, loops)
    if anchor is None:
        return
    plain = plain_class_of(job, target)
    if plain is not None:
        shown = {"model": target.spelling, "kind": text_of(field(plain.node, "name"))}
        yield reported_only(CODE, "no_module", target.assignments[0], Severity.ERROR, **shown)
        return
    names = job.names(target.file)
    is_ready = any(_is_move(node) for node in _set_up(job, target)) or is_moved_when_made(
        job, target, anchor.end_byte
    )
    is_moved = is_ready or is_moved_elsewhere(job, target)
    text = _wrapping(job, target, anchor, is_ready=is_ready, is_moved=is_moved)
    once = f" and not isinstance({target.spelling}, {names.wrapper})" if _may_be_wrapped(job, target) else ""
    condition = f"if {names.dist}.is_initialized(){once}:\n    "
    operation = Operation.at(OperationKind.AFTER, anchor, condition + text)
    yield done(CODE, "wrapped", target.assignments[0], operation, model=target.spelling)
    if not is_moved:
        yield reported_only(CODE, "unmoved", target.assignments[0], Severity.ERROR, model=target.spelling)
    for place in _replaced(job, target):
        if place.node.start_byte > anchor.end_byte:
            yield reported_only(CODE, "frozen", place, Severity.ERROR, model=target.spelling)


def _wrapping(job: Job, target: Target, anchor: Node, *, is_ready: bool, is_moved: bool) -> str:
    """The statement that wraps a model, which moves it first where only a later function would."""
    names, model = job.names(target.file), target.spelling
    current = names.npu("torch_npu.npu.current_device") if is_moved else ""
    options = f", device_ids=[{current}()]" if is_moved else ""
    inner = model if is_ready or not is_moved else f"{model}.to({current}())"
    is_changing = _changes_later(job, target, anchor)
    if not is_changing and leaves_out(job, target):
        options += ", find_unused_parameters=True"
    value = f"{names.wrap_changing_model if is_changing else names.wrapper}({inner}{options})"
    if target.owner is not None and is_module(job.program, target.owner):
        value = f"{names.keep_checkpoint_names}({value})"
    return f"{model} = {value}\n"


def _changes_later(job: Job, target: Target, anchor: Node) -> bool:
    """Whether the wrapper must know parameters that are frozen when it is made, or are while it works.

    A model that is frozen or thawed as a whole, as in the steps of a GAN, needs no wrapper in the meantime.
    """
    found = freezings(job, target)
    early = [item for item in found if item.is_here and item.place.node.end_byte <= anchor.end_byte]
    later = [item for item in found if item not in early]
    is_off = bool(early) and max(early, key=lambda item: item.place.node.start_byte).is_whole
    if is_off and _replaced(job, target):
        is_off = False
    return is_off or (bool(later) and (bool(early) or not all(item.is_whole for item in later)))


def _replaced(job: Job, target: Target) -> list[Place]:
    """The assignments in the scope of a model that give it another part: ``model.fc = nn.Linear(8, 2)``."""
    return [
        Place(target.file, assignment)
        for assignment in job.program.nodes(target.file, "assignment")
        if (left := field(assignment, "left")) is not None
        and (right := field(assignment, "right")) is not None
        and scope_holds(target.scope, assignment)
        and text_of(left).startswith((f"{target.spelling}.", f"{target.spelling}["))
        and job.context(target.file).kind(right) is Kind.MODULE
    ]


def _may_be_wrapped(job: Job, target: Target) -> bool:
    """Whether a function that is called several times may be given the model that it wrapped before."""
    function = function_around(target.assignments[0])
    if function is None or len(job.program.calls_of(function)) == 1:
        return False
    parameters = set(parameter_names(function.node))
    values = (_value_of(place) for place in target.assignments)
    return any(root_name(value) in parameters for value in values if value is not None)


def _value_of(place: Place) -> Node | None:
    assignment = parent_of(place.node)
    return field(assignment, "right")


def root_name(node: Node) -> str:
    """The variable that an expression begins with: ``model`` for ``model.to(device)``."""
    while node.type in ("call", "attribute", "subscript"):
        inner = field(node, {"call": "function", "attribute": "object"}.get(node.type, "value"))
        if inner is None:
            break
        node = inner
    return text_of(node) if node.type == "identifier" else ""


def _statement(node: Node) -> Node:
    """The whole statement around a node, compound ones only when the node is in their head."""
    current = node
    for parent in ancestors(node):
        if parent.type in _BLOCKS:
            return current
        current = parent
    return current


def _set_up(job: Job, target: Target) -> Iterator[Node]:
    """Statements of the same scope that move the model, or initialize it, as apex does."""
    for node in job.program.nodes(target.file, "call"):
        if not scope_holds(target.scope, node):
            continue
        function = field(node, "function")
        name = callee_name(Place(target.file, node)).rpartition(".")[2]
        if name == "initialize" and _passes(node, target):
            yield _statement(node)
        elif function is not None and function.type == "attribute":
            receiver, method = field(function, "object"), field(function, "attribute")
            if receiver is None or method is None or text_of(receiver) != target.spelling:
                continue
            if text_of(method) in MOVES or text_of(method) in ("apply", "half"):
                yield _statement(node)


def _passes(call: Node, target: Target) -> bool:
    return any(text_of(item.value) == target.spelling for item in arguments_of(call).items)


def _is_move(statement: Node) -> bool:
    return any(f".{move}(" in text_of(statement) for move in MOVES)


def _first_training(job: Job, target: Target, loops: list[TrainingLoop]) -> int | None:
    """Where training begins in the scope that makes the model."""
    starts: list[int] = []
    pending = [(loop.loop, 0) for loop in loops]
    for place, depth in pending:
        if place.file is target.file and scope_holds(target.scope, place.node):
            outermost = place.node
            for parent in ancestors(place.node):
                if parent == target.scope:
                    break
                outermost = parent if parent.type in ("for_statement", "while_statement") else outermost
            inside = any(encloses(outermost, item.node) for item in target.assignments)
            starts.append(_statement(place.node).start_byte if inside else _statement(outermost).start_byte)
        function = function_around(place)
        if function is not None and depth < PROGRAM_WALK_LIMITS.callers:
            pending += [(call, depth + 1) for call in job.program.calls_of(function)]
    return min(starts, default=None)


def _common_block(nodes: list[Node]) -> Node:
    """The innermost block that holds all nodes."""
    for parent in ancestors(nodes[0]):
        if parent.type in _BLOCKS and all(encloses(parent, node) for node in nodes):
            return parent
    raise ValueError("nodes of different files")


def _other_models(job: Job, targets: list[Target]) -> Iterator[Change]:
    """What else an optimizer trains, and what is no part of a model that was named."""
    seen: set[str] = set()
    for call in filter(_is_given_parameters, job.program.places("call")):
        for node, receiver in _parameters_in(job, call):
            one = Place(call.file, receiver)
            several = _in_turn(job, one)
            if several:
                yield from _one_after_the_other(job, Place(call.file, node), several, targets)
                continue
            if text_of(receiver) in seen or _belongs(job, one, targets) or not makers(job, one):
                continue
            seen.add(text_of(receiver))
            yield _trained_too(one, targets)
        for tensor in trained_tensors(job, call):
            if tensor.text not in seen and not _belongs(job, tensor, targets):
                seen.add(tensor.text)
                yield reported_only(CODE, "tensor", tensor, Severity.ERROR, text=tensor.text)


def _parameters_in(job: Job, call: Place) -> Iterator[tuple[Node, Node]]:
    """Where a call asks for parameters, and of what: ``model`` in ``SGD(model.parameters())``."""
    for node in job.program.nodes(call.file, "attribute"):
        receiver, name = field(node, "object"), text_of(field(node, "attribute"))
        is_asked = name.endswith("parameters") and encloses(call.node, node)
        if is_asked and receiver is not None and receiver.type in ("identifier", "attribute"):
            yield node, receiver


def _one_after_the_other(
    job: Job, parameters: Place, models: list[Place], targets: list[Target]
) -> Iterator[Change]:
    """``[SGD(net.parameters()) for net in nets]``: an optimizer for each model of a list."""
    for model in models:
        if _belongs(job, model, targets):
            continue
        if model.node.type in ("identifier", "attribute") and makers(job, model):
            yield _trained_too(model, targets)
        elif model.node.type == "call":
            yield reported_only(CODE, "tensor", parameters, Severity.ERROR, text=f"{parameters.text}()")


def _is_given_parameters(call: Place) -> bool:
    """Whether a call makes an optimizer, or gives one more to train."""
    name = callee_name(call)
    is_optimizer = name.startswith("torch.optim.") and "lr_scheduler" not in name
    return is_optimizer or last_name(call.node) == "add_param_group"


def _trained_too(model: Place, targets: list[Target]) -> Change:
    names = [target.name for target in targets]
    key = "namesake" if model.text in names else "other"  # two variables of one name cannot both be named
    named = ",".join([*names, f"{model.text}_2" if model.text in names else model.text])
    return reported_only(CODE, key, model, Severity.ERROR, model=model.text, targets=named)


def _belongs(job: Job, expression: Place, targets: list[Target]) -> bool:
    """Whether an expression is one of the models, or a part of one; ``model.cuda()`` gives the model, too."""
    node: Node | None = expression.node
    while node is not None and node.type in ("identifier", "attribute", "call"):
        if any(is_of_target(job, Place(expression.file, node), target) for target in targets):
            return True
        node = field(node, "object") if node.type == "attribute" else _wrapped_in(node)
    return False


def _wrapped_in(node: Node) -> Node | None:
    """The model that a wrapper of a library is made of."""
    first = arguments_of(node).at(0) if node.type == "call" and last_name(node) in _WRAPPERS else None
    return first.value if first is not None else None
