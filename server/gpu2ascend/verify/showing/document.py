"""The document of ``verify --json``; docs/verify.md describes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import __version__
from ...project.paths import shown
from ...texts.catalogue import Texts
from ...texts.escaping import json_text, numbered
from ..result.model import Comparison, Failure, Place, RuleAt, VerifyResult
from ..traces.showing import difference_document


def verify_json(result: VerifyResult, texts: Texts) -> str:
    """The result for programs; its texts in one language."""
    return json_text(numbered(verify_data(result, texts)))


def verify_data(result: VerifyResult, texts: Texts) -> dict[str, Any]:
    """The result as plain data."""
    failure, comparison = result.failure, result.comparison
    return {
        "gpu2ascend": __version__,
        "project": shown(result.project),
        "command": list(result.command),
        "version": result.version,
        "torch": result.torch,
        "python": result.python,
        "device": result.device,
        "torch_npu": result.torch_npu,
        "device_reason": texts.of(result.device_reason) if result.device_reason is not None else None,
        "passed": result.is_passed,
        "ending": result.ending.value,
        "steps": {"asked": result.asked_steps, "done": result.steps},
        "ranks": [
            {
                "rank": rank.rank,
                "steps": rank.steps,
                "steps_on_cpu": rank.steps_on_cpu,
                "losses": _numbers(rank.losses),
                "stacks": rank.stacks,
            }
            for rank in result.ranks
        ],
        "seconds": round(result.seconds, 3),
        "seconds_per_step": result.seconds_per_step,
        "failure": None if failure is None else _failure(failure, texts),
        "coverage": {
            **result.coverage_counts,
            "files": [
                {"path": file.path, "ran": file.ran, "lines": file.lines, "missed": list(file.missed)}
                for file in result.coverage
            ],
            "not_loaded": list(result.not_loaded),
        },
        "operators": result.operators,
        "unregistered": [
            {"operator": use.name, "count": use.count, "place": _place(use.place)}
            for use in result.unregistered
        ],
        "refusals": [
            {
                "kind": item.kind,
                "operator": item.operator,
                "detail": item.detail,
                "count": item.count,
                "place": _place(item.place),
            }
            for item in result.refusals
        ],
        "left_on_cpu": _rules(result.left_on_cpu, texts),
        "made_up_data": list(result.made_up),
        "expect": [texts.of(message) for message in result.differences],
        "comparison": None if comparison is None else _comparison(comparison, texts),
        "page": shown(result.page) if result.page is not None else None,
        "exit_code": result.exit_code,
    }


def _failure(failure: Failure, texts: Texts) -> dict[str, Any]:
    return {
        "rank": failure.rank,
        "type": failure.type,
        "text": failure.text,
        "place": _place(failure.place),
        "traceback": [_place(place) for place in failure.traceback],
        "rules": _rules(failure.rules, texts),
        "named_rules": list(failure.named_rules),
        "cause": texts.of(failure.cause) if failure.cause is not None else None,
        "remedy": texts.of(failure.remedy) if failure.remedy is not None else None,
        "fault": failure.fault.value if failure.fault is not None else None,
        "because": texts.of(failure.because) if failure.because is not None else None,
    }


def _rules(rules: Sequence[RuleAt], texts: Texts) -> list[dict[str, Any]]:
    return [
        {
            "code": rule.code,
            "message": texts.of(rule.message),
            "fix": texts.of(rule.fix) if rule.fix is not None else None,
            "place": _place(rule.place),
        }
        for rule in rules
    ]


def _comparison(comparison: Comparison, texts: Texts) -> dict[str, Any]:
    return {
        "original": _numbers(comparison.original),
        "migrated": _numbers(comparison.migrated),
        "first_difference": comparison.first_difference,
        "same": comparison.is_same,
        "tensors": None if comparison.tensors is None else difference_document(comparison.tensors),
        "failure": None if comparison.failure is None else _failure(comparison.failure, texts),
    }


def _place(place: Place | None) -> dict[str, Any] | None:
    if place is None:
        return None
    return {"path": place.path, "line": place.line, "function": place.function}


def _numbers(values: tuple[float, ...]) -> list[float | None]:
    """JSON has no word for what is no number."""
    return [value if value - value == 0 else None for value in values]
