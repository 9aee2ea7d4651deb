"""The page that a migration writes says what its reports and its result say."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import attrs
import pytest

from gpu2ascend.project.errors import OutputError
from gpu2ascend.project.migrate.output import OutputTree
from gpu2ascend.project.report.html.collect import Spool
from gpu2ascend.project.report.result import PageRequest
from gpu2ascend_rules.model.versions import Version
from tests.server.project.conftest import Migrate
from tests.server.project.report.html.pages import words
from tests.server.project.samples import CUDA, OPTIONS, PLAIN, STUCK, Files, make_tree, names, tree

FILES: Files = {
    "a.py": CUDA,
    "b.py": STUCK,
    "c.py": PLAIN,
    "bad.py": "def (:\n",
    "k.cu": "__global__ void k() {}\n",
    "csrc/op.pyx": "at::cuda::getCurrentCUDAStream();\n",
    "README.md": "# x\n",
}
COUNTS = dict.fromkeys(
    (
        "files",
        "findings",
        "errors",
        "warnings",
        "information",
        "hints",
        "safe_fixes",
        "unsafe_fixes",
        "manual",
    ),
    4,
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_tree(tmp_path / "in" / "proj", FILES)


def rows(path: Path) -> int:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return len(list(csv.reader(file))) - 1


def test_the_numbers_are_those_of_the_tables_and_of_the_summary(run: Migrate, project: Path) -> None:
    done = run(project)
    said = words(done.read("report.html"))
    edits = rows(done.output / "change_list.csv")
    assert edits == done.summary.edits
    assert f"{edits} edits made, in {done.summary.changed_files} files" in said
    assert f"{done.summary.errors} errors: prevent training" in said
    assert f"Unsupported: {rows(done.output / 'unsupported_api.csv')}" in said
    assert f"{done.summary.troubled_files} files that could not be examined" in said


def test_other_kinds_of_file_are_in_the_page_the_log_and_the_notices(run: Migrate, project: Path) -> None:
    done = run(project)
    said, log = words(done.read("report.html")), done.read("msFmkTranspltlog.txt")
    assert "C and C++ sources and builds 1 may matter csrc/op.pyx" in said
    assert "not examined: C and C++ sources and builds (1): csrc/op.pyx" in log
    assert "not examined: others (1): README.md" in log
    assert [notice.id for notice in done.result.notices].count("report.unexamined") == 1


def test_the_work_orders_and_the_page_are_the_first_reports(run: Migrate, project: Path) -> None:
    assert run(project).result.reports[:2] == ("MIGRATION.md", "report.html")


def test_a_page_of_the_project_keeps_its_name(run: Migrate, tmp_path: Path) -> None:
    root = make_tree(tmp_path / "in" / "proj", {"a.py": CUDA, "report.html": "mine"})
    done = run(root)
    assert done.read("report.html") == "mine"
    assert "report_msft.html" in done.result.reports and "report_msft.html" in names(done.output)


def test_a_page_of_an_earlier_migration_is_no_part_of_the_project(run: Migrate, project: Path) -> None:
    first = run(project)
    again = run(first.output, output=first.output.parent / "again")
    assert [path for path in tree(again.output) if path.endswith(".html")] == ["report.html"]


def test_many_processes_write_the_same_page(run: Migrate, project: Path, tmp_path: Path) -> None:
    one = run(project, jobs=1, output=tmp_path / "one").read("report.html")
    assert run(project, jobs=2, output=tmp_path / "two").read("report.html") == one


def test_the_page_is_in_the_language_that_was_asked_for(run: Migrate, project: Path) -> None:
    assert '<html lang="zh-CN">' in run(project, language="zh").read("report.html")


def test_a_launch_script_that_was_added_is_the_last_step(run: Migrate, project: Path) -> None:
    options = attrs.evolve(OPTIONS, distributed=True, main_file="train.py", target_model="model")
    text = "import torch\nmodel = torch.nn.Linear(2, 2).cuda()\nfor x in y:\n    model(x)\n"
    (project / "train.py").write_text(text, encoding="utf-8")
    said = words(run(project, options=options).read("report.html"))
    scripts = re.findall(r"\b(source|bash) (\S+\.sh)", said)
    assert scripts == [("source", "./env.sh"), ("bash", "run_distributed_npu.sh")]


def test_no_file_is_open_when_the_output_is_put_in_its_place(
    run: Migrate, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows renames no directory in which a file is open."""
    held: list[bool] = []
    commit = OutputTree.commit
    spools: list[Spool] = []
    initialize = Spool.__init__

    def noted(self: Spool, directory: Path | None) -> None:
        spools.append(self)
        initialize(self, directory)

    def watched(self: OutputTree, _: object) -> None:
        held.extend(spool._file is not None for spool in spools)
        commit(self)

    monkeypatch.setattr(Spool, "__init__", noted)
    monkeypatch.setattr(OutputTree, "commit", watched)
    run(project)
    assert held == [False]


def test_the_page_does_not_say_where_it_was_made(run: Migrate, tmp_path: Path) -> None:
    """A notice about the package of equivalents names the output for those who have it before them."""
    root = make_tree(tmp_path / "in" / "proj", {"a.py": "import torch\nx = torch.nn.Conv3d(1, 2, 3)\n"})
    options = attrs.evolve(OPTIONS, version=Version(1, 8, 1), replace_unsupported=True)
    done = run(root, options=options)
    assert "project.equivalents-path" in [notice.id for notice in done.result.notices]
    assert "PYTHONPATH=$PWD:" in done.read("report.html")
    assert str(tmp_path) not in done.read("report.html")


def test_no_diff_stays_in_the_outcomes(run: Migrate, project: Path) -> None:
    assert run(project).outcomes["a.py"].hunks is None


class TestWithoutMigrating:
    def test_the_page_is_written_where_it_is_wanted_and_nothing_else(
        self, run: Migrate, project: Path, tmp_path: Path
    ) -> None:
        target = tmp_path / "pages" / "here.html"
        target.parent.mkdir()
        before = tree(project)
        done = run(project, write=False, page=PageRequest(target, COUNTS))
        assert done.result.output_path is None and names(target.parent) == ["here.html"]
        assert tree(project) == before
        said = words(target.read_text("utf-8"))
        assert "Nothing has been written yet" in said and "findings 4 (errors 4" in said

    def test_what_is_there_is_replaced(self, run: Migrate, project: Path, tmp_path: Path) -> None:
        target = tmp_path / "page.html"
        target.write_text("old", encoding="utf-8")
        run(project, write=False, page=PageRequest(target, COUNTS))
        assert target.read_text("utf-8") != "old"

    def test_a_place_that_is_none_is_an_error(self, run: Migrate, project: Path, tmp_path: Path) -> None:
        with pytest.raises(OutputError):
            run(project, write=False, page=PageRequest(tmp_path / "missing" / "page.html", COUNTS))


@pytest.mark.parametrize(("name", "is_named"), [("train.py", True), ("model.py", False)])
def test_the_page_names_the_script_that_a_verification_runs(
    run: Migrate, tmp_path: Path, name: str, is_named: bool
) -> None:
    training = f"{CUDA}loss.backward()\noptimizer.step()\nif __name__ == '__main__':\n    main()\n"
    done = run(make_tree(tmp_path / "in" / "proj", {name: training if is_named else CUDA}))
    assert (f"gpu2ascend verify . -- {name}" in words(done.read("report.html"))) == is_named
