"""Notebooks in a migration and in ``check``."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gpu2ascend.project.examination import Examination
from gpu2ascend.project.inspect.check import check_paths
from gpu2ascend.project.report.result import FileStatus
from tests.server.project.conftest import Migrate
from tests.server.project.samples import OPTIONS, Files

Make = Callable[[Files], Path]

IMAGE = "iVBORw0KGgo" * 50


def notebook(*sources: str, **layout: Any) -> str:
    """A notebook of a markdown cell and code cells, with outputs that speak of CUDA."""
    cells: list[dict[str, Any]] = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# torch.cuda.synchronize()"]}
    ]
    for number, source in enumerate(sources):
        output = {"output_type": "display_data", "data": {"image/png": IMAGE, "text/plain": ["cuda:0"]}}
        cells.append(
            {
                "cell_type": "code",
                "execution_count": number,
                "metadata": {"tags": ["cuda"]},
                "outputs": [output],
                "source": source.splitlines(keepends=True),
            }
        )
    document = {"cells": cells, "metadata": {"z": 1, "a": "cuda"}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, **(layout or {"indent": 1})) + "\n"


def rows(path: Path) -> list[list[str]]:
    return list(csv.reader(path.read_text("utf-8").splitlines()))[1:]


class TestMigration:
    def test_code_is_migrated_and_nothing_else_is_touched(self, make: Make, run: Migrate) -> None:
        given = notebook("%pip list\nimport torch", "!ls\ntorch.cuda.synchronize()\n")
        done = run(make({"a.py": "", "nb.ipynb": given}))
        assert done.read("nb.ipynb") == notebook(
            "%pip list\nimport torch\nimport torch_npu", "!ls\ntorch_npu.npu.synchronize()\n"
        )
        assert done.outcomes["nb.ipynb"].status is FileStatus.CHANGED

    def test_shell_lines_follow_what_changed_in_the_script_that_they_start(
        self, make: Make, run: Migrate
    ) -> None:
        script = (
            "import argparse, torch\np = argparse.ArgumentParser()\n"
            'p.add_argument("--device", choices=["cuda", "cpu"])\n'
            "x = torch.ones(2, device=p.parse_args().device)\n"
        )
        lines = "!python train.py --device cuda\n%run train.py --device=cuda\n%env CUDA_VISIBLE_DEVICES=0"
        cell = "%%bash\ncd data\npython ../train.py --device cuda\n"
        done = run(make({"train.py": script, "nb.ipynb": notebook(lines, cell)}))
        wanted = lines.replace("cuda", "npu").replace("CUDA", "ASCEND_RT")
        assert done.read("nb.ipynb") == notebook(wanted, cell.replace("cuda", "npu"))

    def test_a_notebook_of_shell_lines_alone_is_migrated(self, make: Make, run: Migrate) -> None:
        done = run(make({"a.py": "", "nb.ipynb": notebook("!nvidia-smi")}))
        assert done.read("nb.ipynb") == notebook("!npu-smi info")
        assert done.outcomes["nb.ipynb"].applied[0].cell is not None

    def test_reports_name_the_line_of_the_file_and_the_cell(self, make: Make, run: Migrate) -> None:
        given = notebook("import torch", "x = 1\ntorch.cuda.synchronize()")
        done = run(make({"nb.ipynb": given}))
        line = next(
            n for n, text in enumerate(given.split("\n"), 1) if "torch.cuda.synchronize()" in text and n > 8
        )
        changed = rows(done.output / "change_list.csv")
        assert any(row[1:3] == [str(line), str(line)] and "cell 3, line 2: " in row[4] for row in changed)

    def test_findings_that_are_left_name_their_cell(self, make: Make, run: Migrate) -> None:
        done = run(make({"nb.ipynb": notebook("import torch", "torch.cuda.comm.broadcast(x, [0, 1])")}))
        (left,) = done.outcomes["nb.ipynb"].remaining
        assert left.cell is not None and (left.cell.cell, left.cell.line) == (3, 1)
        assert "cell 3, line 1: " in done.read("msFmkTranspltlog.txt")

    def test_a_cell_that_is_no_python_stays_and_is_reported(self, make: Make, run: Migrate) -> None:
        done = run(
            make({"nb.ipynb": notebook("import torch", "print torch.cuda", "torch.cuda.synchronize()")})
        )
        outcome = done.outcomes["nb.ipynb"]
        assert outcome.status is FileStatus.UNPARSABLE and done.result.exit_code == 1
        assert outcome.problem is not None and dict(outcome.problem.arguments)["cell"] == "3"
        assert "print torch.cuda" in done.read("nb.ipynb")
        assert "torch_npu.npu.synchronize()" in done.read("nb.ipynb")

    def test_what_is_no_json_is_copied_and_reported(self, make: Make, run: Migrate) -> None:
        done = run(make({"a.py": "", "nb.ipynb": '{"cells": [torch.cuda'}))
        assert done.outcomes["nb.ipynb"].status is FileStatus.UNPARSABLE
        assert done.read("nb.ipynb") == '{"cells": [torch.cuda'

    def test_a_notebook_in_another_language_is_copied(self, make: Make, run: Migrate) -> None:
        given = notebook("import torch; torch.cuda.synchronize()").replace(
            '"metadata": {\n  "z"', '"metadata": {\n  "language_info": {"name": "R"},\n  "z"'
        )
        assert run(make({"a.py": "", "nb.ipynb": given})).read("nb.ipynb") == given

    def test_a_notebook_to_copy_is_not_examined(self, make: Make, run: Migrate) -> None:
        given = notebook("import torch\ntorch.cuda.synchronize()")
        import attrs

        done = run(make({"a.py": "", "old/nb.ipynb": given}), options=attrs.evolve(OPTIONS, copy=("old/*",)))
        assert done.read("old/nb.ipynb") == given and done.summary.excluded == 1

    def test_migrating_again_changes_nothing(self, make: Make, run: Migrate, tmp_path: Path) -> None:
        first = run(make({"nb.ipynb": notebook("import torch", "x.cuda()\ntorch.cuda.synchronize()")}))
        again = run(first.output, output=tmp_path / "again")
        assert again.read("nb.ipynb") == first.read("nb.ipynb") and again.summary.edits == 0

    def test_a_byte_order_mark_and_the_missing_last_newline_survive(self, make: Make, run: Migrate) -> None:
        given = "\ufeff" + notebook("import torch\ntorch.cuda.synchronize()").rstrip("\n").replace(
            "\n", "\r\n"
        )
        migrated = run(make({"nb.ipynb": given})).read("nb.ipynb")
        assert migrated.startswith("\ufeff{\r\n") and migrated.endswith("}")
        assert "\n" not in migrated.replace("\r\n", "")


class TestCheck:
    def checked(self, root: Path, **options: Any) -> Examination:
        (file,) = check_paths([root / "nb.ipynb"], OPTIONS, **options)
        return file

    def test_findings_are_those_of_the_cells(self, make: Make) -> None:
        root = make({"nb.ipynb": notebook("import torch as th", "th.cuda.synchronize()")})
        file = self.checked(root)
        assert [finding.api for finding in file.findings] == ["torch.cuda.synchronize"]
        assert file.notebook is not None and file.source is file.notebook.composite.source

    def test_fixes_are_written_into_the_cells(self, make: Make) -> None:
        root = make({"nb.ipynb": notebook("import torch", "torch.cuda.synchronize()")})
        assert self.checked(root, fix=True).findings == ()
        text = (root / "nb.ipynb").read_text("utf-8")
        assert text == notebook("import torch\nimport torch_npu", "torch_npu.npu.synchronize()")

    def test_a_broken_cell_is_a_problem_and_the_others_are_fixed(self, make: Make) -> None:
        root = make({"nb.ipynb": notebook("import torch", "print x", "torch.cuda.synchronize()")})
        file = self.checked(root, fix=True)
        assert file.problem is not None and len(file.applied) == 2

    def test_what_is_no_notebook_is_a_problem(self, make: Make) -> None:
        file = self.checked(make({"nb.ipynb": "import torch"}))
        assert file.problem is not None and file.problem.id == "project.notebook-broken"


def test_a_class_of_a_notebook_is_known_to_its_cells(make: Make, run: Migrate) -> None:
    cells = ("import torch", "class Box:\n    def cuda(self):\n        return 1", "def f(b):\n    b.cuda()")
    given = notebook(*cells)
    plain = "\n\n".join(cells)
    done = run(make({"nb.ipynb": given, "a.py": plain}))
    in_file = [item.code for item in done.outcomes["a.py"].applied] if "a.py" in done.outcomes else []
    in_cells = (
        [item.code for item in done.outcomes["nb.ipynb"].applied] if "nb.ipynb" in done.outcomes else []
    )
    assert in_cells == in_file
