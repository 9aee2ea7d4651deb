"""Parts that fixes left as they should not be are noticed, and the file stays as it was."""

from __future__ import annotations

import pytest

from gpu2ascend.project.examine import Request, examine
from gpu2ascend.project.files.content.soundness import breaks_a_part
from gpu2ascend.project.fixing import Transform
from gpu2ascend.project.report.result import FileStatus
from gpu2ascend_rules.edits.refusals import Judge
from gpu2ascend_rules.kinds.registry import text_file
from gpu2ascend_rules.model.finding import Edit, Message
from gpu2ascend_rules.model.outcome import FixOutcome
from gpu2ascend_rules.model.project.project_view import ProjectView
from gpu2ascend_rules.notebook.composite import Composite
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.text.plain.text_file import TextFile
from tests.server.project.files.test_notebooks import notebook
from tests.server.project.samples import OPTIONS

SCRIPT = "echo torch\npython -c 'import torch; torch.ones(1).cuda()'\n"
CELL = "%%writefile train.py\nimport torch\nx = torch.ones(1).cuda()\n"
FIX = Request(options=OPTIONS, fix=True)
BROKEN = Message.of("project.broken-edit")


def putting(old: str, new: str) -> Transform:
    """Fixes that put one text in the place of another, whoever judges them."""

    def transform(
        source: TextFile, options: MigrationOptions, project: ProjectView, *, is_sound: Judge | None = None
    ) -> FixOutcome:
        start = source.data.index(old.encode())
        text = source.text.replace(old, new, 1)
        return FixOutcome(text, (), (), 1, ((Edit(start, start + len(old), new),),))

    return transform


@pytest.mark.parametrize(
    ("before", "after", "breaks"),
    [
        ("python -c 'f(a)'", "python -c 'f(b)'", False),
        ("python -c 'f(a)'", "python -c 'f(b'", True),
        ("python -c 'f(a'", "python -c 'f(b'", False),
        ("python -c 'f(a)'", "python3 -c 'f(a)'", False),
        ("python -c 'f(a)'", "bash -c 'f(a)'", True),
        ("python -c 'f(a)'", "python -c 'f(a)'; python -c 'f(b)'", True),
        ("echo a", "echo b", False),
    ],
)
def test_a_part_that_was_python_stays_it(before: str, after: str, breaks: bool) -> None:
    assert breaks_a_part(text_file(before, "a.sh"), text_file(after, "a.sh")) is breaks


@pytest.mark.parametrize(
    ("new", "status"),
    [("npu()", FileStatus.CHANGED), ("npu(", FileStatus.FAILED), ("npu(')", FileStatus.FAILED)],
)
def test_a_script_whose_code_would_break_stays_as_it_is(new: str, status: FileStatus) -> None:
    done = examine("a.sh", SCRIPT, Request(options=OPTIONS, fix=True, transform=putting("cuda()", new)))
    assert done.status is status
    assert done.problem == (None if status is FileStatus.CHANGED else BROKEN)


def test_a_cell_that_is_a_module_is_migrated() -> None:
    text = notebook("x = 1\n", CELL, "%%python\nimport torch\ntorch.ones(1).cuda()")
    done = examine("a.ipynb", text, FIX)
    assert done.status is FileStatus.CHANGED
    assert done.text == notebook(
        "x = 1\n",
        CELL.replace("import torch\n", "import torch\nimport torch_npu\n").replace("cuda", "npu"),
        "%%python\nimport torch\nimport torch_npu\ntorch.ones(1).npu()",
    )
    assert examine("a.ipynb", done.text, FIX).status is FileStatus.UNCHANGED


def test_a_finding_in_such_a_cell_has_its_cell_and_line() -> None:
    done = examine("a.ipynb", notebook("x = 1\n", CELL), Request(options=OPTIONS))
    (finding,) = done.findings
    assert done.notebook is not None and done.source is not None
    cell, _ = done.notebook.file_line(done.source.lines.line_of(finding.start) + 1)
    assert (finding.code, cell) == ("NPU110", (3, 3))


def test_names_of_a_module_are_not_those_of_the_notebook() -> None:
    """The notebook's torch is none of the module's, and the module's none of the notebook's."""
    sources = ["import torch\n", "%%writefile a.py\nx = torch.cuda.init()\ncuda = 1\n", "y = cuda.init()\n"]
    composite = Composite(sources)
    (part,) = composite.source.parts()
    assert part.text == "x = torch.cuda.init()\ncuda = 1\n"
    assert "cuda = 1" not in composite.source.text.replace("#uda = 1", "")


def test_a_cell_whose_module_would_break_stays_as_it_is() -> None:
    request = Request(options=OPTIONS, fix=True, transform=putting("uda()", "uda("))
    done = examine("a.ipynb", notebook("x = 1\n", CELL), request)
    assert (done.status, done.before, done.problem) == (FileStatus.FAILED, None, BROKEN)
