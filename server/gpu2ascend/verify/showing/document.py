"""The document of ``verify --json``; docs/verify.md describes it."""

from __future__ import annotations

from typing import Any

from ... import __version__
from ...project.paths import shown
from ...texts.catalogue import Texts
from ...texts.escaping import json_text, numbered
from ...texts.plain_data import plain_data
from ..result.model import Comparison, Failure, VerifyResult
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
        "device_reason": plain_data(result.device_reason, texts),
        "passed": result.is_passed,
        "ending": result.ending.value,
        "steps": {"asked": result.asked_steps, "done": result.steps},
        "ranks": plain_data(result.ranks),
        "seconds": round(result.seconds, 3),
        "seconds_per_step": result.seconds_per_step,
        "failure": None if failure is None else _failure(failure, texts),
        "coverage": {
            **result.coverage_counts,
            "files": [{**plain_data(file), "lines": file.lines} for file in result.coverage],
            "not_loaded": list(result.not_loaded),
        },
        "operators": result.operators,
        "unregistered": [
            {"operator": use.name, "count": use.count, "place": plain_data(use.place)}
            for use in result.unregistered
        ],
        "refusals": plain_data(result.refusals),
        "left_on_cpu": plain_data(result.left_on_cpu, texts),
        "made_up_data": list(result.made_up),
        "expect": plain_data(result.differences, texts),
        "comparison": None if comparison is None else _comparison(comparison, texts),
        "page": shown(result.page) if result.page is not None else None,
        "exit_code": result.exit_code,
    }


def _failure(failure: Failure, texts: Texts) -> dict[str, Any]:
    return {**plain_data(failure, texts), "place": plain_data(failure.place)}


def _comparison(comparison: Comparison, texts: Texts) -> dict[str, Any]:
    return {
        "original": plain_data(comparison.original),
        "migrated": plain_data(comparison.migrated),
        "first_difference": comparison.first_difference,
        "same": comparison.is_same,
        "tensors": None if comparison.tensors is None else difference_document(comparison.tensors),
        "failure": None if comparison.failure is None else _failure(comparison.failure, texts),
    }
