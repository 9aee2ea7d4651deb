"""The script that sets the environment, in the output of a migration."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpu2ascend.project.migrate.migrate import migrate
from gpu2ascend.project.report.result import MigrationRequest, MigrationResult
from gpu2ascend_rules.options.options import options_from

from ..samples import CUDA, make_tree

TRAINING = """\
import torch
from torch.utils.data import DataLoader

model = torch.nn.Linear(2, 2).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in DataLoader(torch.zeros(8, 2)):
    model(x.cuda()).sum().backward()
    optimizer.step()
"""
GROUP = 'import torch.distributed as dist\ndist.init_process_group("nccl")\n'


def migrated(tmp_path: Path, files: dict[str, str], **options: object) -> MigrationResult:
    """The result of migrating a project of these files."""
    project = make_tree(tmp_path / "proj", files)
    chosen = options_from({"version": "2.8.0", **options})
    return migrate(MigrationRequest(input=project, output=tmp_path / "out", options=chosen))


def text_of(result: MigrationResult, name: str = "env.sh") -> str:
    assert result.output_path is not None
    return (result.output_path / name).read_text(encoding="utf-8")


def test_a_project_that_uses_torch_gets_it(tmp_path: Path) -> None:
    result = migrated(tmp_path, {"train.py": CUDA})
    assert result.environment == "env.sh"
    assert "set_env.sh" in text_of(result) and "HCCL_CONNECT" not in text_of(result)


def test_one_that_does_not_gets_none(tmp_path: Path) -> None:
    result = migrated(tmp_path, {"tool.py": "print(1)\n"})
    assert result.environment is None
    assert result.output_path is not None and not (result.output_path / "env.sh").exists()


def test_what_the_project_needs_is_set(tmp_path: Path) -> None:
    result = migrated(
        tmp_path,
        {"train.py": f"{CUDA}{GROUP}", "run.sh": "export CUDA_VISIBLE_DEVICES=1,0\npython train.py\n"},
    )
    assert "HCCL_CONNECT_TIMEOUT" in text_of(result) and "CUDA_VISIBLE_DEVICES" in text_of(result)


def test_a_script_of_the_project_stays_and_ours_has_another_name(tmp_path: Path) -> None:
    result = migrated(tmp_path, {"train.py": CUDA, "env.sh": "export A=1\n"})
    assert result.environment == "env_npu.sh"
    assert text_of(result) == "export A=1\n" and "set_env.sh" in text_of(result, "env_npu.sh")
    assert "project.environment-renamed" in {notice.id for notice in result.notices}


@pytest.mark.parametrize("theirs", ["", "export A=1\n"])
def test_the_launch_scripts_source_it_under_its_name(tmp_path: Path, theirs: str) -> None:
    files = {"train.py": TRAINING, **({"env.sh": theirs} if theirs else {})}
    result = migrated(tmp_path, files, distributed=True, main_file="train.py", launcher="torchrun")
    for script in ("run_distributed_npu.sh", "run_torchrun.sh", "run_distributed_ascend.sh"):
        assert re.search(rf"source \./{result.environment}\b", text_of(result, script))


def test_a_migrated_project_that_is_migrated_again_keeps_it(tmp_path: Path) -> None:
    first = migrated(tmp_path, {"train.py": CUDA, "run.sh": "CUDA_VISIBLE_DEVICES=0 python train.py\n"})
    assert first.output_path is not None
    request = MigrationRequest(
        input=first.output_path, output=tmp_path / "again", options=options_from({"version": "2.8.0"})
    )
    second = migrate(request)
    assert second.environment == "env.sh" and text_of(second) == text_of(first)
    assert "project.added-file-kept" not in {notice.id for notice in second.notices}
