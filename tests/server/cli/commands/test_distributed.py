"""``gpu2ascend migrate … distributed -m train.py -t model``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.codemods.distributed.conversion import script
from tests.server.cli.conftest import Run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a training script."""
    directory = tmp_path / "proj"
    directory.mkdir()
    (directory / "train.py").write_text(script(), encoding="utf-8")
    return directory


def migrate(run: Run, project: Path, *arguments: str) -> str:
    """The error of a migration that must not write anything."""
    ran = run("migrate", "-i", project, "-o", "out", "-v", "2.8.0", *arguments)
    assert (ran.code, Path("out").exists()) == (2, False), ran
    return ran.err


class TestMigration:
    def test_makes_a_project_of_its_own_name(self, run: Run, project: Path) -> None:
        ran = run("migrate", "-i", project, "-o", "out", "-v", "2.8.0", "distributed", "-m", "train.py")
        assert ran.code == 0, ran.err
        text = Path("out/proj_msft_multi/train.py").read_text(encoding="utf-8")
        assert "model = DistributedDataParallel(model" in text
        assert ".cuda(" not in text

    def test_has_a_script_that_starts_the_processes(self, run: Run, project: Path) -> None:
        run("migrate", "-i", project, "-o", "out", "-v", "2.8.0", "distributed", "-m", "train.py")
        launcher = Path("out/proj_msft_multi/run_distributed_npu.sh")
        assert "python3 -u train.py" in launcher.read_text(encoding="utf-8")
        assert launcher.stat().st_mode & 0o111

    def test_leaves_the_project_its_own_script(self, run: Run, project: Path) -> None:
        (project / "run_distributed_npu.sh").write_text("mine\n", encoding="utf-8")
        ran = run("migrate", "-i", project, "-o", "out", "-v", "2.8.0", "distributed", "-m", "train.py")
        assert Path("out/proj_msft_multi/run_distributed_npu.sh").read_text(encoding="utf-8") == "mine\n"
        assert "run_distributed_npu.sh" in ran.err

    def test_records_its_changes(self, run: Run, project: Path) -> None:
        run("migrate", "-i", project, "-o", "out", "-v", "2.8.0", "distributed", "-m", "train.py")
        changes = Path("out/proj_msft_multi/change_list.csv").read_text(encoding="utf-8")
        for code in ("NPU420", "NPU421", "NPU422", "NPU423"):
            assert f",{code} " in changes.replace('"', "")

    def test_takes_the_main_file_from_the_present_directory_too(self, run: Run, project: Path) -> None:
        main = str(project / "train.py")
        ran = run("migrate", "-i", project, "-o", "out", "-v", "2.8.0", "distributed", "-m", main)
        assert ran.code == 0, ran.err

    def test_changes_nothing_when_it_is_done_again(self, run: Run, project: Path) -> None:
        arguments = ("-v", "2.8.0", "distributed", "-m", "train.py")
        run("migrate", "-i", project, "-o", "out", *arguments)
        run("migrate", "-i", "out/proj_msft_multi", "-o", "again", *arguments)
        once = Path("out/proj_msft_multi/train.py").read_bytes()
        assert Path("again/proj_msft_multi_msft_multi/train.py").read_bytes() == once


class TestErrors:
    def test_a_main_file_is_needed(self, run: Run, project: Path) -> None:
        assert "give it as --main" in migrate(run, project, "distributed")

    def test_it_must_exist(self, run: Run, project: Path) -> None:
        assert "other.py does not exist" in migrate(run, project, "distributed", "-m", "other.py")

    def test_it_must_lie_in_the_project(self, run: Run, project: Path, tmp_path: Path) -> None:
        (tmp_path / "outside.py").write_text("x = 1\n", encoding="utf-8")
        message = migrate(run, project, "distributed", "-m", str(tmp_path / "outside.py"))
        assert "lies outside the input" in message

    def test_it_must_be_python(self, run: Run, project: Path) -> None:
        (project / "broken.py").write_text("def (:\n", encoding="utf-8")
        (project / "run.sh").write_text("true\n", encoding="utf-8")
        assert "cannot be parsed" in migrate(run, project, "distributed", "-m", "broken.py")
        assert "is not a Python script" in migrate(run, project, "distributed", "-m", "run.sh")

    def test_it_must_have_the_model(self, run: Run, project: Path) -> None:
        message = migrate(run, project, "distributed", "-m", "train.py", "-t", "self.net")
        assert "`self.net`" in message

    def test_the_number_of_hosts_belongs_to_a_launcher(self, run: Run, project: Path) -> None:
        arguments = ("distributed", "-m", "train.py", "--nnodes", "2")
        assert "choose one with --launcher" in migrate(run, project, *arguments)
        (project / "pyproject.toml").write_text(
            '[tool.gpu2ascend]\nlauncher = "torchrun"\n', encoding="utf-8"
        )
        ran = run("migrate", "-i", project, "-o", "out", "-v", "2.8.0", *arguments)
        assert ran.code == 0, ran.err

    @pytest.mark.parametrize("flag", [("-t", "net"), ("--launcher", "torchrun"), ("--nnodes", "2")])
    def test_the_flags_belong_to_distributed(self, run: Run, project: Path, flag: tuple[str, str]) -> None:
        assert "belongs to `distributed`" in migrate(run, project, *flag)
