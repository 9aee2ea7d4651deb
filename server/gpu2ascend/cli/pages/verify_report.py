"""What ``verify`` says of a run to people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...project.paths import shown
from ...texts.catalogue import Texts
from ...verify.result.coverage import ranges
from ...verify.result.model import Failure, OperatorUse, Place, Refusal, VerifyResult
from ...verify.running.supervise import Ending
from ..output.terminal import Terminal

_MOST = 10
"""Entries of a list that are shown; the document for programs has all."""


def verify_lines(result: VerifyResult, texts: Texts, out: Terminal) -> Iterator[str]:
    """The whole report."""
    if result.failure is not None:
        yield from _failure(result.failure, texts, out)
    yield from _stacks(result, texts)
    yield from _training(result, texts)
    yield from _comparison(result, texts)
    yield from _coverage(result, texts)
    yield from _operators(result.unregistered, texts)
    yield from _refusals(result.refusals, texts)
    yield texts("verify.expect")
    yield from (f"  - {texts.of(message)}" for message in result.differences)
    yield _verdict(result, texts, out)


def _failure(failure: Failure, texts: Texts, out: Terminal) -> Iterator[str]:
    where = _where(failure.place)
    head = out.style(f"{where}: " if where else "", "bold")
    yield f"{head}{out.style(failure.type, 'red', 'bold')}: {_first_lines(failure.text)}"
    yield from (
        "    " + texts("verify.called", place=_where(place), function=place.function)
        for place in failure.traceback[:-1]
    )
    if failure.cause is not None:
        yield "    " + texts("verify.why", text=texts.of(failure.cause))
    if failure.remedy is not None:
        yield "    " + texts("verify.do", text=texts.of(failure.remedy))
    for rule in failure.rules:
        yield "    " + texts("verify.rule", code=rule.code, text=texts.of(rule.message))
        if rule.fix is not None:
            yield "      " + texts("verify.fix", text=texts.of(rule.fix))
    others = [code for code in failure.named_rules if code not in {rule.code for rule in failure.rules}]
    if others:
        yield "    " + texts("verify.see-rules", rules=", ".join(others))


def _stacks(result: VerifyResult, texts: Texts) -> Iterator[str]:
    if result.ending is not Ending.TIMEOUT:
        return
    for rank in result.ranks:
        yield texts("verify.stacks", rank=rank.rank)
        yield from (f"    {line}" for line in rank.stacks.splitlines())


def _training(result: VerifyResult, texts: Texts) -> Iterator[str]:
    for rank in result.ranks:
        losses = ", ".join(f"{loss:.6g}" for loss in rank.losses[:_MOST]) or texts("verify.no-loss")
        yield texts("verify.rank", rank=rank.rank, steps=rank.steps, losses=losses)
    if result.seconds_per_step is not None:
        yield texts("verify.time", seconds=f"{result.seconds_per_step:.3g}")


def _comparison(result: VerifyResult, texts: Texts) -> Iterator[str]:
    comparison = result.comparison
    if comparison is None:
        return
    if comparison.failure is not None:
        where = _where(comparison.failure.place)
        said = f"{comparison.failure.type}: {_first_lines(comparison.failure.text)}"
        yield texts("verify.original-failed", place=where, text=said)
    elif comparison.first_difference is not None:
        at = comparison.first_difference
        one, other = comparison.original[at], comparison.migrated[at]
        yield texts("verify.differs", number=at + 1, original=f"{one:.6g}", migrated=f"{other:.6g}")
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
        yield "  " + texts("verify.operator", place=_where(use.place), name=use.name, count=use.count)


def _refusals(refusals: Sequence[Refusal], texts: Texts) -> Iterator[str]:
    for item in refusals[:_MOST]:
        key = f"verify.refused-{item.kind}" if item.kind in ("dtype", "mixed") else "verify.refused"
        yield texts(key, place=_where(item.place), name=item.operator, detail=item.detail, count=item.count)


def _verdict(result: VerifyResult, texts: Texts, out: Terminal) -> str:
    text = texts(
        _verdict_id(result),
        done=result.steps,
        asked=result.asked_steps,
        ranks=result.asked_ranks,
        version=result.version,
        torch=result.torch,
    )
    return out.style(text, "green" if result.is_passed else "red", "bold")


def _verdict_id(result: VerifyResult) -> str:
    if result.is_passed:
        return "verify.passed"
    if result.comparison is not None and result.comparison.first_difference is None:
        return "verify.failed-compare"
    return f"verify.failed-{result.ending.value}"


def _where(place: Place | None) -> str:
    return f"{shown(place.path)}:{place.line}" if place is not None else ""


def _first_lines(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return " ".join(lines[:3])[:600]
