"""What only shows in a separate process: start-up, pipes, and what goes wrong."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import gpu2ascend
import gpu2ascend_rules
from gpu2ascend import __version__, revision
from gpu2ascend.cli.commands.reference import explain as explain_command
from gpu2ascend.project import examine as examine_module

from .conftest import TRAIN, Run, make_project

SOURCES = [str(Path(package.__file__).parents[1]) for package in (gpu2ascend_rules, gpu2ascend)]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(SOURCES)}


def python(*arguments: str, **settings: object) -> subprocess.CompletedProcess[str]:
    """Run Python on this source tree."""
    command = [sys.executable, *arguments]
    return subprocess.run(  # type: ignore[call-overload,no-any-return]
        command, capture_output=True, text=True, env=ENVIRONMENT, check=False, **settings
    )


@pytest.fixture
def released(monkeypatch: pytest.MonkeyPatch) -> str:
    """As if this were a release: those have no commit to name."""
    monkeypatch.setattr(gpu2ascend, "__version__", "1.2.3")
    return "1.2.3"


class TestVersion:
    @pytest.mark.parametrize("flag", ["--version", "-V"])
    def test_is_printed(self, run: Run, released: str, flag: str) -> None:
        assert run(flag) == (0, f"gpu2ascend {released}\n", "")

    @pytest.mark.parametrize("is_tree", [False, True], ids=["checkout", "work tree"])
    def test_in_a_checkout_names_its_commit_and_the_day_of_that(
        self, monkeypatch: pytest.MonkeyPatch, run: Run, tmp_path: Path, is_tree: bool
    ) -> None:
        root, tree = tmp_path / "root", tmp_path / "tree"

        def git(*arguments: str) -> str:
            who = ["-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false"]
            day = {**os.environ, "GIT_COMMITTER_DATE": "2026-01-31T12:00:00Z"}
            command = ["git", "-C", str(root), *who, *arguments]
            return subprocess.run(command, capture_output=True, text=True, check=True, env=day).stdout.strip()

        root.mkdir()
        git("init", "-q")
        git("commit", "-q", "--allow-empty", "-m", "first")
        git("worktree", "add", "-q", str(tree))
        monkeypatch.setattr(revision, "_WRITTEN", tmp_path / "none.txt")
        monkeypatch.setattr(revision, "_GIT", (tree if is_tree else root) / ".git")
        monkeypatch.setattr(gpu2ascend, "__version__", "1.2.3.dev0")
        commit = git("rev-parse", "HEAD")[:8]
        assert run("--version").out == f"gpu2ascend 1.2.3.dev0 ({commit}, 2026-01-31)\n"
        git("gc", "-q")
        assert run("--version").out == f"gpu2ascend 1.2.3.dev0 ({commit})\n"

    def test_what_a_build_wrote_counts_before_a_checkout(
        self, monkeypatch: pytest.MonkeyPatch, run: Run, tmp_path: Path
    ) -> None:
        (tmp_path / "revision.txt").write_text("0123abcd 2026-01-31\n", encoding="ascii")
        monkeypatch.setattr(revision, "_WRITTEN", tmp_path / "revision.txt")
        monkeypatch.setattr(gpu2ascend, "__version__", "1.2.3.dev0")
        assert run("--version").out == "gpu2ascend 1.2.3.dev0 (0123abcd, 2026-01-31)\n"
        described = {"format": 1, "gpu2ascend": "1.2.3.dev0", "commit": "0123abcd", "date": "2026-01-31"}
        assert run("--version", "--json").json == described

    def test_as_a_module(self) -> None:
        assert python("-m", "gpu2ascend", "--version").stdout.startswith(f"gpu2ascend {__version__}")

    def test_of_a_release_costs_no_import_but_our_own_entry_point(self) -> None:
        program = (
            "import sys, gpu2ascend; gpu2ascend.__version__ = '1.2.3'; before = set(sys.modules); "
            "from gpu2ascend.__main__ import main; main(['--version']); "
            "print(*sorted(set(sys.modules) - before))"
        )
        assert python("-c", program).stdout.split("\n")[1].split() == ["gpu2ascend.__main__"]

    def test_is_the_version_of_the_distribution(self) -> None:
        source = Path(gpu2ascend.__file__).read_text(encoding="utf-8")
        assert re.search(rf'^__version__ = "{re.escape(__version__)}"$', source, re.MULTILINE)


class TestUnlovedEndings:
    def test_a_reader_that_leaves_is_no_error(self) -> None:
        program = (
            "import os, sys; from gpu2ascend.__main__ import main\n"
            "read, write = os.pipe(); os.close(read); os.dup2(write, 1); os.close(write)\n"
            "sys.exit(main(['explain', 'NPU101']))"
        )
        ran = python("-c", program)
        assert (ran.returncode, ran.stderr) == (0, "")

    def test_an_output_that_cannot_show_a_text_shows_it_escaped(self) -> None:
        settings = {**ENVIRONMENT, "PYTHONIOENCODING": "ascii"}
        ran = subprocess.run(
            [sys.executable, "-m", "gpu2ascend", "--help", "--language", "zh"],
            capture_output=True,
            env=settings,
            check=False,
        )
        assert ran.returncode == 0 and b"\\u" in ran.stdout

    def test_a_bug_is_one_line_that_asks_to_report_it(
        self, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(explain_command, "rule_by_code", broken(RuntimeError("first\nsecond")))
        ran = run("explain", "NPU101")
        assert ran.code == 2
        assert ran.err.count("\n") == 1 and "RuntimeError: first second" in ran.err
        assert "GPU2ASCEND_DEBUG=1" in ran.err

    def test_and_shows_its_traceback_when_asked_to(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("GPU2ASCEND_DEBUG", "1")
        monkeypatch.setattr(explain_command, "rule_by_code", broken(RuntimeError("first")))
        assert "Traceback" in run("explain", "NPU101").err

    @pytest.mark.parametrize("command", ["check", "analyze", "migrate"])
    def test_also_that_of_a_file_which_could_not_be_examined(
        self, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str
    ) -> None:
        """Its exception may hold a text of the project, of which nothing may act on the terminal."""
        fail = broken(RuntimeError("\x1b[2J"))
        monkeypatch.setattr(examine_module, "check", fail)
        monkeypatch.setattr(examine_module, "after_all_steps", fail)
        project = make_project(tmp_path / "p", {"a.py": TRAIN})
        given = ("-i", project, "-o", tmp_path / "out") if command == "migrate" else (project,)
        assert "Traceback" not in run(command, *given, "-v", "2.8.0").err

        monkeypatch.setenv("GPU2ASCEND_DEBUG", "1")
        again = ("--force",) if command == "migrate" else ()
        ran = run(command, *given, *again, "-v", "2.8.0")
        assert "Traceback" in ran.err and "in fail" in ran.err and "Traceback" not in ran.out
        assert "\x1b" not in ran.err and "\\x1b[2J" in ran.err

    def test_interrupted(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(explain_command, "rule_by_code", broken(KeyboardInterrupt()))
        assert run("explain", "NPU101") == (130, "", INTERRUPTED)


INTERRUPTED = "gpu2ascend: error: interrupted; unfinished work was undone\n"


def broken(error: BaseException) -> object:
    """A function that raises."""

    def fail(*_: object, **__: object) -> None:
        raise error

    return fail
