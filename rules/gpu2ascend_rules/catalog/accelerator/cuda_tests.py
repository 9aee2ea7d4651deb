"""What becomes of a test for CUDA in code for any accelerator: it changes only with all that it decides over.

A test that opens code which stays CUDA's must stay, or every other accelerator would run into that code. A
test before those for other devices must leave these their arms.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ...engine.context import Context
from ...engine.rule import replace
from ...flow.guards.code_searches import CodePattern, Span, has_in_code
from ...flow.guards.conditions.opened import later_arms, opened, operands_behind, other_operands
from ...flow.guards.conditions.whole import whole_test
from ...flow.guards.cuda_guards import Guard, guard_of, reads_of_kept
from ...limits.parents import parent_of, parent_type
from ...limits.walks import FORWARD_LIMITS
from ...model.finding import Edit
from ...model.project.decisions import Place
from ...text.source_file import SourceFile
from ...text.syntax import ancestors, arguments_of, field, parts_of, target_of, text_of
from .staying import runs_what_stays, stays_in

_OTHER_DEVICES = r"(?:xpu|mps|hpu|npu|musa|mlu|ipu|xla|tpu|privateuseone)"
_OTHERS = re.compile(rf"(?<![A-Za-z0-9]){_OTHER_DEVICES}(?![A-Za-z0-9])")
_ONLY_NAMES = re.compile(
    rf"(?:return|[\w.]+\s*(?::[^=\n]*)?=)?\s*(?:torch\.device\()?(['\"]){_OTHER_DEVICES}(?::0)?\1\)?;?"
)
"""An arm that does nothing but to name its device."""
_MOVES = CodePattern(
    re.compile(
        rb"""\.cuda\(|["']cuda(?:["'](?!\s*(?:\]|:|in\b|not\b))|:)|\btorch\.cuda\.set_device"""
        rb"""|\bget_device\(\)|\bcurrent_accelerator\(\)|\bset_device_index\("""
    ),
    (b"cuda", b"get_device", b"current_accelerator", b"set_device_index"),
)
"""What puts something on the device, also once it is migrated. A key of a dictionary that is called so does
not."""
_GPU = re.compile(r"""(['"])(?:gpu|cuda)\1""")


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


def is_chosen_by_test(word: Node, ctx: Context) -> bool:
    """Whether a test that stays, before an arm for another device, makes the device of a word: one of an
    option's default in another file, too. Then the word is what chooses that arm, and not a device."""
    decision = ctx.decision(word)
    places = decision.words if decision is not None else ()
    return any(_chooses(place, ctx) for place in places if place.path.endswith(".py"))


def _chooses(place: Place, ctx: Context) -> bool:
    if place.path == ctx.source.path:
        return any(_is_chooser(test, ctx) for test in _tests_in_line(place.line, ctx.source))
    text = ctx.project.text_at(place.path)
    if text is None:
        return False
    with Context(SourceFile(text, place.path), ctx.options, ctx.project) as other:
        return any(_is_chooser(test, other) for test in _tests_in_line(place.line, other.source))


def _tests_in_line(line: int, source: SourceFile) -> Iterator[Node]:
    """The words for CUDA that a line, counted from 1, compares with something."""
    for offset in source.find_all(b"cuda"):
        node = source.node_at(offset, offset + 1)
        word = source.enclosing(node, "string") if node is not None else None
        is_here = word is not None and word.start_point[0] + 1 == line
        if word is not None and is_here and parent_type(word) == "comparison_operator":
            yield word


def _is_chooser(test: Node, ctx: Context) -> bool:
    spans = (span for place in _places(test, ctx, follow=False) for span in place.opened)
    return becomes(test, ctx) is Becomes.ARMS and any(has_in_code(ctx.source, _MOVES, span) for span in spans)


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


class _Asked(NamedTuple):
    """A place that asks for CUDA: a test, or the use of a variable that keeps its answer."""

    test: Node
    whole: Node
    """The condition that it is part of."""
    negated: bool
    opened: tuple[Span, ...]
    """What runs where the device is a CUDA device."""


def _becomes(test: Node, ctx: Context) -> Becomes:
    if _is_of_two(test, ctx):
        return Becomes.DIVIDED
    asked = list(_places(test, ctx, follow=True))
    opened = [span for place in asked for span in place.opened]
    decides = any(has_in_code(ctx.source, _MOVES, span) for span in opened)
    if any(_opens_cuda(place, ctx) for place in asked):
        return Becomes.DIVIDED if decides else Becomes.CUDA
    # Where the first arm chooses the device, it chooses that of an arm which only names another one as well.
    chooses = decides and text_of(test).endswith("is_available")
    if _leaves_arms(asked, may_name=chooses):
        return Becomes.ARMS
    if not decides and _keeps_company(test, opened, ctx):
        return Becomes.CUDA
    return Becomes.CURRENT if any(map(_is_beside_another, asked)) else Becomes.ANY


def _leaves_arms(asked: list[_Asked], *, may_name: bool) -> bool:
    """Whether a later arm is for another device."""
    arms = (arm for place in asked if not place.negated for arm in later_arms(place.whole))
    return any(_needs_its_arm(arm, may_name=may_name) for arm in arms)


def _keeps_company(test: Node, opened: list[Span], ctx: Context) -> bool:
    """Whether a test opens nothing of CUDA's, and the same one in its function stays: a text that the first
    makes with a field, and the second fills in."""
    function = ctx.source.enclosing(test, "function_definition")
    if function is None or not text_of(test).endswith("is_available"):
        return False
    if any(b"cuda" in ctx.source.data[span.start : span.end] for span in opened):
        return False
    words = ctx.source.identifiers_in("is_available", function)
    others = (node for node in map(parent_of, words) if node is not None and text_of(node) == text_of(test))
    asked = (place for other in others if other.id != test.id for place in _places(other, ctx, follow=True))
    return any(_opens_cuda(place, ctx) for place in asked)


def _is_beside_another(place: _Asked) -> bool:
    """Whether the condition has other operands, or others are tested beside it: what is not the CPU is more
    than the machine's accelerator, and takes what was theirs."""
    if next(other_operands(place.test, place.whole), None) is not None:
        return True
    parent = parent_of(place.whole)
    if parent is None or parent.type == "elif_clause":
        return parent is not None
    if parent.type == "conditional_expression":
        return parent.type in (parent_type(parent), *(item.type for item in parts_of(parent)))
    return any(item.type == "elif_clause" for item in parent.children)


def _is_of_two(test: Node, ctx: Context) -> bool:
    """Whether a test decides over the device, and over a kernel or what goes with CUDA alone."""
    return _is_of_trainer(test) or guard_of(test, ctx) is Guard.BOTH


def _is_of_trainer(test: Node) -> bool:
    """Whether a test is in a call that is given Lightning's ``accelerator='gpu'``: CUDA, and what goes
    with it."""
    calls = (node for node in ancestors(test) if node.type == "call")
    given = (arguments_of(call).keyword("accelerator") for call in calls)
    return any(item is not None and _GPU.search(text_of(item.value)) for item in given)


def _places(test: Node, ctx: Context, *, follow: bool) -> Iterator[_Asked]:
    whole, negated = whole_test(test, ctx)
    yield _Asked(test, whole, negated, (*operands_behind(test, whole), *opened(whole, negated=negated)))
    target = target_of(whole)
    if not follow or negated or target is None:
        return
    for count, use in enumerate(reads_of_kept(target, ctx)):
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
    is there itself."""
    return any(
        stays_in(span, ctx) or (not place.negated and runs_what_stays(span, ctx)) for span in place.opened
    )
