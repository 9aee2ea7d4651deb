"""``migrate --update`` on the command line."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gpu2ascend.cli.session import Session
from gpu2ascend.cli.updating import can_ask
from gpu2ascend.project.manifest.base import BASE_NAME, read_base
from tests.server.cli.conftest import TRAIN, Run, make_project
from tests.server.project.samples import make_tree

LINES = "".join(f"line_{number} = {number}\n" for number in range(20))
FILES = {"train.py": TRAIN + LINES, "old.py": "import torch\n" + LINES}
V = ("-v", "2.8.0")


@pytest.fixture
def output(run: Run, tmp_path: Path) -> Path:
    """A migrated project in which a line was changed by hand."""
    make_project(tmp_path / "p", FILES)
    run("migrate", "-i", "p", "-o", "out", *V)
    path = tmp_path / "out" / "p_msft" / "train.py"
    path.write_text(path.read_text().replace("line_2 = 2", "line_2 = 'mine'"))
    return path.parent


def update(run: Run, *flags: str) -> object:
    """Update it."""
    return run("migrate", "-i", "p", "-o", "out", "--update", *flags)


def test_the_summary_says_what_was_merged_and_what_is_in_conflict(
    run: Run, output: Path, tmp_path: Path
) -> None:
    changed = (
        FILES["train.py"].replace("line_2 = 2", "line_2 = 'new'").replace("line_9 = 9", "line_9 = 'new'")
    )
    make_tree(tmp_path / "p", {"train.py": changed, "new.py": "import torch\n"})
    (tmp_path / "p" / "old.py").unlink()
    ran = run("migrate", "-i", "p", "-o", "out", "--update", "--deletions", "follow")
    assert ran.code == 1
    text = (output / "train.py").read_text()
    start = text.splitlines().index("<<<<<<< yours") + 1
    assert f"CONFLICT train.py:{start}-{start + 4}: both changed the same lines" in ran.out
    assert "New (1): new.py" in ran.out and "Gone (1): old.py" in ran.out
    assert "updated: 0, merged: 0, conflicts: 1, new: 1, gone: 1" in ran.out
    assert "line_9 = 'new'" in text and "line_2 = 'mine'" in text


def test_what_is_left_in_a_changed_file_is_named_in_the_output(
    run: Run, output: Path, tmp_path: Path
) -> None:
    make_tree(output, {"mine.py": "import torch\ntorch.cuda.nvtx.range_push(1)\n"})
    make_tree(tmp_path / "p", {"new.py": "import torch\ntorch.cuda.nvtx.range_push(1)\n"})
    ran = update(run)
    assert f"{output / 'mine.py'}:2" in ran.out and "p/new.py:2" in ran.out


def test_without_a_conflict_it_ends_with_0_and_json_has_the_same(
    run: Run, output: Path, tmp_path: Path
) -> None:
    make_tree(tmp_path / "p", {"train.py": FILES["train.py"].replace("line_9 = 9", "line_9 = 'new'")})
    ran = run("migrate", "-i", "p", "-o", "out", "--update", "--json")
    assert ran.code == 0
    assert (ran.json["update"]["merged"], ran.json["update"]["conflicts"]) == (["train.py"], [])
    assert run("migrate", "-i", "p", "-o", "other", *V, "--json").json["update"] is None


def test_it_does_again_what_the_first_run_did(run: Run, tmp_path: Path) -> None:
    make_project(tmp_path / "p", FILES)
    run("migrate", "-i", "p", "-o", "out", "-v", "2.1.0", "--hardware", "A3", "--modelarts")
    assert run("migrate", "-i", "p", "-o", "out", "--update").code in (0, 1)
    kept = read_base(tmp_path / "out" / "p_msft").options
    assert (kept["version"], kept["hardware"], kept["modelarts"]) == ("2.1.0", "A3", True)
    assert run("migrate", "-i", "p", "-o", "out", "--update", *V).code in (0, 1)
    kept = read_base(tmp_path / "out" / "p_msft").options
    assert (kept["version"], kept["hardware"]) == ("2.8.0", "A3")


RULES = json.dumps({"rules": {"FuncNameModifyRule": [{"old_name": "to_gpu", "new_name": "to_npu"}]}})


class TestOwnRules:
    """An update uses the files of rules of the last run."""

    @pytest.fixture
    def rules(self, run: Run, tmp_path: Path) -> Path:
        make_project(tmp_path / "p", {**FILES, "a.py": "import tools\ntools.to_gpu(1)\n"})
        make_tree(tmp_path / "rules", {"own.json": RULES})
        ran = run("migrate", "-i", "p", "-o", "out", *V, "-r", "rules/own.json", "--max-file-size", "7")
        assert ran.code in (0, 1)
        return tmp_path / "rules" / "own.json"

    def test_they_count_again(
        self, run: Run, rules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert "to_npu" in (tmp_path / "out" / "p_msft" / "a.py").read_text()
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        make_tree(tmp_path / "p", {"new.py": "import tools\ntools.to_gpu(2)\n"})
        ran = run("migrate", "-i", "../p", "-o", "../out", "--update")
        assert ran.code in (0, 1) and str(rules) in ran.err
        assert "to_npu(2)" in (tmp_path / "out" / "p_msft" / "new.py").read_text()
        assert read_base(tmp_path / "out" / "p_msft").options["max_file_size"] == 7

    def test_one_that_is_gone_is_told_and_nothing_changes(
        self, run: Run, rules: Path, tmp_path: Path
    ) -> None:
        rules.rename(rules.with_name("other.json"))
        before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*")}
        ran = update(run)
        assert ran.code == 2 and str(rules) in ran.err and "Nothing was updated" in ran.err
        assert {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*")} == before
        assert update(run, "-r", "rules/other.json").code in (0, 1)


def test_the_output_itself_can_be_named(run: Run, output: Path, tmp_path: Path) -> None:
    (tmp_path / "p").rename(tmp_path / "p-2.0")
    assert run("migrate", "-i", "p-2.0", "-o", output, "--update").code == 0
    ran = run("migrate", "-i", "p-2.0", "-o", "out", "--update")
    assert ran.code == 2 and "no migrated project in out" in ran.err


def test_several_outputs_are_not_chosen_from(run: Run, output: Path, tmp_path: Path) -> None:
    shutil.copytree(output, output.with_name("p_msft_multi"))
    made = sorted(path.name for path in (tmp_path / "out").iterdir())
    ran = run("migrate", "-i", "p", "-o", "out", "--update")
    assert ran.code == 2 and all(name in ran.err for name in made)


@pytest.mark.parametrize(("answer", "stays"), [("y\n", False), ("\n", True), ("n\n", True), ("", True)])
def test_a_person_is_asked_before_files_go(
    run: Run, output: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, stays: bool
) -> None:
    (tmp_path / "p" / "old.py").unlink()

    class Keyboard:
        def isatty(self) -> bool:
            return True

        def readline(self) -> str:
            return answer

    monkeypatch.setattr(sys, "stdin", Keyboard())
    monkeypatch.setattr("gpu2ascend.cli.updating.can_ask", lambda session: True)
    monkeypatch.setattr("gpu2ascend.cli.commands.projects.migrate.can_ask", lambda session: True)
    ran = run("migrate", "-i", "p", "-o", "out", "--update")
    assert "  old.py" in ran.err and "Delete them? [y/N]" in ran.err
    assert (output / "old.py").exists() is stays


def test_where_nobody_reads_a_question_it_is_an_error_that_names_the_flag(
    run: Run, output: Path, tmp_path: Path
) -> None:
    (tmp_path / "p" / "old.py").unlink()
    ran = run("migrate", "-i", "p", "-o", "out", "--update")
    assert ran.code == 2 and "old.py" in ran.err and "--deletions" in ran.err
    assert (output / "old.py").exists()


REFUSED: dict[str, tuple[tuple[str, ...], Callable[[Path], object], str]] = {
    "no output": (("-o", "nowhere", "--update"), lambda _: None, "no migrated project in nowhere"),
    "a base that is missing": (
        ("-o", "out", "--update"),
        lambda out: (out / "p_msft" / BASE_NAME).unlink(),
        "has no .gpu2ascend/base.zip",
    ),
    "a base that is damaged": (
        ("-o", "out", "--update"),
        lambda out: (out / "p_msft" / BASE_NAME).write_bytes(b"PK"),
        "is damaged",
    ),
    "with --force": (("-o", "out", "--update", "--force"), lambda _: None, "--force"),
    "with --diff": (("-o", "out", "--update", "--diff"), lambda _: None, "--diff"),
    "--deletions alone": (("-o", "out", "--deletions", "keep"), lambda _: None, "--update"),
    "another value": (("-o", "out", "--update", "--deletions", "x"), lambda _: None, "ask, keep, follow"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_done_is_refused_by_name(run: Run, output: Path, tmp_path: Path, case: str) -> None:
    flags, change, text = REFUSED[case]
    change(tmp_path / "out")
    before = (output / "train.py").read_bytes()
    ran = run("migrate", "-i", "p", *flags)
    assert ran.code == 2 and text in ran.err
    assert (output / "train.py").read_bytes() == before


def test_a_person_sits_at_a_terminal_and_a_pipe_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session("en")
    assert not can_ask(session)
    monkeypatch.setattr(session.err, "is_terminal", True)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    assert can_ask(session)
