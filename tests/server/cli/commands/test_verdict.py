"""What the summary of a migration ends with: a verdict, the findings by cause, and what to type next."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from ..conftest import STUCK, TRAIN, Ran, Run, make_project

V = ("-v", "2.8.0")
NVTX = "import torch\ntorch.cuda.nvtx.mark('step')\n"
DOUBLE = (
    "import torch\nimport torch.distributed as dist\n"
    "t = torch.zeros(2, dtype=torch.float64, device='cuda')\ndist.all_reduce(t)\n"
)
SLOW = "import torch\ntorch.backends.cudnn.allow_tf32 = True\n"


def commands(printed: str) -> list[str]:
    """The commands that end the output, without what they are for."""
    lines = printed.splitlines()
    block = lines[lines.index("Next:") + 1 :]
    assert all(line.startswith("  # ") for line in block[::2])
    return [line.strip() for line in block[1::2]]


@pytest.mark.parametrize(
    ("text", "code"), [(NVTX, 1), (DOUBLE, 1), (SLOW, 0), (TRAIN, 0)], ids=["nvtx", "double", "slow", "done"]
)
def test_0_means_that_nothing_is_left_which_raises(run: Run, tmp_path: Path, text: str, code: int) -> None:
    project = make_project(tmp_path / "p", {"train.py": text})
    assert run("migrate", "-i", project, "-o", tmp_path / "out", *V).code == code


def test_errors_and_warnings_are_printed_the_errors_first(run: Run, tmp_path: Path) -> None:
    project = make_project(tmp_path / "p", {"a.py": SLOW, "b.py": NVTX})
    first, second, headline, *_ = run("migrate", "-i", project, "-o", tmp_path / "out", *V).out.splitlines()
    assert first.startswith(f"{project / 'b.py'}:2: NPU520 ") and not first.endswith("[warning]")
    assert second.startswith(f"{project / 'a.py'}:2: NPU501 ") and second.endswith("[warning]")
    assert "with work left to do" in headline


def test_rules_are_counted_the_worst_first(run: Run, tmp_path: Path) -> None:
    project = make_project(tmp_path / "p", {"a.py": SLOW, "b.py": NVTX + "torch.cuda.nvtx.mark('b')\n"})
    lines = run("migrate", "-i", project, "-o", tmp_path / "out", *V).out.splitlines()
    at = lines.index("Not ready to train, for these known reasons.")
    assert [line.split()[:3] for line in lines[at + 3 : at + 5]] == [
        ["2", "error", "NPU520"], ["1", "warning", "NPU501"],
    ]  # fmt: skip


def test_the_offered_fixes_are_the_command_as_it_was_typed_and_more(run: Run, tmp_path: Path) -> None:
    project = make_project(tmp_path / "a b", {"train.py": NVTX})
    out = tmp_path / "out"
    ran = run("migrate", "-i", project, "-o", out, *V)
    explain, again, verify = commands(ran.out)
    assert explain == "gpu2ascend explain NPU520"
    assert shlex.split(verify) == ["gpu2ascend", "verify", str(out / "a b_msft"), "--", "train.py"]
    program, *words = shlex.split(again)
    assert program == "gpu2ascend" and run(*words).code == 0
    assert "mstx.mark" in (out / "a b_msft" / "train.py").read_text(encoding="utf-8")


def test_a_complete_migration_goes_on_on_the_machine(run: Run, project: Path, tmp_path: Path) -> None:
    ran = run("migrate", "-i", project, "-o", tmp_path / "out", *V)
    verify, environment, doctor = commands(ran.out)
    assert verify.startswith("gpu2ascend verify ") and doctor == "gpu2ascend doctor"
    assert (tmp_path / "out" / "proj_msft" / shlex.split(environment)[1]).is_file()


def test_a_preview_is_followed_by_the_migration(run: Run, tmp_path: Path) -> None:
    project = make_project(tmp_path / "p", {"train.py": STUCK})
    first, *_ = commands(run("migrate", "-i", project, "--diff", *V).err)
    assert shlex.split(first) == ["gpu2ascend", "migrate", "-i", str(project), *V, "-o", "out"]


def test_the_script_to_verify_is_the_one_that_trains(run: Run, tmp_path: Path) -> None:
    script = "import argparse\nimport torch\nloss = torch.ones(1, device='cuda')\nloss.backward()\n"
    project = make_project(tmp_path / "p", {"README.md": "", "bin/pretrain.py": script})
    verify, *_ = commands(run("migrate", "-i", project, "-o", tmp_path / "out", *V).out)
    assert shlex.split(verify)[-2:] == ["--", "bin/pretrain.py"]
    page = (tmp_path / "out" / "p_msft" / "report.html").read_text(encoding="utf-8")
    assert "gpu2ascend verify . -- bin/pretrain.py" in page


def test_a_library_has_no_script_and_the_command_says_so(run: Run, tmp_path: Path) -> None:
    project = make_project(tmp_path / "p", {"lib/layers.py": TRAIN})
    verify, *_ = commands(run("migrate", "-i", project, "-o", tmp_path / "out", *V).out)
    assert shlex.split(verify)[-2:] == ["--", "SCRIPT.py"]


class TestCheckOfADirectory:
    """On a terminal, the check of a directory ends as a migration does; for programs it is lines alone."""

    @pytest.fixture
    def shown(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
        """Run the command line as if a person looked at it."""

        def call(*arguments: str | Path) -> Ran:
            monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
            return run(*arguments)

        monkeypatch.setenv("NO_COLOR", "1")
        monkeypatch.setenv("TERM", "xterm")
        return call

    def test_errors_are_a_verdict_with_causes_and_commands(self, shown: Run, tmp_path: Path) -> None:
        project = make_project(tmp_path / "p", {"a.py": SLOW, "b.py": NVTX, "train.py": TRAIN})
        printed = shown("check", project, *V).out
        assert "Not ready for the NPU: errors: 1, " in printed
        migrate, explain, fix = commands(printed)
        assert shlex.split(migrate)[1:] == ["migrate", "-i", str(project), "-o", "out", "-v", "2.8.0"]
        assert explain == "gpu2ascend explain NPU520"
        assert shlex.split(fix)[1:] == ["check", str(project), *V, "--fix"]

    def test_a_command_that_is_proposed_can_be_given(self, shown: Run, tmp_path: Path) -> None:
        project = make_project(tmp_path / "a b", {"train.py": TRAIN})
        options = ("--select", "NPU1", "--no-advice", "--unsafe")
        migrate, *_ = commands(shown("check", project, *V, *options).out)
        words = shlex.split(migrate)[1:]
        words[words.index("out")] = str(tmp_path / "out")
        assert shown(*words).code == 0

    def test_fixes_that_need_a_review_are_proposed_where_no_others_are(
        self, shown: Run, tmp_path: Path
    ) -> None:
        project = make_project(tmp_path / "p", {"b.py": NVTX})
        fix, _ = commands(shown("check", project, *V).out)
        assert shlex.split(fix)[-2:] == ["--fix", "--unsafe-fixes"]

    def test_information_is_no_reason_to_wait(self, shown: Run, tmp_path: Path) -> None:
        text = "import torch\ntorch.backends.cudnn.benchmark = True\n"
        project = make_project(tmp_path / "p", {"a.py": text})
        assert "Nothing here is known to fail on the NPU" in shown("check", project, *V).out

    def test_a_single_file_ends_with_the_count(self, shown: Run, tmp_path: Path) -> None:
        project = make_project(tmp_path / "p", {"b.py": NVTX})
        assert "Next:" not in shown("check", project / "b.py", *V).out
