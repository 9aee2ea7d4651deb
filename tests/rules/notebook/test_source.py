"""Fixes and comments in the shell code of a notebook."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.edits.offsets import apply_edits, edited
from gpu2ascend_rules.edits.suppression import ignore_line
from gpu2ascend_rules.model.finding import Applicability, Edit, Finding, Fix, Message, Plan, Severity
from gpu2ascend_rules.notebook.composite import Composite
from gpu2ascend_rules.notebook.source import NotebookSource
from gpu2ascend_rules.options.options import options_from

OPTIONS = options_from({"version": "2.8.0"})
CELLS = ("if a:\n    !nvidia-smi\n", "%%bash\nnvidia-smi\nls\n", "%env CUDA_VISIBLE_DEVICES=0")


def source_of(*cells: str) -> NotebookSource:
    source = Composite(cells).source
    assert isinstance(source, NotebookSource)
    return source


def codes(source: NotebookSource) -> list[str]:
    return [finding.code for finding in check(source, OPTIONS)]


def finding_with(start: int, end: int, *edits: Edit) -> Finding:
    fix = Fix(Message.of("fix.import", statement=""), Applicability.SAFE, Plan(edits))
    return Finding("NPU1004", start, end, Message.of("fix.import", statement=""), Severity.WARNING, fix)


def test_edited_code_stays_hidden_from_the_parser_of_python() -> None:
    source = source_of(*CELLS)
    edits = [Edit(at, at + 10, "é") for at in source.shell.find_all(b"nvidia-smi")]
    after = edited(source, edits)
    assert isinstance(after, NotebookSource)
    assert len(edits) == 2 and not after.has_syntax_error
    assert after.written == source.written.replace("nvidia-smi", "é")
    assert [after.written.encode()[p.start : p.end].decode() for p in after.cell_parts] == [
        "é", "CUDA_VISIBLE_DEVICES=0", "é\nls\n",
    ]  # fmt: skip


@pytest.mark.parametrize("cell", ["!nvidia-smi", "%%bash\nls\nnvidia-smi\n", "%env CUDA_VISIBLE_DEVICES=0"])
def test_the_offered_comment_silences(cell: str) -> None:
    source = source_of("x = 1", cell)
    (finding,) = check(source, OPTIONS)
    comment = ignore_line(source, finding)
    assert comment is not None
    cells = [cell, "x = 1"] if cell.startswith("%%") else ["x = 1", cell]
    written = apply_edits(source.written.encode(), [comment]).decode()
    again = written.split("\n\n")[: len(cells)]
    assert codes(source_of(*again)) == []
    assert codes(source) != []


def test_a_value_gets_no_comment_behind_it() -> None:
    source = source_of("%env CUDA_VISIBLE_DEVICES=0")
    (finding,) = check(source, OPTIONS)
    comment = ignore_line(source, finding)
    assert comment == Edit(0, 0, "# gpu2ascend: ignore[NPU1001]\n")


@pytest.mark.parametrize(
    "edit", [Edit(1, 1, "a\n"), Edit(0, 3, "a"), Edit(1, 6, ""), Edit(3, 8, "a")], ids=str
)
def test_a_fix_that_a_line_cannot_take_is_not_offered(edit: Edit) -> None:
    source = source_of("!ls -a", "x = 1")
    assert source.allowed(finding_with(1, 3, edit)).fix is None
    assert source.allowed(finding_with(1, 3, Edit(1, 3, "dir"))).fix is not None


def test_a_fix_may_add_lines_to_a_script() -> None:
    source = source_of("%%bash\nls\n")
    assert source.allowed(finding_with(7, 9, Edit(7, 7, "cd a\n"))).fix is not None
