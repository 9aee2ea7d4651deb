"""NPU427: figures that a process adds up over its share of the data become those of all data.

``total / len(loader)`` is a mean of the share: the mean over the processes is that of all data.
``correct / len(dataset)`` is a sum over the share, divided by the size of all data: the sum over the
processes belongs there. A sum that a function returns is followed to who divides it. What is looked at
otherwise is reported at its place.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ....flow.names.parameters import functions_in
from ....limits.parents import parent_of
from ....limits.walks import PROGRAM_WALK_LIMITS
from ....model.finding import Severity
from ....text.syntax import (
    COMPREHENSION_TYPES,
    LOOPS,
    ancestors,
    arguments_of,
    called_on,
    enclosing,
    field,
    last_name,
    text_of,
    without_parentheses,
)
from ...change import Change, done, first_line, reported_only
from ...operations import Operation, OperationKind
from ...program import Place, callee_name, function_around
from ..data.loops import passes_over
from ..data.picking import one_of_a_loop, one_of_several
from ..data.roles import TrainingLoop
from ..job import Job
from ..places import below, is_simple, statement_around
from .looked_at import Becomes, Figure, Share, is_report, is_stored
from .sums import Kept, kept_by, kept_by_methods

CODE = "NPU427"
_NORMS = ("torch.nn.BatchNorm1d", "torch.nn.BatchNorm2d", "torch.nn.BatchNorm3d")
_LATER = COMPREHENSION_TYPES | {"lambda", "boolean_operator", "conditional_expression"}
"""Where not every process need come by."""
_LOOKED_AT = {"if_statement": "condition", "for_statement": "right"}
"""The part of a compound statement that is an expression."""
_SIMPLE = frozenset({"expression_statement", "return_statement", *_LOOKED_AT})
_GROUPS = frozenset({"expression_list", "tuple"})
_PATTERNS = ("pattern_list", "tuple_pattern")


def reduce_figures(job: Job, loops: list[TrainingLoop], shared: set[tuple[str, int]]) -> Iterator[Change]:
    """The changes of what is made of a share of the data, where it is looked at."""
    seen: set[tuple[str, int]] = set()
    places: set[tuple[str, int]] = set()
    for loop in (*loops, *passes_over(shared, job.program, job.origins)):
        if loop.loop.key in seen or not any(place.key in shared for place in loop.loaders):
            continue
        seen.add(loop.loop.key)
        share = Share(job, loop, kept_by(job, loop.loop), _condition(job, loop, shared))
        for change in _of_share(job, share):
            if change.place.key not in places:
                places.add(change.place.key)
                yield change
    yield from _normalized(job)


def _of_share(job: Job, share: Share) -> Iterator[Change]:
    loop = share.loop.loop
    function = function_around(loop)
    scope = Place(loop.file, function.node if function is not None else loop.file.root)
    if loop.node.type in COMPREHENSION_TYPES:
        yield from _of_comprehension(job, share, scope)
    else:
        yield from _in_scope(job, share, scope, loop.node)
    yield from _in_other_methods(job, share, scope)
    for method, kept in kept_by_methods(job, share.loop.loop):
        yield from _in_other_methods(job, share.passed_on(kept), method)


def _of_comprehension(job: Job, share: Share, scope: Place) -> Iterator[Change]:
    """What a comprehension gives: a figure in its own statement, or what that keeps in variables."""
    statement = Place(scope.file, statement_around(share.loop.loop.node))
    assignment = _inner(statement.node)
    left, right = field(assignment, "left"), field(assignment, "right")
    figures = share.figures_in(Place(scope.file, right), inside=False) if right is not None else ()
    if left is None or right is None or all(figure.becomes is not Becomes.UNKNOWN for figure in figures):
        yield from _in_statement(job, share, statement, inside=False)
        return
    kept = Kept.SUM if last_name(right) in ("sum", "fsum") else Kept.LIST
    targets = left.named_children if left.type in _PATTERNS else [left]
    share.kept.update((text_of(target), kept) for target in targets)
    yield from _in_scope(job, share, scope, statement.node)


def _in_scope(job: Job, share: Share, scope: Place, start: Node, depth: int = 0) -> Iterator[Change]:
    """The figures that a function looks at in a loop, or after it or after a call."""
    settled = _settled(share, scope.node, start.end_byte)
    for node in below(scope.node):
        if node.type not in _SIMPLE or node.start_byte < start.start_byte:
            continue
        inside = node.end_byte <= start.end_byte
        is_shown = is_report(node) or _shows_meters(share, _inner(node)) or _hands_on(job, share, scope, node)
        if (inside and not is_shown) or (not inside and node.start_byte < start.end_byte):
            continue
        done_with = set() if inside else {name for at, name in settled if at < node.start_byte}
        current = share.without(done_with)
        yield from _in_statement(job, current, Place(scope.file, node), inside=inside, depth=depth)


def _settled(share: Share, scope: Node, end: int) -> list[tuple[int, str]]:
    """Where, after the loop, a name gets another value: there it is no figure of the share any more."""
    found: list[tuple[int, str]] = []
    for node in below(scope):
        if node.start_byte < end:
            continue
        is_name = node.type in ("identifier", "attribute", "subscript")
        if is_name and text_of(node) in share.kept and is_stored(node):
            statement = enclosing(node, "assignment", "augmented_assignment", "for_statement")
            operator = field(statement, "operator")
            if text_of(operator) != "+=":
                found.append((statement_around(node).start_byte, text_of(node)))
        elif node.type == "call" and last_name(node) in ("reset", "clear"):
            receiver = called_on(node)
            if receiver is not None:
                found.append((node.start_byte, text_of(receiver)))
    return found


def _in_other_methods(job: Job, share: Share, scope: Place) -> Iterator[Change]:
    """``self.total`` is looked at by the other methods of its class, too."""
    kept = {name: item for name, item in share.kept.items() if name.startswith("self.")}
    owner = enclosing(scope.node, "class_definition")
    for function in functions_in(owner) if owner is not None and kept else ():
        for node in below(function) if function != scope.node else ():
            if node.type in _SIMPLE:
                yield from _in_statement(job, share.passed_on(kept), Place(scope.file, node), inside=False)


def _in_statement(job: Job, share: Share, place: Place, *, inside: bool, depth: int = 0) -> Iterator[Change]:
    """The changes of one statement, or of the condition of a branch."""
    node = place.node
    expression = field(node, _LOOKED_AT[node.type]) if node.type in _LOOKED_AT else _inner(node)
    if expression is None:
        return
    if expression.type == "augmented_assignment" and text_of(field(expression, "operator")) != "+=":
        yield from _updated(job, share, place, expression)
        return
    if expression.type in ("assignment", "augmented_assignment"):
        expression = field(expression, "right") or expression
    if _shows_meters(share, expression):
        yield _reported(Place(place.file, expression))
    is_for_effect = node.type == "expression_statement" and expression == _inner(node)
    if not (is_for_effect and _is_method_of_kept(share, expression)):
        yield from _of_figures(job, share, place, expression, inside=inside, depth=depth)


def _of_figures(
    job: Job, share: Share, place: Place, expression: Node, *, inside: bool, depth: int
) -> Iterator[Change]:
    """The changes of the figures in an expression of a statement."""
    node = place.node
    figures = share.figures_in(Place(place.file, expression), inside=inside)
    shown = [figure for figure in figures if not figure.is_of_batch or _is_shown(figure, node)]
    unknown = [figure for figure in shown if figure.becomes is Becomes.UNKNOWN]
    yield from (_replaced(job, share, place, figure) for figure in shown if figure not in unknown)
    if unknown and node.type == "return_statement":
        yield from _returned(job, share, place, unknown, depth)
    else:
        yield from (_reported(Place(place.file, figure.node)) for figure in unknown)


def _is_shown(figure: Figure, statement: Node) -> bool:
    is_returned = figure.becomes is Becomes.MEAN and statement.type == "return_statement"
    return is_returned or is_report(statement)


def _inner(statement: Node) -> Node | None:
    return statement.named_children[0] if statement.named_children else None


def _is_method_of_kept(share: Share, expression: Node) -> bool:
    """``losses.append(…)``, ``meter.reset()``."""
    return _receiver(expression) in share.kept


def _shows_meters(share: Share, expression: Node | None) -> bool:
    """``progress.display(i)``."""
    return share.kept.get(_receiver(expression)) is Kept.VIEW


def _hands_on(job: Job, share: Share, scope: Place, statement: Node) -> bool:
    """``self.log(total)``: a function of the program looks at a sum."""
    call = _inner(statement)
    if call is None or call.type != "call" or statement.type != "expression_statement":
        return False
    given = {text_of(item.value) for item in arguments_of(call).items}
    is_sum = any(share.kept.get(text) in (Kept.SUM, Kept.LIST) for text in given)
    return is_sum and job.program.callee(Place(scope.file, call)) is not None


def _receiver(expression: Node | None) -> str:
    """What a method is called of."""
    receiver = called_on(expression)
    return text_of(receiver)


def _returned(job: Job, share: Share, place: Place, unknown: list[Figure], depth: int) -> Iterator[Change]:
    """What a function returns undivided its callers look at; where not all keep it, it is reported."""
    function = function_around(place)
    calls = job.program.calls_of(function) if function is not None else []
    named = [(call, _names_in_caller(share, place.node, call)) for call in calls]
    followed = [(call, names) for call, names in named if names is not None]
    if not calls or len(followed) != len(named) or depth >= PROGRAM_WALK_LIMITS.callers:
        yield _reported(Place(place.file, unknown[0].node))
        return
    for call, names in followed:
        outer = function_around(call)
        scope = Place(call.file, outer.node if outer is not None else call.file.root)
        statement = statement_around(call.node)
        yield from _in_scope(job, share.passed_on(names), scope, statement, depth + 1)


def _names_in_caller(share: Share, returned: Node, call: Place) -> dict[str, Kept] | None:
    """What a caller calls the sums that it gets; None where it does not just keep them in variables."""
    pairs = _values_in_caller(returned, call)
    if pairs is None:
        return None
    found: dict[str, Kept] = {}
    for item, target in pairs:
        kept = share.kept.get(text_of(item))
        if kept is not None and kept not in (Kept.BATCH, Kept.PART):
            found[text_of(target)] = kept
        elif kept is None and _has_unknown(share, item):
            return None
    return found


def _has_unknown(share: Share, value: Node) -> bool:
    """Whether a value is computed of what a loop keeps, in a way that shows no mean and no sum."""
    if not any(text_of(part) in share.kept for part in below(value)):
        return False
    figures = share.figures_in(Place(share.loop.loop.file, value), inside=False)
    return any(figure.becomes is Becomes.UNKNOWN for figure in figures)


def _values_in_caller(returned: Node, call: Place) -> list[tuple[Node, Node]] | None:
    """What a statement returns, each value with what a caller assigns it to; None where it does otherwise."""
    value, parent = _inner(returned), parent_of(call.node)
    if value is None or parent is None:
        return None
    if parent.type == "expression_statement":
        return []
    left = field(parent, "left") if parent.type == "assignment" else None
    if left is None or field(parent, "right") != call.node:
        return None
    values = value.named_children if value.type in _GROUPS else [value]
    targets = left.named_children if left.type in _PATTERNS else [left]
    return list(zip(values, targets, strict=True)) if len(values) == len(targets) else None


def _condition(job: Job, loop: TrainingLoop, shared: set[tuple[str, int]]) -> str | None:
    """What tells a pass through a share from one through all data, where one loop does both."""
    picked = (one_of_several(loader.node) or one_of_a_loop(loader.node) for loader in loop.loaders)
    is_of_one_role = all(_is_made_once(job, loader) for loader in loop.loaders) or (
        loop.trains and not any(picked)
    )
    if is_of_one_role and all(origin.key in shared for origin in job.origins.of_batches(loop.batches)):
        return ""
    if not is_simple(loop.batches.node) or function_around(loop.batches) != function_around(loop.loop):
        return None
    sampler = job.names(loop.loop).sampler
    return f'isinstance(getattr({loop.batches.text}, "sampler", None), {sampler})'


def _is_made_once(job: Job, loader: Place) -> bool:
    """Whether a call makes a single loader; of several, only those for training are shared."""
    function = function_around(loader)
    if function is not None and len(job.program.calls_of(function)) > 1:
        return False
    return not any(
        parent.type in _LATER or parent.type in LOOPS
        for parent in ancestors(loader.node)
        if function is None or parent.start_byte > function.node.start_byte
    )


def _normalized(job: Job) -> Iterator[Change]:
    """Batch normalization takes its statistics from the share that a process has."""
    first = next((call for call in job.program.places("call") if callee_name(call) in _NORMS), None)
    if first is not None:
        yield reported_only(CODE, "batch_norm", first, Severity.INFORMATION, text=last_name(first.node))


def _updated(job: Job, share: Share, place: Place, assignment: Node) -> Iterator[Change]:
    """``total /= len(loader)``."""
    left, right, operator = (field(assignment, name) for name in ("left", "right", "operator"))
    if left is None or right is None or operator is None:
        return
    if text_of(operator) != "/=" or share.kept.get(text_of(left)) is not Kept.SUM:
        return
    becomes = share.divided_by(Place(place.file, right), inside=False)
    is_asked = becomes is Becomes.SUM and share.condition is None
    if not job.meeting.is_common(place) or is_asked:
        yield _reported(Place(place.file, assignment))
        return
    names, statement = job.names(place), place.node
    only = f"if {share.condition}:\n    " if share.asks(becomes) else ""
    if becomes is Becomes.MEAN:
        text = f"{only}{text_of(left)} = {names.mean_over_processes}({text_of(left)})\n"
        operation = Operation.at(OperationKind.AFTER, statement, text)
    else:
        text = f"{only}{text_of(left)} = {names.sum_over_processes}({text_of(left)})\n"
        operation = Operation.at(OperationKind.BEFORE, statement, text)
    yield done(CODE, "reduced", Place(place.file, assignment), operation, text=first_line(place.text))


def _replaced(job: Job, share: Share, place: Place, figure: Figure) -> Change:
    """The figure in its expression; before the statement, where one process alone may go through that."""
    node = figure.divided or figure.node
    found = Place(place.file, figure.node)
    is_sum = figure.becomes is Becomes.SUM
    if not job.meeting.is_common(found) or (is_sum and share.condition is None) or _is_late(node, place.node):
        return _reported(found)
    names, statement = job.names(place), place.node
    reduce = names.sum_over_processes if is_sum else names.mean_over_processes
    inner = without_parentheses(node)
    only = f" if {share.condition} else {{0}})" if share.asks(figure.becomes) else ""
    reduced = f"({reduce}({{0}}){only}" if only else f"{reduce}({{0}})"
    if statement.type == "return_statement" or _is_assigned(statement):
        text = reduced.format("$0")
        operations = [Operation.at(OperationKind.EXPRESSION, inner, text)]
    else:
        name = names.new("figure")
        text = f"{name} = {reduced.format(place.file.text_of(inner))}\n"
        operations = [
            Operation.at(OperationKind.BEFORE, statement, text),
            Operation.at(OperationKind.EXPRESSION, inner, name),
        ]
    return done(CODE, "reduced", found, *operations, text=first_line(place.file.text_of(node)))


def _is_late(node: Node, statement: Node) -> bool:
    """Whether an expression is reached by chance, or again and again, within its statement."""
    for parent in ancestors(node):
        if parent == statement:
            return False
        if parent.type in _LATER or parent.type == "elif_clause":
            return True
    return False


def _is_assigned(statement: Node) -> bool:
    first = _inner(statement)
    is_expression = statement.type == "expression_statement" and first is not None
    return is_expression and first is not None and first.type in ("assignment", "augmented_assignment")


def _reported(place: Place) -> Change:
    return reported_only(CODE, "share", place, Severity.WARNING, text=first_line(place.text))
