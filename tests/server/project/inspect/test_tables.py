"""The tables of an analysis: which row comes of what was found."""

from __future__ import annotations

import csv
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from gpu2ascend.project.examination import Examination
from gpu2ascend.project.inspect.library.affected import Affected, Need, Reached
from gpu2ascend.project.inspect.modes import AFFINITY, ThirdParty
from gpu2ascend.project.inspect.packages import PackageUse
from gpu2ascend.project.inspect.tables import AnalysisTables
from gpu2ascend.project.report.verdict.way import ON_THE_WAY
from gpu2ascend_rules.codemods.detection.hints import HINT_KIND as DYNAMIC_SHAPE
from gpu2ascend_rules.facts.packages.third_party import PackageVerdict
from gpu2ascend_rules.model.finding import Finding, Message, Severity
from gpu2ascend_rules.options.choices import AnalysisMode
from gpu2ascend_rules.text.source_file import SourceFile

MESSAGE = Message.of("project.log-finding", place="p", code="c", text="why")


def tables(*modes: AnalysisMode) -> AnalysisTables:
    return AnalysisTables(modes, "en", lambda path: path)


def rows(made: AnalysisTables, folder: Path, name: str) -> list[list[str]]:
    """The rows of a table as it was written, without the head."""
    made.write(folder / "out", force=False)
    with (folder / "out" / f"{name}.csv").open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))[1:]


def examined(text: str, finding: Finding) -> SimpleNamespace:
    """What of an examined file the tables read."""
    source = SourceFile(text, "a.py")
    return SimpleNamespace(path="a.py", findings=(finding,), source=source, notebook=None, way=ON_THE_WAY)


def of_call(tmp_path: Path, call: str) -> list[str]:
    """The row about a call that has an affinity API."""
    text = f"import torch\nx = {call}\n"
    start = text.index(call)
    finding = Finding(
        "NPU611", start, start + len(call), MESSAGE, Severity.HINT, None, "torch_npu.x", AFFINITY
    )
    file = examined(text, finding)
    made = tables(AnalysisMode.AFFINITY_APIS)
    made.add(cast("Examination", file))
    (row,) = rows(made, tmp_path, "affinity_api_call")
    return row


@pytest.mark.parametrize(
    ("mode", "kind", "table", "operator"),
    [
        (AnalysisMode.DYNAMIC_SHAPE, DYNAMIC_SHAPE, "dynamic_shape_hints", "torch.nonzero(x)"),
        (AnalysisMode.ADVICE, "", "api_performance_advice", "torch.nonzero"),
    ],
)
def test_a_shape_that_changes_has_its_call_and_an_advice_its_api(
    tmp_path: Path, mode: AnalysisMode, kind: str, table: str, operator: str
) -> None:
    text = "import torch\ny = torch.nonzero(x)\n"
    code = "ADV101" if mode is AnalysisMode.ADVICE else "NPU611"
    finding = Finding(code, 17, 33, MESSAGE, Severity.HINT, None, "torch.nonzero", kind or "advice")
    file = examined(text, finding)
    made = tables(mode)
    made.add(cast("Examination", file))
    (row,) = rows(made, tmp_path, table)
    assert row[:4] == ["a.py", "2", "2", operator]
    assert row[4].startswith(f"{code} ")


def call_of(length: int) -> str:
    return f"f({'a' * (length - 3)})"


@pytest.mark.parametrize(
    ("call", "shown", "last"),
    [
        (call_of(10), call_of(10), "2"),
        (call_of(80), call_of(80), "2"),
        (call_of(81), call_of(81)[:79] + "…", "2"),
        (call_of(200), call_of(200)[:79] + "…", "2"),
        ("f(a,\n\n    b)", "f(a, b)", "4"),
    ],
)
def test_a_call_is_on_one_line_of_at_most_eighty_characters(
    tmp_path: Path, call: str, shown: str, last: str
) -> None:
    assert of_call(tmp_path, call) == ["a.py", "2", last, "special", shown, "torch_npu.x"]


def affected(need: Need, *names: str, api: str = "torch.x") -> Affected:
    return Affected("a.py", 7, names, (Reached(need, api, "b.py", 5),))


def third_party(*functions: Affected, packages: tuple[PackageUse, ...] = ()) -> AnalysisTables:
    made = tables(AnalysisMode.THIRD_PARTY)
    made.add_third_party(ThirdParty(functions, packages), lambda use: ("verdict", ""))
    return made


def test_what_is_of_unknown_support_is_listed_by_itself(tmp_path: Path) -> None:
    known, unknown = affected(Need.UNSUPPORTED, "lib.f", "f"), affected(Need.UNKNOWN, "lib.g", api="torch.y")
    made = third_party(known, unknown)
    assert rows(made, tmp_path, "full_unsupported_results") == [
        ["a.py", "lib.f", "b.py,5,torch.x"],
        ["a.py", "f", "b.py,5,torch.x"],
    ]
    made = third_party(known, unknown)
    assert rows(made, tmp_path / "again", "unknown_op") == [["torch.y", "lib.g"]]


@pytest.mark.parametrize("need", Need)
def test_each_need_has_its_table_with_names_by_api(tmp_path: Path, need: Need) -> None:
    found = (
        affected(need, "lib.g", api="torch.b"),
        affected(need, "lib.f", "lib.g", api="torch.a"),
        affected(need, "lib.h", api="torch.b"),
    )
    for other in Need:
        expected = [["torch.a", "lib.f\nlib.g"], ["torch.b", "lib.g\nlib.h"]] if other is need else []
        assert rows(third_party(*found), tmp_path / other.name, other.value) == expected


@pytest.mark.parametrize(("count", "sizes"), [(100, [100]), (101, [100, 1]), (250, [100, 100, 50])])
def test_after_a_hundred_names_another_row_begins(tmp_path: Path, count: int, sizes: list[int]) -> None:
    names = [f"lib.f{number:03}" for number in range(count)]
    found = rows(third_party(affected(Need.MIGRATION, *names)), tmp_path, "migration_needed_op")
    assert [len(row[1].split("\n")) for row in found] == sizes
    assert [name for row in found for name in row[1].split("\n")] == names


def test_what_is_not_known_of_a_package_is_said_to_be_nothing(tmp_path: Path) -> None:
    verdict = PackageVerdict("x", ("x",), "works", "1.2", "", "", "", "")
    packages = (
        PackageUse("x", verdict, "req.txt", 3, False, False, "==1.3", False),
        PackageUse("y", None, "a.py", 4, True, False, "", False),
    )
    assert rows(third_party(packages=packages), tmp_path, "third_party_packages") == [
        ["x", "verdict", "1.2", "NA", "'==1.3", "req.txt", "3", "NA"],
        ["y", "verdict", "NA", "NA", "NA", "a.py", "4", "NA"],
    ]
