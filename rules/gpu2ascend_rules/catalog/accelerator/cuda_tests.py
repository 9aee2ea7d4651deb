"""What becomes of a test for CUDA in code for any accelerator: it changes only with all that it decides over.

A test that opens code which stays CUDA's must stay, or every other accelerator would run into that code. A
test before those for other devices must leave these their arms.
"""

from __future__ import annotations

import enum
import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ...engine.context import Context
from ...engine.rule import replace
from ...facts.releases.neutral import CUDA, neutral_name
from ...flow import Role
from ...flow.guards.code_searches import CodePattern, Span, has_in_code
from ...flow.guards.conditions.opened import CLAUSES, later_arms, opened, operands_behind, other_operands
from ...flow.guards.conditions.whole import whole_test
from ...flow.subjects.commands import command_role
from ...limits.parents import parent_of
from ...limits.walks import FORWARD_LIMITS
from ...model.finding import Edit
from ...text.scopes import Binding
from ...text.source_file import SourceFile
from ...text.syntax import (
    ancestors,
    arguments_of,
    call_of,
    chain_from_root,
    field,
    is_field,
    leaves_block,
    parts_of,
    same,
    text_of,
)
from ...text.uses import uses_of_variable

_OTHER_DEVICES = r"(?:xpu|mps|hpu|npu|musa|mlu|ipu|xla|tpu|privateuseone)"
_OTHERS = re.compile(rf"(?<![A-Za-z0-9]){_OTHER_DEVICES}(?![A-Za-z0-9])")
_CPU = re.compile(r"(?<!!= )(['\"])cpu\1")
_ONLY_NAMES = re.compile(
    rf"(?:return|[\w.]+\s*(?::[^=\n]*)?=)?\s*(?:torch\.device\()?(['\"]){_OTHER_DEVICES}(?::0)?\1\)?;?"
)
"""An arm that does nothing but to name its device."""
_MOVES = CodePattern(
    re.compile(rb"""\.cuda\(|["']cuda(?:["'](?!\s*(?:\]|:|in\b|not\b))|:)|\btorch\.cuda\.set_device"""),
    (b"cuda",),
)
"""What puts something on the device. A key of a dictionary that is called so does not."""
_GPU = re.compile(r"""(['"])(?:gpu|cuda)\1""")
MONITOR = "nvidia-smi"
_TENSOR_TYPES = (b"'torch.cuda.", b'"torch.cuda.')
"""How the texts begin that are tensor types of CUDA: no other device has them."""
_NO_CUDA = re.compile(
    r"[\w.()]+ != .cuda.$|.cuda. not in [\w.()]+$|not [\w.]+(is_cuda|cuda\.is_available..)$"
)
"""A condition that holds wherever there is no CUDA."""


class Becomes(enum.Enum):
    """What becomes of a test."""

    ANY = "any"
    """A test for any accelerator, or for another device than the CPU."""
    CURRENT = "current"
    """A comparison with the type of the current accelerator, because others are compared beside it."""
    CUDA = "cuda"
    """It stays: what it opens works with CUDA only."""
    DIVIDED = "divided"
    """It stays, although it also decides where tensors go: a person must make two tests of it."""
    ARMS = "arms"
    """It stays: another arm is for another device, and would not be reached any more."""


def becomes(test: Node, ctx: Context) -> Becomes:
    """What becomes of a test for CUDA: a comparison, ``x.is_cuda``, or ``torch.cuda.is_available``."""
    return ctx.once(("neutral test", test.id), lambda: _becomes(test, ctx))


def compared(test: Node, value: str, operator: str, ctx: Context) -> list[Edit]:
    """The edits after which a value is compared with the type of the machine's accelerator.

    Without an accelerator there is no type, and nothing is equal to it.

    Args:
        test: The comparison as it is.
        value: What is compared: the type or the text of a device.
        operator: ``==``, ``!=``, ``in`` or ``not in``.
    """
    accelerator = ctx.spell("torch.accelerator")
    kind = f"{accelerator}.current_accelerator().type"
    asked = f"{kind} in {value}" if operator in ("in", "not in") else f"{value} == {kind}"
    text = f"({accelerator}.is_available() and {asked})"
    return [replace(test, f"(not {text})" if operator in ("!=", "not in") else text)]


def is_behind_test(place: Node, ctx: Context) -> bool:
    """Whether a place runs only where a test for CUDA holds."""
    child = place
    for parent in ancestors(place):
        if parent.type in ("function_definition", "lambda"):
            return False
        condition = _condition_before(child, parent)
        if condition is not None and _holds_for_cuda(condition, ctx):
            return True
        if parent.type == "block" and any(_leaves_without_cuda(item, child) for item in parent.children):
            return True
        child = parent
    return False


def _condition_before(child: Node, parent: Node) -> Node | None:
    """The condition that must hold for a part of a statement or expression to run."""
    if parent.type == "conditional_expression":
        parts = parts_of(parent)
        return parts[1] if len(parts) == 3 and same(parts[0], child) else None
    if parent.type == "boolean_operator" and is_field(child, "right"):
        is_and = text_of(field(parent, "operator") or parent) == "and"
        return field(parent, "left") if is_and else None
    return field(parent, "condition") if is_field(child, "consequence") else None


def _leaves_without_cuda(statement: Node, place: Node) -> bool:
    """Whether a statement before a place leaves the block where there is no CUDA:
    ``if device.type != 'cuda': return``."""
    condition, clauses = field(statement, "condition"), {item.type for item in statement.children}
    if condition is None or statement.end_byte > place.start_byte or not clauses.isdisjoint(CLAUSES):
        return False
    return leaves_block(field(statement, "consequence")) and bool(_NO_CUDA.match(text_of(condition)))


def _holds_for_cuda(condition: Node, ctx: Context) -> bool:
    text = text_of(condition)
    if " or " in text or text.startswith("not "):
        return False
    return "cuda" in text or any("cuda" in text_of(origin) for origin in ctx.origins(condition))


class _Asked(NamedTuple):
    """A place that asks for CUDA: a test, or the use of a variable that keeps its answer."""

    test: Node
    whole: Node
    """The condition that it is part of."""
    negated: bool
    opened: tuple[Span, ...]
    """What runs where the device is a CUDA device."""


def _becomes(test: Node, ctx: Context) -> Becomes:
    if _is_of_trainer(test):
        return Becomes.DIVIDED
    asked = list(_places(test, ctx, follow=True))
    opened = [span for place in asked for span in place.opened]
    decides = any(has_in_code(ctx.source, _MOVES, span) for span in opened)
    if any(_opens_cuda(place, ctx) for place in asked):
        return Becomes.DIVIDED if decides else Becomes.CUDA
    # Where the first arm chooses the device, it chooses that of an arm which only names another one as well.
    chooses = decides and text_of(test).endswith("is_available")
    arms = (arm for place in asked if not place.negated for arm in later_arms(place.whole))
    if any(_needs_its_arm(arm, may_name=chooses) for arm in arms):
        return Becomes.ARMS
    return Becomes.CURRENT if any(map(_is_beside_another, asked)) else Becomes.ANY


def _is_beside_another(place: _Asked) -> bool:
    """Whether another operand of the condition is about another device, or asks the same one for the CPU: of
    what is the CPU or any other device, nothing is left."""
    others = [text_of(item) for item in other_operands(place.test, place.whole)]
    names = (text_of(item) for item in place.test.named_children if item.type != "string")
    subject = "|".join(re.escape(name.removesuffix(".type")) for name in names)
    same = re.compile(rf"(?<![\w.])(?:{subject})(?!\w)")
    return any(_OTHERS.search(text) or (_CPU.search(text) and same.search(text)) for text in others)


def _is_of_trainer(test: Node) -> bool:
    """Whether a test stands in a call that is given Lightning's ``accelerator='gpu'``: CUDA, and what goes
    with it."""
    calls = (node for node in ancestors(test) if node.type == "call")
    given = (arguments_of(call).keyword("accelerator") for call in calls)
    return any(item is not None and _GPU.search(text_of(item.value)) for item in given)


def _places(test: Node, ctx: Context, *, follow: bool) -> Iterator[_Asked]:
    whole, negated = whole_test(test, ctx)
    yield _Asked(test, whole, negated, (*operands_behind(test, whole), *opened(whole, negated=negated)))
    parent = parent_of(whole)
    target = field(parent, "left") if parent is not None and parent.type == "assignment" else None
    if not follow or negated or target is None or target.type != "identifier":
        return
    for count, use in enumerate(uses_of_variable(target, ctx.source)):
        if count > FORWARD_LIMITS.uses:
            return
        yield from _places(use, ctx, follow=False)


def _needs_its_arm(arm: Node, *, may_name: bool) -> bool:
    """Whether an arm is for another device.

    Args:
        may_name: One that does nothing but to name the device does not count.
    """
    if arm.type == "conditional_expression":
        value, condition, *rest = parts_of(arm)  # no other arm yet, while it is being written
        is_other = _OTHERS.search(text_of(condition)) is not None
        is_left_out = is_other and not (may_name and _is_name(text_of(value)))
        return is_left_out or any(_needs_its_arm(item, may_name=may_name) for item in rest)
    condition_of_arm = field(arm, "condition")
    body = field(arm, "consequence") or field(arm, "body")
    if condition_of_arm is None:  # else: what it tests is inside
        return body is not None and any(
            _needs_its_arm(item, may_name=may_name) for item in body.named_children
        )
    if _OTHERS.search(text_of(condition_of_arm)) is None:
        return False
    return body is None or not (may_name and _is_name(text_of(body)))


def _is_name(text: str) -> bool:
    return _ONLY_NAMES.fullmatch(text.strip()) is not None


# -- what stays CUDA's -----------------------------------------------------------------------------


def _opens_cuda(place: _Asked, ctx: Context) -> bool:
    """Whether what runs where the device is one of CUDA works with no other; of the rest of a block only what
    stands there itself."""
    return any(
        _stays_in(span, ctx) or (not place.negated and _runs_what_stays(span, ctx)) for span in place.opened
    )


def _stays_in(span: Span, ctx: Context) -> bool:
    """Whether a part of the file has a name below torch.cuda that keeps its place, or what goes with one."""
    places: list[int] = ctx.once("names that stay CUDA's", lambda: sorted(_that_stay(ctx)))
    return bisect_left(places, span.start) < bisect_left(places, span.end)


def _runs_what_stays(span: Span, ctx: Context) -> bool:
    """Whether a part of the file calls a function of the project that needs a name which stays CUDA's."""
    places: list[int] = ctx.once("calls that stay CUDA's", lambda: sorted(_calls_that_stay(ctx)))
    return bisect_left(places, span.start) < bisect_left(places, span.end)


def _calls_that_stay(ctx: Context) -> Iterator[int]:
    names = _functions_that_stay(ctx)
    for binding in ctx.source.names.imports:
        names |= _imported_that_stay(binding, ctx)
    for use in (use for name in names for use in ctx.source.identifiers(name)):
        called = parent_of(use) if is_field(use, "attribute") else use
        if called is not None and call_of(called) is not None:
            yield use.start_byte


def _functions_that_stay(ctx: Context) -> set[str]:
    """The functions of a file that use a name below torch.cuda which stays, behind no test of their own."""
    needing = (
        use
        for use, name in _uses_of_cuda(ctx)
        if not _changes(name, chain_from_root(use).node, ctx) and not is_behind_test(use, ctx)
    )
    functions = {ctx.source.enclosing(use, "function_definition") for use in needing}
    return {text_of(field(item, "name") or item) for item in functions if item is not None}


def _imported_that_stay(binding: Binding, ctx: Context) -> set[str]:
    """Those that an import brings from another file of the project, by their names here."""
    module, _, name = binding.target.rpartition(".")
    for asked in (binding.target, module):
        path, text = (ctx.project.find_module(ctx.source.path, asked) if asked else None) or ("", "")
        if "torch.cuda." in text:
            with Context(SourceFile(text, path), ctx.options, ctx.project) as other:
                found = _functions_that_stay(other)
            return found if asked == binding.target else {binding.name} if name in found else set()
    return set()


def _uses_of_cuda(ctx: Context) -> Iterator[tuple[Node, str]]:
    """The names below torch.cuda that the file uses: where each begins, and what it stands for."""
    names = ctx.source.names
    roots = [binding.name for binding in names.imports if binding.target.partition(".")[0] == "torch"]
    for root in dict.fromkeys(roots):
        for use in names.references(root):
            name = names.name_of(chain_from_root(use).node)
            if name.startswith(f"{CUDA}."):
                yield use, name


def _that_stay(ctx: Context) -> Iterator[int]:
    yield from _runs_of_monitor(ctx)
    for word in _TENSOR_TYPES:
        yield from ctx.source.find_all(word)
    for use, name in _uses_of_cuda(ctx):
        if not _changes(name, chain_from_root(use).node, ctx):
            yield use.start_byte


def _runs_of_monitor(ctx: Context) -> Iterator[int]:
    """Where the file runs nvidia-smi, and calls its functions that do."""
    for offset in ctx.source.find_all(MONITOR.encode()):
        node = ctx.source.node_at(offset, offset + 1)
        string = ctx.source.enclosing(node, "string", "comment") if node is not None else None
        if string is None or string.type == "comment" or command_role(string, ctx) is Role.SHOWN:
            continue
        yield offset
        function = ctx.source.enclosing(string, "function_definition")
        name = field(function, "name")
        if function is not None and name is not None:
            readers = ctx.source.names.readers(text_of(name), ctx.source.names.scope_of(function))
            yield from (use.start_byte for use in readers)


def _changes(name: str, node: Node, ctx: Context) -> bool:
    """Whether a name below torch.cuda is replaced by itself, by the table of neutral names."""
    found = neutral_name(name)
    if found is None or found.since is None or found.since > ctx.version:
        return False
    call = call_of(node)
    if found.form in ("similar", "none"):
        return False
    if found.form == "module":
        return found.cuda.endswith("name")
    if found.form == "keywords":
        given = arguments_of(call) if call is not None else None
        return given is not None and not given.positional and not given.unpacked
    return call is not None or found.form not in ("guarded", "index")
