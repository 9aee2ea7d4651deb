"""What ``verify`` says of a run to people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ...project.paths import shown
from ...texts.catalogue import Texts
from ..result.coverage import ranges
from ..result.model import Failure, OperatorUse, Place, Refusal, RuleAt, VerifyResult
from ..running.supervise import Ending
from ..traces.showing import difference_lines

Style = Callable[..., str]
"""Puts a text into styles such as ``red`` and ``bold``, where lines have any."""
_MOST = 10
"""Entries of a list that are shown; the document for programs has all."""


def plain(text: str, *_: str) -> str:
    """The style of lines that have none."""
    return text


def verify_lines(result: VerifyResult, texts: Texts, style: Style = plain) -> Iterator[str]:
    """The whole report."""
    if result.failure is not None:
        yield from _failure(result.failure, texts, style)
    yield from _stacks(result, texts)
    yield from _training(result, texts)
    yield from comparison_lines(result, texts)
    yield from _coverage(result, texts)
    yield from _operators(result.unregistered, texts)
    yield from _refusals(result.refusals, texts)
    yield from made_up_lines(result, texts)
    yield device_text(result, texts)
    yield texts("verify.expect")
    yield from (f"  - {texts.of(message)}" for message in result.differences)
    yield style(verdict_text(result, texts), verdict_colour(result), "bold")


def _failure(failure: Failure, texts: Texts, style: Style) -> Iterator[str]:
    place = where(failure.place)
    head = style(f"{place}: " if place else "", "bold")
    yield f"{head}{style(failure.type, 'red', 'bold')}: {first_lines(failure.text)}"
    yield from (
        "    " + texts("verify.called", place=where(at), function=at.function)
        for at in failure.traceback[:-1]
    )
    yield from (f"    {line}" for line in explanation_lines(failure, texts))


def explanation_lines(failure: Failure, texts: Texts) -> Iterator[str]:
    """Why it failed, what to do, and the rules that say so; a quick fix is indented below its rule."""
    if failure.fault is not None:
        yield texts("verify.fault", text=texts(f"verify.fault.{failure.fault.value}"))
    if failure.because is not None:
        yield texts.of(failure.because)
    if failure.cause is not None:
        yield texts("verify.why", text=texts.of(failure.cause))
    if failure.remedy is not None:
        yield texts("verify.do", text=texts.of(failure.remedy))
    yield from _rule_lines(failure.rules, texts)
    others = [code for code in failure.named_rules if code not in {rule.code for rule in failure.rules}]
    if others:
        yield texts("verify.see-rules", rules=", ".join(others))


def _rule_lines(rules: Sequence[RuleAt], texts: Texts) -> Iterator[str]:
    for rule in rules:
        text = texts("verify.rule", code=rule.code, text=texts.of(rule.message))
        yield at_place(rule.place, text)
        if rule.fix is not None:
            yield "  " + texts("verify.fix", text=texts.of(rule.fix))


def _stacks(result: VerifyResult, texts: Texts) -> Iterator[str]:
    if result.ending is not Ending.TIMEOUT:
        return
    for rank in result.ranks:
        yield texts("verify.stacks", rank=rank.rank)
        yield from (f"    {line}" for line in rank.stacks.splitlines())


def _training(result: VerifyResult, texts: Texts) -> Iterator[str]:
    for rank in result.ranks:
        losses = losses_text(rank.losses, texts)
        yield texts("verify.rank", rank=rank.rank, steps=rank.steps, losses=losses)
    if result.has_no_optimizer:
        yield texts("verify.no-optimizer", count=max(len(rank.losses) for rank in result.ranks))
    if result.steps_on_cpu:
        yield texts("verify.on-cpu", count=result.steps_on_cpu)
    yield from (f"    {line}" for line in _rule_lines(result.left_on_cpu, texts))
    if result.seconds_per_step is not None:
        yield texts("verify.time", seconds=f"{result.seconds_per_step:.3g}")


def losses_text(losses: Sequence[float], texts: Texts) -> str:
    """The first losses, with as few digits as distinguish them."""
    return ", ".join(f"{loss:.6g}" for loss in losses[:_MOST]) or texts("verify.no-loss")


def comparison_lines(result: VerifyResult, texts: Texts) -> Iterator[str]:
    """How the losses are beside those of the original; nothing where they were not compared."""
    comparison = result.comparison
    if comparison is None:
        return
    if comparison.failure is not None:
        place = where(comparison.failure.place)
        said = f"{comparison.failure.type}: {first_lines(comparison.failure.text)}"
        yield texts("verify.original-failed", place=place, text=said)
    elif comparison.first_difference is not None:
        at = comparison.first_difference
        one, other = comparison.original[at], comparison.migrated[at]
        yield texts("verify.differs", number=at + 1, original=f"{one:.6g}", migrated=f"{other:.6g}")
        if comparison.tensors is not None:
            yield from difference_lines(comparison.tensors, texts)
    elif comparison.is_same:
        count = min(len(comparison.original), len(comparison.migrated))
        yield texts("verify.same", count=count)
    else:
        yield texts("verify.nothing-to-compare")


def _coverage(result: VerifyResult, texts: Texts) -> Iterator[str]:
    counts = result.coverage_counts
    share = round(100 * counts["ran"] / counts["lines"]) if counts["lines"] else 0
    yield texts("verify.coverage", share=share, **counts)
    for file in result.coverage:
        if file.missed:
            yield "  " + texts("verify.missed", path=shown(file.path), lines=ranges(file.missed))
    if result.not_loaded:
        names = ", ".join(shown(path) for path in result.not_loaded[:_MOST])
        more = len(result.not_loaded) - _MOST
        yield "  " + texts("verify.not-loaded", paths=names + (f", … (+{more})" if more > 0 else ""))


def _operators(uses: Sequence[OperatorUse], texts: Texts) -> Iterator[str]:
    if uses:
        yield texts("verify.unregistered", count=len(uses))
    for use in uses[:_MOST]:
        yield "  " + texts("verify.operator", place=where(use.place), name=use.name, count=use.count)


def _refusals(refusals: Sequence[Refusal], texts: Texts) -> Iterator[str]:
    yield from (at_place(item.place, refusal_text(item, texts)) for item in refusals[:_MOST])


def refusal_text(item: Refusal, texts: Texts) -> str:
    """What the real device does not take."""
    key = (
        f"verify.refused-{item.kind}"
        if item.kind in ("dtype", "mixed", "unsupported", "compiled")
        else "verify.refused"
    )
    return texts(key, name=item.operator, detail=item.detail, count=item.count)


def made_up_lines(result: VerifyResult, texts: Texts) -> Iterator[str]:
    """That data was made up, and which; nothing where it was real."""
    if result.made_up:
        yield texts("verify.made-up", data=", ".join(map(shown, result.made_up)))


def device_text(result: VerifyResult, texts: Texts) -> str:
    """What replaced the NPU, and why."""
    if result.torch_npu is not None:
        return texts("verify.device.emulated", version=result.torch_npu)
    why = texts.of(result.device_reason) if result.device_reason is not None else ""
    return texts("verify.device.python", why=why).strip()


def verdict_colour(result: VerifyResult) -> str:
    """``green``, ``yellow`` for a run that passed and proves less than it seems to, or ``red``."""
    if result.is_passed:
        return "yellow" if result.is_on_cpu or result.made_up else "green"
    return "red"


def verdict_text(result: VerifyResult, texts: Texts) -> str:
    """Whether the run passed, and what it did."""
    return texts(
        _verdict_id(result),
        done=result.steps,
        asked=result.asked_steps,
        ranks=result.asked_ranks,
        version=result.torch_npu or result.version,
        torch=result.torch,
    )


def _verdict_id(result: VerifyResult) -> str:
    if result.is_passed:
        if result.is_on_cpu:
            return "verify.passed-on-cpu"
        return "verify.passed-emulated" if result.torch_npu is not None else "verify.passed"
    if result.comparison is not None and result.comparison.first_difference is None:
        return "verify.failed-compare"
    if result.has_just_ended:
        return "verify.failed-ended"
    return f"verify.failed-{result.ending.value}"


def at_place(place: Place | None, text: str) -> str:
    """A text behind the line that it is about, if there is one."""
    return f"{where(place)}: {text}" if place is not None else text


def where(place: Place | None) -> str:
    """``file.py:LINE``; empty for no line of the project."""
    return f"{shown(place.path)}:{place.line}" if place is not None else ""


def first_lines(text: str) -> str:
    """The beginning of an error's text."""
    lines = [line for line in text.splitlines() if line.strip()]
    return " ".join(lines[:3])[:600]
