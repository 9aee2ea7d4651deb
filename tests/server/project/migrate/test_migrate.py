"""A migration from end to end."""

from __future__ import annotations

import csv
import gc
import json
import pathlib
import symtable
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import attrs
import pytest

from gpu2ascend.project.errors import CancelledError
from gpu2ascend.project.files import discover
from gpu2ascend.project.manifest.base import BASE_NAME
from gpu2ascend.project.manifest.marker import LIST_NAME, MARKER_NAME, ORDERS_NAME, read_marker
from gpu2ascend.project.report.result import FileStatus, Phase, Progress
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.options import MigrationOptions, options_from
from tests.sampling import BEYOND_SAMPLE
from tests.server.project.conftest import Migrate
from tests.server.project.samples import CUDA, MIGRATED, OPTIONS, PLAIN, STUCK, Files, make_tree, names, tree

Make = Callable[[Files], Path]
REPORTS = {
    "MIGRATION.md",
    "change_list.csv",
    "cuda_op_list.csv",
    "msFmkTranspltlog.txt",
    "report.html",
    "restricted_api.csv",
    "unknown_api.csv",
    "unsupported_api.csv",
}
KERNEL = "__global__ void scale(float* x) {}\n__global__ void shift(float* x) {}\n"

ENVIRONMENT = "env.sh"

makes_links = pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
"""What a migration adds for a project that uses torch; the next takes it for a file like any other."""


def rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def test_the_output_has_the_same_structure_and_the_reports(run: Migrate, make: Make) -> None:
    root = make({"train.py": CUDA, "pkg/plain.py": PLAIN, "data/x.bin": b"\0\xff\r\n", "README.md": "# x\n"})
    (root / "empty").mkdir()
    before = tree(root)
    done = run(root)
    after = tree(done.output)
    assert done.output.name == "proj_msft"
    assert set(after) == set(before) | REPORTS | {MARKER_NAME, LIST_NAME, ORDERS_NAME, BASE_NAME, ENVIRONMENT}
    assert {name: after[name] for name in before if name != "train.py"} == {
        name: before[name] for name in before if name != "train.py"
    }
    assert after["train.py"].decode() == MIGRATED
    assert (done.output / "empty").is_dir()
    assert tree(root) == before
    assert set(done.result.reports) == REPORTS
    assert names(done.output.parent) == ["proj_msft"]


def test_counts_and_exit_code(run: Migrate, make: Make) -> None:
    done = run(make({"a.py": CUDA, "b.py": STUCK, "c.py": PLAIN, "k.cu": KERNEL, "x.txt": ""}))
    summary = done.summary
    assert (summary.files, summary.python_files, summary.changed_files) == (5, 3, 1)
    assert (summary.edits, summary.unsupported, summary.errors, summary.cuda_ops) == (2, 1, 1, 2)
    assert done.result.exit_code == 1
    assert set(done.outcomes) == {"a.py", "b.py", "k.cu"}


def test_a_complete_migration_exits_with_0(run: Migrate, make: Make) -> None:
    assert run(make({"a.py": CUDA})).result.exit_code == 0


def test_the_change_list_names_the_lines_of_the_input(run: Migrate, make: Make) -> None:
    done = run(make({"pkg/a.py": CUDA}))
    table = rows(done.output / "change_list.csv")
    assert table[0] == ["File", "Start Line", "End Line", "Operation Type", "Message"]
    assert [row[:4] for row in table[1:]] == [
        ["pkg/a.py", "1", "1", "INSERT"],
        ["pkg/a.py", "3", "3", "MODIFY"],
    ]
    assert "torch_npu" in table[2][4]


def test_unsupported_apis_have_a_row_with_advice(run: Migrate, make: Make) -> None:
    done = run(make({"a.py": STUCK}))
    header, row = rows(done.output / "unsupported_api.csv")
    assert header == ["File", "Start Line", "End Line", "OP", "Tips"]
    assert row[:4] == ["a.py", "3", "3", "torch.cuda.comm.broadcast"]
    assert "torch.cuda.comm.broadcast" in row[4]
    assert rows(done.output / "unknown_api.csv") == [header]


def test_restrictions_that_are_not_evident_have_a_table_and_are_no_findings(run: Migrate, make: Make) -> None:
    done = run(make({"a.py": "import torch\ny = torch.matmul(x, w)\nz = torch.bmm(x.double(), y)\n"}))
    _, row = rows(done.output / "restricted_api.csv")
    assert row[:4] == ["a.py", "2", "2", "torch.matmul"]
    assert "float16, float32" in row[4]
    assert (done.summary.restricted, done.summary.left_to_you) == (1, 1)
    assert "torch.matmul" not in (done.output / "msFmkTranspltlog.txt").read_text(encoding="utf-8")


def test_kernels_are_listed(run: Migrate, make: Make) -> None:
    done = run(make({"a.py": PLAIN, "csrc/k.cu": KERNEL}))
    assert rows(done.output / "cuda_op_list.csv") == [
        ["File", "Api"],
        ["csrc/k.cu", "scale"],
        ["csrc/k.cu", "shift"],
    ]


def test_the_log_says_what_was_done(run: Migrate, make: Make) -> None:
    done = run(make({"a.py": CUDA, "b.py": STUCK, ".git/config": ""}))
    log = (done.output / "msFmkTranspltlog.txt").read_text(encoding="utf-8")
    assert "PyTorch 2.8.0" in log
    assert "a.py: 2 edits" in log
    assert "ERROR" in log and "b.py:3: NPU101" in log
    assert ".git: not part of the project" in log


def test_reports_speak_the_language_asked_for(run: Migrate, make: Make) -> None:
    done = run(make({"a.py": CUDA}), language="zh")
    data = (done.output / "change_list.csv").read_bytes()
    assert data.startswith(b"\xef\xbb\xbf") and "添加" in data.decode()
    assert "修改 2 处" in (done.output / "msFmkTranspltlog.txt").read_text(encoding="utf-8")


def test_an_ascii_report_has_no_byte_order_mark(run: Migrate, make: Make) -> None:
    done = run(make({"a.py": CUDA}))
    assert (done.output / "change_list.csv").read_bytes().startswith(b"File,")


def test_migrating_a_migrated_project_changes_nothing(run: Migrate, make: Make, tmp_path: Path) -> None:
    files = {"a.py": CUDA, "b.py": STUCK, "k.cu": KERNEL, "pkg/c.py": PLAIN, "change_list.csv": "mine\n"}
    first = run(make(files))
    second = run(first.output, output=tmp_path / "again")
    assert second.output.name == "proj_msft_msft"
    assert (second.summary.edits, second.summary.files) == (0, first.summary.files + len({ENVIRONMENT}))
    written = set(first.result.reports) | set(second.result.reports) | {MARKER_NAME, LIST_NAME, BASE_NAME}
    assert {name: data for name, data in tree(second.output).items() if name not in written} == {
        name: data for name, data in tree(first.output).items() if name not in written
    }


def test_a_file_of_the_project_keeps_its_name_and_the_report_gives_way(run: Migrate, make: Make) -> None:
    done = run(make({"a.py": CUDA, "change_list.csv": "mine\n", "msFmkTranspltlog.txt.3": "mine\n"}))
    assert done.read("change_list.csv") == "mine\n"
    assert done.read("msFmkTranspltlog.txt.3") == "mine\n"
    assert rows(done.output / "change_list_msft.csv")[0][0] == "File"
    assert (done.output / "msFmkTranspltlog_msft.txt").exists()
    notices = {notice.id for notice in done.result.notices}
    assert notices == {"project.report-renamed"}
    marker = read_marker(done.output)
    assert marker is not None and set(marker.reports) == set(done.result.reports)


def test_the_marker_is_plain_data(run: Migrate, make: Make) -> None:
    marker = json.loads(run(make({"a.py": CUDA})).read(MARKER_NAME))
    assert marker["tool"] == "gpu2ascend" and set(marker["reports"]) == REPORTS


def test_the_marker_says_where_the_original_is(run: Migrate, make: Make) -> None:
    root = make({"a.py": CUDA})
    done = run(root)
    marker = read_marker(done.output)
    assert marker is not None and marker.source is not None
    assert (done.output / marker.source).resolve() == root.resolve()


def test_nothing_is_written_when_only_the_diff_is_wanted(run: Migrate, make: Make, tmp_path: Path) -> None:
    root = make({"pkg/a.py": CUDA, "b.py": STUCK, "x.txt": ""})
    before = tree(tmp_path)
    done = run(root, write=False)
    assert tree(tmp_path) == before and done.result.output_path is None
    assert done.outcomes["pkg/a.py"].diff == (
        "--- a/pkg/a.py\n+++ b/pkg/a.py\n@@ -1,3 +1,4 @@\n import torch\n+import torch_npu\n \n"
        "-torch.cuda.empty_cache()\n+torch_npu.npu.empty_cache()\n"
    )
    assert done.outcomes["b.py"].diff is None
    assert (done.summary.edits, done.result.exit_code) == (2, 1)


def test_a_diff_needs_no_usable_output(run: Migrate, make: Make) -> None:
    root = make({"a.py": CUDA})
    assert run(root, write=False, output=root).summary.changed_files == 1


def test_files_to_copy_are_not_examined(run: Migrate, make: Make) -> None:
    options = attrs.evolve(OPTIONS, copy=("vendor", "*_gen.py"))
    done = run(make({"a.py": CUDA, "vendor/b.py": CUDA, "c_gen.py": CUDA}), options=options)
    assert (done.read("vendor/b.py"), done.read("c_gen.py"), done.read("a.py")) == (CUDA, CUDA, MIGRATED)
    assert (done.summary.excluded, done.summary.changed_files) == (2, 1)


def test_excluded_files_are_no_part_of_the_output(run: Migrate, make: Make) -> None:
    options = attrs.evolve(OPTIONS, exclude=("data", "*_gen.py"))
    done = run(make({"a.py": CUDA, "data/b.bin": "x", "data/c.py": CUDA, "c_gen.py": CUDA}), options=options)
    assert done.read("a.py") == MIGRATED
    assert not (done.output / "data").exists() and not (done.output / "c_gen.py").exists()
    assert "c_gen.py" in done.read("msFmkTranspltlog.txt")


@pytest.fixture
def large(make: Make, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(discover, "LARGE", 1_000)
    return make({"a.py": CUDA, "data/weights.bin": "w" * 2_000, "data/small.bin": "s"})


@makes_links
def test_large_files_are_linked_and_said_before(run: Migrate, large: Path) -> None:
    told: list[Message] = []
    done = run(large, on_notice=told.append)
    weights = done.output / "data/weights.bin"
    assert weights.is_symlink() and weights.resolve() == (large / "data/weights.bin").resolve()
    assert not (done.output / "data/small.bin").is_symlink()
    assert not weights.readlink().is_absolute()
    assert "lead nowhere" in render(told[0], "en")
    (notice,) = told
    assert notice.id == "project.large-linked"
    assert (dict(notice.arguments)["count"], dict(notice.arguments)["names"]) == ("1", "data/weights.bin")


@makes_links
def test_links_of_large_files_lead_on_where_both_folders_move(
    run: Migrate, large: Path, tmp_path: Path
) -> None:
    """Also where the output is reached by a link, behind which `..` is another folder."""
    (tmp_path / "far/away").mkdir(parents=True)
    (tmp_path / "out").symlink_to(tmp_path / "far/away")
    weights = run(large).output / "data/weights.bin"
    assert weights.read_text() == "w" * 2_000 and weights.resolve() == (large / "data/weights.bin").resolve()


def test_large_files_are_copied_where_that_is_asked_for(run: Migrate, large: Path) -> None:
    done = run(large, options=options_from({"version": "2.8.0", "large_files": "copy"}))
    weights = done.output / "data/weights.bin"
    assert not weights.is_symlink() and weights.read_text() == "w" * 2_000
    assert [notice.id for notice in done.result.notices].count("project.large-copied") == 1


def test_many_small_files_are_copied_and_said_before(
    run: Migrate, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(discover, "LARGE", 1_000)
    images = {f"images/{number}.jpg": "i" * 300 for number in range(4)}
    told: list[Message] = []
    done = run(make({"a.py": CUDA, "x.bin": "x" * 20, **images}), on_notice=told.append)
    assert (done.output / "images/3.jpg").stat().st_size == 300
    (notice,) = told
    given = dict(notice.arguments)
    assert (notice.id, given["count"], given["size"]) == ("project.small-copied", "5", "1220 B")
    assert given["folders"] == "images (1200 B), . (20 B)"


def test_little_data_is_copied_without_a_word(run: Migrate, make: Make) -> None:
    told: list[Message] = []
    done = run(make({"a.py": CUDA, "images/1.jpg": "i"}), on_notice=told.append)
    assert (done.output / "images/1.jpg").read_text() == "i"
    assert told == []


def test_the_version_is_detected_when_none_is_given(run: Migrate, make: Make) -> None:
    done = run(make({"a.py": CUDA, "requirements.txt": "torch==2.1.2+cu118\n"}), options=MigrationOptions())
    assert str(done.result.version) == "2.1.0"
    notices = [notice.id for notice in done.result.notices if notice.id.startswith("project.")]
    assert notices == ["project.version-detected"]
    log = (done.output / "msFmkTranspltlog.txt").read_text(encoding="utf-8")
    assert all(render(notice, "en") in log for notice in done.result.notices)


def test_progress_counts_every_file(run: Migrate, make: Make) -> None:
    seen: list[Progress] = []
    run(make({"a.py": CUDA, "b.txt": "", "pkg/c.py": PLAIN}), progress=seen.append)
    assert [item.done for item in seen if item.phase is Phase.SURVEY] == [1, 2, 3]
    assert [(item.done, item.total, item.path) for item in seen if item.phase is Phase.MIGRATE] == [
        (1, 3, "a.py"),
        (2, 3, "b.txt"),
        (3, 3, "pkg/c.py"),
    ]


@pytest.mark.parametrize("after", range(8))
def test_cancelling_leaves_nothing_behind(run: Migrate, make: Make, tmp_path: Path, after: int) -> None:
    root = make({f"m{number}.py": CUDA for number in range(4)})
    calls = iter([False] * after)
    with pytest.raises(CancelledError):
        run(root, cancelled=lambda: next(calls, True))
    assert not (tmp_path / "out").exists()


def test_a_method_named_cuda_elsewhere_in_the_project_is_known(run: Migrate, make: Make) -> None:
    """The survey gives the rules what other files define: see NPU110."""
    use = "import torch\n\ndef f(thing):\n    return thing.cuda()\n"
    plain = run(make({"use.py": use}), write=False).outcomes["use.py"]
    other = "class Thing:\n    def cuda(self):\n        return self\n"
    doubtful = run(make({"use.py": use, "other.py": other}), write=False).outcomes["use.py"]
    assert plain.status is FileStatus.CHANGED and doubtful.status is FileStatus.UNCHANGED
    assert doubtful.remaining


@BEYOND_SAMPLE
@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_files(run: Migrate, tmp_path: Path) -> None:
    files = {f"d{number // 50}/m{number}.py": CUDA + STUCK for number in range(1_200)}
    root = make_tree(tmp_path / "many", files)
    held: dict[int, int] = {}
    # The interpreter's table of all names, which symbol tables and paths add to, doubles at some size.
    modules = (symtable, pathlib, tracemalloc)
    but_interned_names = [tracemalloc.Filter(False, str(module.__file__)) for module in modules]

    def measure(progress: Progress) -> None:
        if progress.phase is Phase.MIGRATE and progress.done in (300, 1_150):
            gc.collect()  # what the interpreter keeps for reuse is not held
            snapshot = tracemalloc.take_snapshot().filter_traces(but_interned_names)
            held[progress.done] = sum(item.size for item in snapshot.statistics("filename"))

    tracemalloc.start()
    try:
        run(root, jobs=1, on_file=None, progress=measure)
    finally:
        tracemalloc.stop()
    assert held[1_150] - held[300] < 30 * 850  # bytes a file
