"""Which names reports have, and which of them give way to the project's own files."""

from __future__ import annotations

import pytest

from gpu2ascend.project.manifest.report_names import is_report_name, page_among, renamed_reports, report_names

USUAL = {
    "change_list": "change_list.csv",
    "report": "report.html",
    "report_diffs": "report_diffs.html",
    "log": "msFmkTranspltlog.txt",
}


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        *((name, True) for name in USUAL.values()),
        ("unsupported_api.csv", True),
        ("change_list_msft.csv", True),
        ("change_list_msft2.csv", True),
        ("report_msft123456789.html", True),
        ("report_msft1234567890.html", False),
        ("msFmkTranspltlog.txt.1", True),
        ("msFmkTranspltlog.txt.9", True),
        ("msFmkTranspltlog.txt.0", False),
        ("msFmkTranspltlog.txt.10", False),
        ("msFmkTranspltlog_msft.txt.3", True),
        ("change_list.csv.1", False),
        ("report.csv", False),
        ("change_list.html", False),
        ("change_listXcsv", False),
        ("my_report.html", False),
        ("report.html.py", False),
        ("train.py", False),
        ("", False),
    ],
)
def test_names_that_reports_can_have(name: str, answer: bool) -> None:
    assert is_report_name(name) is answer


@pytest.mark.parametrize(
    ("names", "page"),
    [
        (["change_list.csv", "report_diffs.html", "report.html"], "report.html"),
        (["report_msft2.html"], "report_msft2.html"),
        (["report_diffs.html", "change_list.csv"], None),
        ([], None),
    ],
)
def test_the_page_for_people_among_reports(names: list[str], page: str | None) -> None:
    assert page_among(names) == page


def named(*taken: str) -> dict[str, str]:
    return report_names(set(taken).__contains__)


def test_reports_have_their_usual_names_where_the_project_has_none_of_them() -> None:
    assert USUAL.items() <= named("train.py").items()
    assert renamed_reports(named()) == ()


@pytest.mark.parametrize(
    ("taken", "what", "name"),
    [
        (["change_list.csv"], "change_list", "change_list_msft.csv"),
        (["change_list.csv", "change_list_msft.csv"], "change_list", "change_list_msft2.csv"),
        (["report.html", "report_msft.html", "report_msft2.html"], "report", "report_msft3.html"),
        (["change_list.csv.part"], "change_list", "change_list_msft.csv"),
        (["report.html.part"], "report", "report.html"),
        (["msFmkTranspltlog.txt"], "log", "msFmkTranspltlog_msft.txt"),
        (["msFmkTranspltlog.txt.1"], "log", "msFmkTranspltlog_msft.txt"),
        (["msFmkTranspltlog.txt.9"], "log", "msFmkTranspltlog_msft.txt"),
        (["msFmkTranspltlog.txt.10"], "log", "msFmkTranspltlog.txt"),
        (["msFmkTranspltlog.txt.0"], "log", "msFmkTranspltlog.txt"),
    ],
)
def test_a_name_of_the_project_stays_the_projects(taken: list[str], what: str, name: str) -> None:
    names = named(*taken)
    assert names[what] == name
    assert is_report_name(name)
    given_way = () if name == USUAL[what] else ((USUAL[what], name),)
    assert renamed_reports(names) == given_way
