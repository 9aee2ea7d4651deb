"""``migrate`` writes or shows a migration, and says how far it came."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gpu2ascend.cli.output.progress import ProgressBar
from gpu2ascend_rules.messages import catalogue

from ..conftest import STUCK, TRAIN, Run, make_project

V = ("-v", "2.8.0")


@pytest.fixture
def stuck(tmp_path: Path) -> Path:
    """A project with an error that no fix can help."""
    return make_project(tmp_path / "stuck", {"a.py": TRAIN, "b.py": STUCK})


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Where migrated projects go."""
    return tmp_path / "out"


class TestExitCodes:
    def test_0_when_complete(self, run: Run, project: Path, out: Path) -> None:
        ran = run("migrate", "-i", project, "-o", out, *V)
        assert (ran.code, ran.err) == (0, "")
        assert "torch_npu.npu.empty_cache()" in (out / "proj_msft" / "train.py").read_text()

    def test_1_with_errors_left(self, run: Run, stuck: Path, out: Path) -> None:
        ran = run("migrate", "-i", stuck, "-o", out, *V)
        assert ran.code == 1
        assert (out / "stuck_msft" / "b.py").read_text() == STUCK
        assert ran.out.startswith(f"{stuck / 'b.py'}:3: NPU101 ")

    @pytest.mark.parametrize(
        ("arguments", "reported"),
        [
            (["-i", "missing", "-o", "out"], "missing"),
            (["-i", "proj/train.py", "-o", "out"], "train.py"),
            (["-i", "proj", "-o", "proj/out"], "proj"),
        ],
    )
    def test_2_when_nothing_was_written(
        self, run: Run, project: Path, out: Path, arguments: list[str], reported: str
    ) -> None:
        ran = run("migrate", *arguments, *V)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith("gpu2ascend: error: ") and reported in ran.err
        assert ran.err.count("\n") == 1
        assert not out.exists() and sorted(p.name for p in project.iterdir()) == ["data.py", "train.py"]

    def test_2_for_an_existing_output_unless_forced(self, run: Run, project: Path, out: Path) -> None:
        arguments = ("migrate", "-i", project, "-o", out, *V)
        assert run(*arguments).code == 0
        assert run(*arguments).code == 2
        assert run(*arguments, "--force").code == 0

    def test_130_and_nothing_left_after_ctrl_c(
        self, run: Run, project: Path, out: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def interrupt(*_: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(ProgressBar, "update", interrupt)
        code, printed, reported = run("migrate", "-i", project, "-o", out, *V)
        assert (code, printed) == (130, "") and "interrupted" in reported
        assert not out.exists() or list(out.iterdir()) == []


class TestSummary:
    def test_piped_it_is_plain_lines(self, run: Run, stuck: Path, out: Path) -> None:
        lines = run("migrate", "-i", stuck, "-o", out, *V).out.splitlines()
        assert lines[0].startswith(f"{stuck / 'b.py'}:3: NPU101 ")
        assert lines[1].startswith("Migrated for PyTorch 2.8.0, with work left to do: ")
        assert lines[1].endswith("stuck_msft")
        assert lines[2].startswith("files: 2, changed: 1, edits: 3, unsupported: 1, unknown: 0, ")
        assert lines[3].startswith("Lines edited automatically: 2; to review: 0; to write by hand: 1.")
        assert lines[4] == "What is left may take 0.2 to 1 hours." and lines[5].startswith("How: ")
        assert lines[6].startswith("Reports next to the code: ") and "change_list.csv" in lines[6]
        assert not any("\x1b" in line for line in lines)

    def test_on_a_terminal_it_is_a_table_in_colour_after_a_bar(
        self, run: Run, stuck: Path, out: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
        monkeypatch.setenv("TERM", "xterm")
        ran = run("migrate", "-i", stuck, "-o", out, *V)
        assert "Migrating" in ran.err and ran.err.endswith("\r\x1b[K")
        assert "\x1b[33mMigrated for PyTorch 2.8.0" in ran.out
        rows = [line.split() for line in ran.out.splitlines()]
        assert ["Files", "2"] in rows and ["Files", "changed", "1"] in rows
        assert ["Unsupported", "APIs", "1"] in rows

    def test_a_terminal_shows_the_first_errors_and_counts_the_others(
        self, run: Run, out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lines = "".join(f"torch.cuda.unheard_of_{n}(x)\n" for n in range(24))
        project = make_project(tmp_path / "many", {"a.py": STUCK + lines})
        piped = run("migrate", "-i", project, "--diff", *V).err
        assert piped.count("a.py:") == 25
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        shown = run("migrate", "-i", project, "-o", out, *V).out
        assert shown.count("a.py") == 20 and "... and 5 more" in shown

    def test_a_cause_is_named_once_with_its_places(self, run: Run, out: Path, tmp_path: Path) -> None:
        again = "torch.cuda.comm.broadcast(x, [0, 1])\n"
        project = make_project(tmp_path / "many", {"a.py": STUCK + again, "b.py": STUCK + again * 8})
        lines = run("migrate", "-i", project, "-o", out, *V).out.splitlines()
        (line,) = [line for line in lines if "torch.cuda.comm.broadcast" in line]
        assert line.startswith(f"{project / 'a.py'}:3: NPU101 ") and f"{project / 'b.py'}:3" in line
        assert "(and 10 more: " in line and line.endswith(", …)")

    def test_no_colours_on_request(
        self, run: Run, stuck: Path, out: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        monkeypatch.setenv("NO_COLOR", "1")
        assert "\x1b" not in run("migrate", "-i", stuck, "-o", out, *V).out

    def test_a_file_that_could_not_be_examined_is_named(self, run: Run, project: Path, out: Path) -> None:
        (project / "old.py").write_text("print 'torch.cuda'\n")
        ran = run("migrate", "-i", project, "-o", out, *V)
        assert ran.code == 1
        assert ran.out.startswith(f"{project / 'old.py'}: ") and "not examined: 1" in ran.out

    def test_in_chinese(self, run: Run, project: Path, out: Path) -> None:
        ran = run("migrate", "-i", project, "-o", out, *V, "--language", "zh")
        assert ran.out.startswith("已针对 PyTorch 2.8.0 完成迁移：")

    def test_version_found_in_the_project_is_reported(self, run: Run, project: Path, out: Path) -> None:
        (project / "requirements.txt").write_text("torch==2.8.0\n")
        ran = run("migrate", "-i", project, "-o", out)
        assert ran.code == 0
        assert ran.err.startswith("gpu2ascend: notice: ") and "2.8.0" in ran.err


class TestDiff:
    def test_shows_the_changes_and_writes_nothing(self, run: Run, project: Path, tmp_path: Path) -> None:
        before = sorted(tmp_path.rglob("*"))
        ran = run("migrate", "-i", project, "--diff", *V)
        assert ran.code == 0
        assert sorted(tmp_path.rglob("*")) == before
        assert "\n-torch.cuda.empty_cache()\n" in ran.out and "\n+torch_npu.npu.empty_cache()\n" in ran.out
        assert "data.py" not in ran.out

    def test_the_summary_stays_out_of_the_diff(self, run: Run, stuck: Path) -> None:
        ran = run("migrate", "-i", stuck, "--diff", *V)
        assert ran.code == 1
        assert all(line[:1] in ("-", "+", " ", "@") for line in ran.out.splitlines())
        assert "b.py:3: NPU101" in ran.err and "Nothing written." in ran.err

    def test_is_coloured_on_a_terminal(
        self, run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        monkeypatch.setenv("TERM", "xterm")
        assert (
            "\x1b[32m+torch_npu.npu.empty_cache()\x1b[0m" in run("migrate", "-i", project, "--diff", *V).out
        )


class TestOptions:
    def test_reach_the_migration(self, run: Run, project: Path, out: Path) -> None:
        flags = ("--api-style", "torch.npu", "--hardware", "A3", "--json")
        ran = run("migrate", "-i", project, "-o", out, *V, *flags)
        assert ran.json["hardware"] == "A3"
        assert "torch.npu.empty_cache()" in (out / "proj_msft" / "train.py").read_text()

    def test_settings_of_the_project_hold(self, run: Run, project: Path, out: Path) -> None:
        text = '[tool.gpu2ascend]\nversion = "2.8.0"\napi-style = "torch.npu"\n'
        (project / "pyproject.toml").write_text(text)
        assert run("migrate", "-i", project, "-o", out).code == 0
        assert "torch.npu.empty_cache()" in (out / "proj_msft" / "train.py").read_text()


class TestResultDocument:
    def test_is_what_the_reference_says(self, run: Run, stuck: Path, out: Path) -> None:
        ran = run("migrate", "-i", stuck, "-o", out, *V, "--json")
        document = ran.json
        assert (ran.code, ran.err) == (1, "")
        assert list(document) == [
            "format", "gpu2ascend", "version", "hardware", "input", "output", "exit_code", "summary",
            "update", "branch", "reports", "environment", "verdict", "effort", "notices", "files",
        ]  # fmt: skip
        assert document["version"] == "2.8.0" and document["exit_code"] == 1
        assert Path(document["output"]).name == "stuck_msft"
        assert document["summary"]["edits"] == 3 and document["summary"]["left_to_you"] == 1
        assert all((out / "stuck_msft" / name).exists() for name in document["reports"])
        changed, left = document["files"]
        assert changed.keys() == {
            "path", "status", "problem", "on_the_way", "edits", "remaining", "restricted", "advice",
            "kernels", "diff",
        }  # fmt: skip
        assert (changed["path"], changed["status"], changed["remaining"]) == ("a.py", "changed", [])
        inserted = [edit for edit in changed["edits"] if edit["operation"] == "INSERT"]
        assert [edit["message"] for edit in inserted] == ["Add `import torch_npu`"]
        assert (left["path"], left["status"], left["edits"]) == ("b.py", "unchanged", [])
        (remaining,) = left["remaining"]
        assert remaining["severity"] == "error" and remaining["applicability"] == "manual"
        assert (remaining["start_line"], remaining["kind"]) == (3, "unsupported")
        assert remaining["api"] == "torch.cuda.comm.broadcast"

    def test_with_diff_it_has_the_diffs_and_no_output(self, run: Run, project: Path) -> None:
        document = run("migrate", "-i", project, "--diff", "--json", *V).json
        assert document["output"] is None and document["reports"] == []
        assert "+torch_npu.npu.empty_cache()" in document["files"][0]["diff"]

    def test_texts_are_in_the_users_language(self, run: Run, project: Path, out: Path) -> None:
        arguments = ("migrate", "-i", project, "-o", out, *V, "--json", "--language", "zh")
        texts = [edit["message"] for edit in run(*arguments).json["files"][0]["edits"]]
        assert catalogue("zh")["fix.import"].format(statement="import torch_npu") in texts
