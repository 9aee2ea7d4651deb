"""A file that is too large, too deep or takes too long is given up alone, and never taken for examined."""

from __future__ import annotations

import faulthandler
import io
import itertools
import tracemalloc
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from gpu2ascend.__main__ import main
from gpu2ascend.lsp.features.diagnostics.from_findings import (
    NOT_EXAMINED,
    diagnostics_of,
    encoded_diagnostics,
)
from gpu2ascend.lsp.session.analysis import Analysis
from gpu2ascend.lsp.session.documents import Document
from gpu2ascend.lsp.session.worker import OutOfTimeError, _limited, check_source
from gpu2ascend.project.errors import SettingsError
from gpu2ascend.project.examination import Examination
from gpu2ascend.project.index.kernels import kernels_below
from gpu2ascend.project.index.view import ProjectFiles
from gpu2ascend.project.inspect.check import check_paths
from gpu2ascend.project.inspect.previews.preview import PreviewRequest
from gpu2ascend.project.migrate.migrate import migrate
from gpu2ascend.project.options.settings import find_settings
from gpu2ascend.project.processes.cancellable import CancellableProcess
from gpu2ascend.project.processes.workers import STUCK_SECONDS, ended_if_stuck
from gpu2ascend.project.report.result import FileOutcome, FileStatus, MigrationRequest
from gpu2ascend_rules.checking import check
from gpu2ascend_rules.limits import checkpoints as limits
from gpu2ascend_rules.options.options import MigrationOptions, options_from
from gpu2ascend_rules.text.lines import ColumnUnit
from gpu2ascend_rules.text.source_file import SourceFile

CUDA = "import torch\n\nx = torch.ones(2).cuda()\n"
MIGRATED = "import torch\nimport torch_npu\n\nx = torch.ones(2).npu()\n"
SLOW = CUDA + "x = x.cuda()\n" * 500
DEEP = CUDA + "y = x" + ".cuda()" * limits.MAX_NESTING + "\n"
OPTIONS = options_from({"version": "2.8.0", "max_file_size": 1})
LARGE = b"import torch\nx = torch.ones(2).cuda()\n" + b"#" * 2_000_000 + b"\n"
TOO_LARGE, TOO_LONG, TOO_DEEP = "project.too-large", "project.time-limit", "project.nested"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with one good file."""
    directory = tmp_path / "proj"
    directory.mkdir()
    (directory / "good.py").write_text(CUDA)
    return directory


@pytest.fixture
def passing_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that goes on by a second whenever somebody looks at it: many steps are many seconds."""
    seconds = itertools.count()
    monkeypatch.setattr(limits, "clock", lambda: float(next(seconds)))


def checked(root: Path, *, fix: bool = False, options: MigrationOptions = OPTIONS) -> dict[str, Examination]:
    return {Path(file.path).name: file for file in check_paths([root], options, fix=fix, jobs=1)}


def problem_of(file: Examination | FileOutcome) -> str | None:
    return file.problem.id if file.problem is not None else None


def migrated(root: Path) -> tuple[Path, dict[str, FileOutcome], int]:
    """The output, what became of each file, and the exit status."""
    found: list[FileOutcome] = []
    request = MigrationRequest(input=root, output=root.parent / "out", options=OPTIONS, jobs=1)
    result = migrate(request, on_file=found.append)
    assert result.output_path is not None
    return result.output_path, {item.path: item for item in found}, result.exit_code


class TestTheSize:
    @pytest.mark.parametrize("fix", [False, True])
    def test_a_check_reports_the_file_and_goes_on(self, root: Path, fix: bool) -> None:
        (root / "large.py").write_bytes(LARGE)
        files = checked(root, fix=fix)
        assert problem_of(files["large.py"]) == TOO_LARGE
        assert problem_of(files["good.py"]) is None
        assert (root / "large.py").read_bytes() == LARGE

    @pytest.mark.parametrize("name", ["large.py", "large.ipynb", "large.cu"])
    def test_a_migration_copies_the_file_and_is_no_success(self, root: Path, name: str) -> None:
        (root / name).write_bytes(LARGE)
        output, outcomes, code = migrated(root)
        assert outcomes[name].status is FileStatus.FAILED
        assert problem_of(outcomes[name]) == TOO_LARGE
        assert (output / name).read_bytes() == LARGE
        assert (output / "good.py").read_text() == MIGRATED
        assert code != 0

    def test_no_file_is_held_in_memory_by_default(self, root: Path) -> None:
        with (root / "sparse.py").open("wb") as file:
            file.truncate(60_000_000)
        tracemalloc.start()
        try:
            files = checked(root, options=options_from({"version": "2.8.0"}))
            assert problem_of(files["sparse.py"]) == TOO_LARGE
            assert tracemalloc.get_traced_memory()[1] < 30_000_000
        finally:
            tracemalloc.stop()

    def test_the_limit_is_an_option(self, root: Path) -> None:
        (root / "large.py").write_bytes(LARGE)
        files = checked(root, options=options_from({"version": "2.8.0", "max_file_size": 3}))
        assert problem_of(files["large.py"]) is None

    @pytest.mark.parametrize(("megabytes", "is_taken"), [(1, True), (50, True), (51, False)])
    def test_a_project_cannot_raise_the_limit(self, root: Path, megabytes: int, is_taken: bool) -> None:
        (root / "pyproject.toml").write_text(f"[tool.gpu2ascend]\nmax_file_size = {megabytes}\n")
        expected: AbstractContextManager[object] = (
            nullcontext() if is_taken else pytest.raises(SettingsError, match="max_file_size")
        )
        with expected:
            find_settings(root)

    def test_a_preview_reports_the_file(self, root: Path) -> None:
        (root / "large.py").write_bytes(LARGE)
        process = CancellableProcess(PreviewRequest(root=root, options=OPTIONS))
        found = {file.path: file for file in process.run()}
        problem = found["large.py"].problem
        assert problem is not None
        assert problem.id == TOO_LARGE

    def test_a_module_of_the_project_is_not_read(self, root: Path) -> None:
        (root / "large.py").write_bytes(LARGE)
        files = ProjectFiles(root, max_bytes=OPTIONS.max_file_bytes)
        assert files.find_module("good.py", "large") is None
        assert files.find_module("large.py", "good") is not None

    def test_a_kernel_source_is_not_read(self, root: Path) -> None:
        (root / "k.cu").write_bytes(b"__global__ void k(int n) {}\n" + LARGE)
        assert kernels_below(root, (), OPTIONS.max_file_bytes) == ()
        assert kernels_below(root, ()) != ()

    def test_standard_input_is_passed_on_as_it_is(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.chdir(tmp_path)
        code, written = fixed_from_standard_input(monkeypatch, LARGE, "--max-file-size", "1")
        assert (code, written) == (1, LARGE)


def fixed_from_standard_input(monkeypatch: pytest.MonkeyPatch, data: bytes, *flags: str) -> tuple[int, bytes]:
    """The exit status of ``check --fix -`` and what it wrote."""
    out = io.BytesIO()
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(out, "utf-8", write_through=True))
    return main(["check", "-", "--fix", "-v", "2.8.0", *flags]), out.getvalue()


@pytest.mark.usefixtures("passing_time")
class TestTheTime:
    @pytest.mark.parametrize("fix", [False, True])
    def test_a_check_gives_the_file_up_and_goes_on(self, root: Path, fix: bool) -> None:
        (root / "slow.py").write_text(SLOW)
        files = checked(root, fix=fix)
        assert problem_of(files["slow.py"]) == TOO_LONG
        assert problem_of(files["good.py"]) is None
        assert (root / "slow.py").read_text() == SLOW

    def test_a_migration_copies_the_file_and_is_no_success(self, root: Path) -> None:
        (root / "slow.py").write_text(SLOW)
        output, outcomes, code = migrated(root)
        assert outcomes["slow.py"].status is FileStatus.FAILED
        assert problem_of(outcomes["slow.py"]) == TOO_LONG
        assert (output / "slow.py").read_text() == SLOW
        assert (output / "good.py").read_text() == MIGRATED
        assert code != 0

    def test_an_editor_is_told(self) -> None:
        done = check_source(SourceFile(SLOW), OPTIONS).examination
        assert done.findings == ()
        assert problem_of(done) == TOO_LONG

    def test_an_editor_still_gets_the_findings_of_another_file(self) -> None:
        done = check_source(SourceFile(CUDA), OPTIONS).examination
        assert done.findings
        assert done.problem is None

    def test_a_request_of_an_editor_fails(self) -> None:
        with pytest.raises(OutOfTimeError):
            _limited(lambda: check(SourceFile(SLOW), OPTIONS))

    def test_a_rule_that_hides_its_mistakes_does_not_hide_the_limit(self) -> None:
        hidden: list[str] = []
        with pytest.raises(limits.TimeLimitError), limits.time_limit():
            check(SourceFile(SLOW), OPTIONS, on_error=lambda code, _: hidden.append(code))
        assert hidden == []

    def test_a_limit_within_another_does_not_begin_anew(self) -> None:
        with pytest.raises(limits.TimeLimitError), limits.time_limit():
            for _ in range(100):
                with limits.time_limit():
                    for _ in range(100):
                        limits.checkpoint()

    def test_a_result_that_comes_too_late_does_not_count(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(limits, "clock", iter([0.0, 11.0]).__next__)
        with pytest.raises(limits.TimeLimitError), limits.time_limit():
            pass

    def test_standard_input_is_passed_on_as_it_is(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.chdir(tmp_path)
        assert fixed_from_standard_input(monkeypatch, SLOW.encode()) == (1, SLOW.encode())


class TestTheDepth:
    @pytest.mark.parametrize("fix", [False, True])
    def test_a_check_says_that_a_part_was_not_examined(self, root: Path, fix: bool) -> None:
        (root / "deep.py").write_text(DEEP)
        assert problem_of(checked(root, fix=fix)["deep.py"]) == TOO_DEEP

    def test_the_other_parts_are_migrated_and_it_is_no_success(self, root: Path) -> None:
        (root / "deep.py").write_text(DEEP)
        output, outcomes, code = migrated(root)
        assert outcomes["deep.py"].status is FileStatus.FAILED
        assert "torch.ones(2).npu()" in (output / "deep.py").read_text()
        assert code != 0

    def test_a_deep_part_in_which_nothing_can_matter_is_no_problem(self, root: Path) -> None:
        (root / "deep.py").write_text(CUDA + "y = " + "1 + " * 2 * limits.MAX_NESTING + "1\n")
        assert problem_of(checked(root)["deep.py"]) is None

    def test_an_editor_is_told(self) -> None:
        done = check_source(SourceFile(DEEP), OPTIONS).examination
        assert done.findings
        assert problem_of(done) == TOO_DEEP


class TestAnEditor:
    def analysis(self) -> Analysis:
        source = SourceFile(DEEP, "/p/a.py")
        done = check_source(source, OPTIONS).examination
        document = Document("file:///p/a.py", 1, "python", source)
        return Analysis(document, OPTIONS, done.findings, problem=done.problem)

    @pytest.mark.parametrize("language", ["en", "zh"])
    def test_shows_what_was_not_examined(self, language: str) -> None:
        analysis = self.analysis()
        *found, last = diagnostics_of(analysis, ColumnUnit.UTF16, language)
        assert len(found) == len(analysis.findings)
        assert (last.code, last.range.start.line) == (NOT_EXAMINED, 0)

    def test_is_sent_it(self) -> None:
        (sent,) = encoded_diagnostics(self.analysis(), ColumnUnit.UTF16, "en")
        assert NOT_EXAMINED in sent.text


@pytest.mark.parametrize("steps", [limits._STEPS_PER_LOOK - 1, limits._STEPS_PER_LOOK])
def test_the_clock_is_asked_every_few_steps(monkeypatch: pytest.MonkeyPatch, steps: int) -> None:
    asked = itertools.count()
    monkeypatch.setattr(limits, "clock", lambda: float(next(asked)) * 0)
    with limits.time_limit():
        for _ in range(steps):
            limits.checkpoint()
    assert next(asked) == 2 + steps // limits._STEPS_PER_LOOK


def test_a_process_that_hangs_in_native_code_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    watches: list[object] = []
    monkeypatch.setattr(
        faulthandler, "dump_traceback_later", lambda seconds, exit, file: watches.append((seconds, exit))
    )
    monkeypatch.setattr(faulthandler, "cancel_dump_traceback_later", lambda: watches.append("over"))
    with ended_if_stuck():
        assert watches == [(STUCK_SECONDS, True)]
    assert watches[1:] == ["over"]


def test_without_a_limit_a_checkpoint_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "clock", _no_clock)
    limits.checkpoint()


def _no_clock() -> float:
    raise AssertionError("nobody has set a limit")
