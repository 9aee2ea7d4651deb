"""What the device noted, over all processes, by the tables of the release."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from gpu2ascend.verify.result.merge import Observed, observed
from gpu2ascend.verify.result.model import OperatorUse, Place, Refusal
from gpu2ascend_rules.facts import Facts
from tests.server.verify.running_records import record


def seen(project: Path, *notes: dict[str, Any], wheel: object = "a table") -> Observed:
    """What is seen in these notes, by a release in which nothing but ``aten::add`` has a kernel."""
    facts = SimpleNamespace(wheel=wheel, has_kernel=lambda name: name == "torch.ops.aten.add")
    records = [record(pid=number, notes=note) for number, note in enumerate(notes)]
    return observed(records, project, cast("Facts", facts))


def used(name: str, count: int = 1, line: tuple[str, int] | None = None) -> dict[str, Any]:
    return {"name": name, "count": count, "line": line}


def refused(line: tuple[str, int] | None = None, **changes: Any) -> dict[str, Any]:
    usual = {"kind": "dtype", "operator": "aten::mm.out", "detail": "float64", "count": 1, "line": line}
    return {**usual, **changes}


def test_overloads_and_processes_count_together(tmp_path: Path) -> None:
    line = (str(tmp_path / "net.py"), 4)
    first = {"operators": [used("aten::roll"), used("aten::roll.out", 2, line)]}
    second = {"operators": [used("aten::roll", 5, (str(tmp_path / "net.py"), 9)), used("aten::add")]}
    found = seen(tmp_path, first, {}, second)
    assert found.operators == 2
    assert found.unregistered == (OperatorUse("aten::roll", 8, Place("net.py", 4, "")),)


def test_the_most_used_comes_first_and_then_the_alphabet(tmp_path: Path) -> None:
    uses = [used("aten::b", 2), used("aten::c", 9), used("aten::a", 2)]
    found = seen(tmp_path, {"operators": uses})
    assert [use.name for use in found.unregistered] == ["aten::c", "aten::a", "aten::b"]


@pytest.mark.parametrize(
    ("name", "is_named"), [("aten::roll", True), ("aten::add.out", False), ("my::op", False)]
)
def test_what_has_no_kernel_is_named_if_it_is_torchs_own(tmp_path: Path, name: str, is_named: bool) -> None:
    found = seen(tmp_path, {"operators": [used(name)]})
    assert (found.operators, bool(found.unregistered)) == (1, is_named)


def test_without_a_table_nothing_is_said(tmp_path: Path) -> None:
    uses = {"operators": [used("aten::roll")]}
    assert seen(tmp_path, uses, wheel=None).unregistered == ()
    assert seen(tmp_path, uses).unregistered != ()


def test_refusals_of_one_place_are_one(tmp_path: Path) -> None:
    line = (str(tmp_path / "net.py"), 4)
    first = {"refusals": [refused(line), refused(line, operator="aten::mm", count=3)]}
    second = {"refusals": [refused(line), refused(line, detail="complex64"), refused()]}
    assert set(seen(tmp_path, first, second).refusals) == {
        Refusal("dtype", "aten::mm", "float64", 5, Place("net.py", 4, "")),
        Refusal("dtype", "aten::mm", "complex64", 1, Place("net.py", 4, "")),
        Refusal("dtype", "aten::mm", "float64", 1, None),
    }
