"""What programs read of a run; docs/verify.md describes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import attrs
import pytest

from gpu2ascend.texts.catalogue import Texts
from gpu2ascend.verify.result.model import Comparison, RankResult, VerifyResult
from gpu2ascend.verify.showing.document import verify_data, verify_json
from gpu2ascend_rules.model.finding import Message
from tests.schemas import faults
from tests.server.verify.results import FAILURE, REFUSALS, UNREGISTERED, failed, made_up

TEXTS = Texts("en")
PROJECT = Path("/project")
PLACE = {"path": "train.py", "line": 12, "function": "main"}


def data(**changes: Any) -> dict[str, Any]:
    return verify_data(made_up(PROJECT, **changes), TEXTS)


def test_a_run_that_passed() -> None:
    found = data(page=PROJECT / "report.html", unregistered=UNREGISTERED, refusals=REFUSALS, operators=7)
    assert (found["passed"], found["exit_code"], found["ending"]) == (True, 0, "done")
    assert found["steps"] == {"asked": 3, "done": 3}
    assert found["ranks"] == [
        {"rank": 0, "steps": 3, "steps_on_cpu": 0, "losses": [0.75, 0.5, 0.25], "stacks": ""}
    ]
    assert found["coverage"]["ran"] == 12 and found["coverage"]["lines"] == 15
    assert found["coverage"]["files"][0] == {"path": "train.py", "ran": 9, "lines": 12, "missed": [4, 5, 7]}
    assert found["coverage"]["not_loaded"] == ["tools/other.py"]
    assert found["unregistered"] == [{"operator": "aten::roll", "count": 6, "place": PLACE}]
    assert found["refusals"][0]["detail"] == "float64" and found["refusals"][0]["place"] == PLACE
    assert (found["failure"], found["comparison"], found["page"]) == (None, None, "/project/report.html")
    assert found["operators"] == 7 and len(found["expect"]) == 1


@pytest.mark.parametrize(("seconds", "expected"), [(4.25, 4.25), (1.23456, 1.235), (0.0004, 0.0)])
def test_seconds_are_told_to_the_millisecond(seconds: float, expected: float) -> None:
    assert data(seconds=seconds)["seconds"] == expected


@pytest.mark.parametrize(("changes", "device"), [({}, "simulated"), ({"torch_npu": "2.8.0"}, "emulated")])
def test_the_device_is_said(changes: dict[str, Any], device: str) -> None:
    found = data(**changes)
    assert (found["device"], found["torch_npu"]) == (device, changes.get("torch_npu"))


def test_why_it_is_not_torch_npu_itself_is_said() -> None:
    assert (
        data(device_reason=Message.of("verify.device.wheel"))["device_reason"]
        == "The interpreter has no torch_npu"
    )


def test_a_failure_has_its_place_its_way_and_what_explains_it() -> None:
    found = verify_data(failed(PROJECT), TEXTS)
    failure = found["failure"]
    assert (found["passed"], found["exit_code"], failure["type"], failure["rank"]) == (
        False,
        1,
        "RuntimeError",
        0,
    )
    assert failure["place"] == PLACE and len(failure["traceback"]) == 2
    assert failure["rules"][0]["code"] == "NPU104" and failure["rules"][0]["fix"]
    assert failure["cause"] and failure["remedy"] and failure["named_rules"] == ["NPU104", "NPU999"]


def test_what_is_not_known_of_a_failure_is_null() -> None:
    rules = tuple(attrs.evolve(rule, fix=None) for rule in FAILURE.rules)
    bare = attrs.evolve(FAILURE, traceback=(), rules=rules, cause=None, remedy=None)
    failure = verify_data(failed(PROJECT, bare), TEXTS)["failure"]
    assert (failure["place"], failure["cause"], failure["remedy"], failure["traceback"]) == (
        None,
        None,
        None,
        [],
    )
    assert failure["rules"][0]["fix"] is None


@pytest.mark.parametrize("failure", [None, FAILURE])
def test_a_comparison_has_both_losses(failure: Any) -> None:
    comparison = Comparison(
        original=(0.5, float("nan")), migrated=(0.5,), first_difference=1, is_same=False, failure=failure
    )
    found = data(comparison=comparison)["comparison"]
    assert (found["original"], found["migrated"]) == ([0.5, None], [0.5])
    assert (found["first_difference"], found["same"]) == (1, False)
    assert (found["failure"] and found["failure"]["type"]) == (failure and "RuntimeError")


def test_the_document_is_json_whatever_the_losses_are() -> None:
    odd = (RankResult(0, 3, (float("nan"), float("inf"), float("-inf"), 1.0), ""),)
    found = json.loads(verify_json(made_up(PROJECT, ranks=odd), TEXTS))
    assert found["ranks"][0]["losses"] == [None, None, None, 1.0]
    assert found["page"] is None


@pytest.mark.parametrize(
    "result", [made_up(PROJECT, refusals=REFUSALS, unregistered=UNREGISTERED), failed(PROJECT)]
)
def test_it_is_as_its_schema_says(result: VerifyResult) -> None:
    document = json.loads(verify_json(result, TEXTS))
    assert faults("verify", document) == []
    assert faults("verify", {**document, "never": 0})
