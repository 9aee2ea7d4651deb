"""Advice is a chapter beside the findings: no count of what is left and no exit code knows of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..conftest import STUCK, Run, make_project

V = ("-v", "2.8.0")
ADVISED = "import torch\nfor x in loader:\n    loss = model(x)\n    loss.backward()\n    n = loss.item()\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with advice and nothing else."""
    return make_project(tmp_path / "proj", {"train.py": ADVISED})


def test_a_check_with_advice_alone_is_clean(run: Run, project: Path) -> None:
    ran = run("check", project, *V)
    assert ran.code == 0
    heading, line, summary = ran.out.splitlines()
    assert heading.startswith("Advice") and "--no-advice" in heading
    assert "train.py:5:9: ADV103" in line
    assert summary == "No problems found."


def test_a_check_counts_findings_alone(run: Run, tmp_path: Path) -> None:
    folder = make_project(tmp_path / "two", {"a.py": STUCK, "b.py": ADVISED})
    ran = run("check", folder, *V)
    assert ran.code == 1
    lines = ran.out.splitlines()
    assert [n for n, line in enumerate(lines) if " NPU101 " in line] == [0]
    assert "ADV103" in lines[2]
    assert "1 " in lines[-1] and "2 " not in lines[-1]


def test_the_option_turns_it_off(run: Run, project: Path) -> None:
    assert "ADV" in run("check", project, *V).out
    assert "ADV" not in run("check", project, *V, "--no-advice").out
    (project / "pyproject.toml").write_text("[tool.gpu2ascend]\nadvice = false\n")
    assert "ADV" not in run("check", project, *V).out


def test_documents_of_one_list_have_it(run: Run, project: Path) -> None:
    ran = run("check", project, *V, "--output-format", "json")
    assert ran.code == 0
    assert [(item["code"], item["severity"]) for item in ran.json] == [("ADV103", "hint")]
    sarif = run("check", project, *V, "--output-format", "sarif").json
    assert [item["ruleId"] for item in sarif["runs"][0]["results"]] == ["ADV103"]
    assert run("check", project, *V, "--output-format", "github").out == ""


def test_an_analysis_has_it_in_a_list_of_its_own(run: Run, project: Path, tmp_path: Path) -> None:
    ran = run("analyze", project, *V, "--json", "-o", tmp_path / "tables")
    assert ran.code == 0
    assert ran.json["findings"] == []
    assert [item["code"] for item in ran.json["advice"]] == ["ADV103"]
    assert (ran.json["summary"]["findings"], ran.json["summary"]["advice"]) == (0, 1)
    table = (tmp_path / "tables" / "proj_analysis" / "api_performance_advice.csv").read_text(
        encoding="utf-8-sig"
    )
    assert "train.py,5,5," in table and "ADV103" in table


def test_the_mode_gives_nothing_else(run: Run, tmp_path: Path) -> None:
    folder = make_project(tmp_path / "two", {"a.py": STUCK, "b.py": ADVISED})
    ran = run("analyze", folder, *V, "--mode", "advice", "--json")
    assert ran.code == 0
    assert ran.json["findings"] == [] and len(ran.json["advice"]) == 1
    other = run("analyze", folder, *V, "--mode", "torch_apis", "--json")
    assert other.code == 1
    assert len(other.json["findings"]) == 1 and other.json["advice"] == []


def test_a_migration_reports_it_apart(run: Run, project: Path, tmp_path: Path) -> None:
    ran = run("migrate", "-i", project, "-o", tmp_path / "out", *V, "--json")
    assert ran.code == 0
    summary = ran.json["summary"]
    assert (summary["left_to_you"], summary["hints"], summary["advice"]) == (0, 0, 1)
    (file,) = (item for item in ran.json["files"] if item["path"] == "train.py")
    assert file["remaining"] == [] and [item["code"] for item in file["advice"]] == ["ADV103"]
    log = (tmp_path / "out" / "proj_msft" / "msFmkTranspltlog.txt").read_text(encoding="utf-8")
    assert log.index("Advice: what would be faster") < log.index("ADV103")
    page = (tmp_path / "out" / "proj_msft" / "report.html").read_text(encoding="utf-8")
    chapter = page[page.index('<section id="advice"') : page.index("</section>", page.index('id="advice"'))]
    assert "ADV103" in chapter
    findings = page[page.index('<section id="findings"') : page.index('<section id="advice"')]
    assert "ADV103" not in findings


def test_a_page_without_advice_has_no_such_chapter(run: Run, project: Path, tmp_path: Path) -> None:
    run("migrate", "-i", project, "-o", tmp_path / "out", *V, "--no-advice")
    page = (tmp_path / "out" / "proj_msft" / "report.html").read_text(encoding="utf-8")
    assert '<section id="findings"' in page and '<section id="advice"' not in page
