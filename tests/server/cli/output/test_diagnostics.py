"""Findings as they are shown: with rows, columns, fixes, and in notebooks the cells."""

from __future__ import annotations

import json

import pytest

from gpu2ascend.cli.output.diagnostics import Diagnostic, RowColumn, ShownEdit, diagnose
from gpu2ascend.project.examination import Examination
from gpu2ascend.project.report.result import FileStatus
from gpu2ascend.texts.catalogue import Texts
from gpu2ascend_rules.checking import check
from gpu2ascend_rules.model.finding import ADVICE, Applicability, Edit, Finding, Fix, Message, Plan, Severity
from gpu2ascend_rules.options.options import options_from

EN = Texts("en")
OPTIONS = options_from({"version": "2.8.0"})
SAYS = Message.of("project.broken-edit")
TEXT = "a = 1\nb = 22\n"
MANUAL_FIX = Fix(SAYS, Applicability.MANUAL, Plan())
SAFE_FIX = Fix(SAYS, Applicability.SAFE, Plan((Edit(10, 12, "3"),)))


def finding(fix: Fix | None = None, kind: str = "", code: str = "NPU104") -> Finding:
    return Finding(code, 10, 12, SAYS, Severity.HINT, fix, "torch.x", kind)


def shown(found: Finding, **changes: object) -> Diagnostic:
    file = Examination(**{"path": "pkg/a.py", "text": TEXT, "findings": (found,), **changes})  # type: ignore[arg-type]
    (diagnostic,) = diagnose(file, EN)
    return diagnostic


def test_a_finding_is_shown_with_all_that_it_says() -> None:
    found = shown(finding(SAFE_FIX))
    assert (found.code, found.name, found.path, found.api) == ("NPU104", found.name, "pkg/a.py", "torch.x")
    assert found.name and found.message == EN.of(SAYS) and found.severity is Severity.HINT
    assert (found.start, found.end, found.where) == (RowColumn(2, 5), RowColumn(2, 7), "2:5")
    assert found.fix is not None and found.fix.applicability is Applicability.SAFE
    assert found.fix.edits == (ShownEdit(RowColumn(2, 5), RowColumn(2, 7), "3"),)
    assert (found.cell, found.file_rows, found.is_advice) == (None, None, False)


@pytest.mark.parametrize(
    ("found", "changes", "has_fix"),
    [
        (finding(SAFE_FIX), {}, True),
        (finding(), {}, False),
        (finding(MANUAL_FIX), {}, False),
        (finding(SAFE_FIX), {"can_be_written": False}, False),
        (finding(SAFE_FIX), {"status": FileStatus.UNPARSABLE}, False),
    ],
)
def test_only_a_fix_that_can_be_made_is_promised(
    found: Finding, changes: dict[str, object], has_fix: bool
) -> None:
    assert (shown(found, **changes).fix is not None) is has_fix


def test_a_finding_that_no_rule_made_has_no_name_and_advice_is_called_so() -> None:
    assert shown(finding(code="XYZ001")).name == ""
    assert shown(finding(kind=ADVICE)).is_advice


def test_some_of_the_findings_may_be_chosen_and_without_a_text_there_are_none() -> None:
    file = Examination(path="a.py", text=TEXT, findings=(finding(),))
    assert [item.code for item in diagnose(file, EN, [finding(code="NPU101")])] == ["NPU101"]
    assert diagnose(Examination(path="a.py", text=None, findings=(finding(),)), EN) == []


def cell(*lines: str, kind: str = "code") -> dict[str, object]:
    return {"cell_type": kind, "metadata": {}, "source": list(lines), "outputs": []}


NOTEBOOK = json.dumps(
    {
        "cells": [
            cell("# A title\n", kind="markdown"),
            cell("import torch\n", "\n", "y = 1"),
            cell("y = 2\n", "x = torch.cuda.current_device()\n", "torch.cuda.synchronize()"),
        ],
        "metadata": {},
        "nbformat": 4,
    },
    indent=1,
)
LINES = NOTEBOOK.split("\n")


def line_with(text: str) -> int:
    (found,) = [number for number, line in enumerate(LINES, 1) if text in line]
    return found


def in_notebook() -> list[Diagnostic]:
    file = Examination(path="nb.ipynb", text=NOTEBOOK)
    assert file.source is not None
    return diagnose(
        Examination(path="nb.ipynb", text=NOTEBOOK, findings=tuple(check(file.source, OPTIONS))), EN
    )


def test_a_finding_in_a_notebook_has_its_cell_and_the_lines_of_the_file() -> None:
    first, second = (item for item in in_notebook() if item.code == "NPU101")
    assert (first.where, first.end, first.cell) == ("cell 3:2:5", RowColumn(2, 30), 3)
    assert (second.where, second.end, second.cell) == ("cell 3:3:1", RowColumn(3, 23), 3)
    assert first.file_rows == (line_with("current_device"),) * 2
    assert second.file_rows == (line_with("synchronize"),) * 2


def test_an_edit_in_a_notebook_has_the_cell_in_which_it_is_made() -> None:
    """The import that a fix needs is made in the cell of the other imports."""
    (found,) = (item for item in in_notebook() if "synchronize" in (item.api or ""))
    assert found.fix is not None
    assert [(edit.cell, edit.start.row, edit.end.row) for edit in sorted(found.fix.edits)] == [
        (2, 1, 1),
        (3, 3, 3),
    ]


def test_a_broken_cell_takes_no_fix_from_the_others() -> None:
    text = NOTEBOOK.replace("y = 1", "y = (")
    file = Examination(path="nb.ipynb", text=text, status=FileStatus.UNPARSABLE)
    assert file.source is not None
    found = diagnose(
        Examination(
            path="nb.ipynb",
            text=text,
            status=FileStatus.UNPARSABLE,
            findings=tuple(check(file.source, OPTIONS)),
        ),
        EN,
    )
    assert any(item.fix is not None for item in found)


def test_what_stands_in_no_cell_keeps_its_place_and_is_in_the_first_line_of_the_file() -> None:
    text = json.dumps({"cells": [cell("# A title", kind="markdown")], "metadata": {}, "nbformat": 4})
    fix = Fix(SAYS, Applicability.SAFE, Plan((Edit(0, 0, "import torch_npu\n"),)))
    nowhere = Finding("NPU104", 0, 0, SAYS, Severity.HINT, fix)
    (found,) = diagnose(Examination(path="nb.ipynb", text=text, findings=(nowhere,)), EN)
    assert (found.start, found.end, found.cell) == (RowColumn(1, 1), RowColumn(1, 1), None)
    assert found.file_rows == (1, 1) and found.fix is not None
    assert found.fix.edits == (ShownEdit(RowColumn(1, 1), RowColumn(1, 1), "import torch_npu\n"),)
