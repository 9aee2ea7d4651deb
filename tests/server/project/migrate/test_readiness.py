"""A migration is only called complete where the project can be expected to train."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gpu2ascend.project.migrate.file_job import frameworks_in
from gpu2ascend.project.migrate.readiness import names_gpus
from gpu2ascend.project.report.result import Framework
from gpu2ascend_rules.options.options import MigrationOptions, options_from
from tests.server.project.conftest import Migrate, Migrated
from tests.server.project.samples import Files

Make = Callable[[Files], Path]

MODEL = "import torch\n\nlayer = torch.nn.Linear(1, 1)\n"
LIGHTNING = "import lightning as L\nimport torch\n\nL.Trainer(**read())\n"


def for_torch(version: str) -> MigrationOptions:
    return options_from({"version": version})


def notices(done: Migrated) -> list[str]:
    return [notice.id for notice in done.result.notices]


@pytest.mark.parametrize(("version", "complete"), [("2.1.0", False), ("2.4.0", False), ("2.5.1", True)])
def test_before_torch_loads_it_some_file_must_import_torch_npu(
    make: Make, run: Migrate, version: str, complete: bool
) -> None:
    done = run(make({"a.py": MODEL}), options=for_torch(version))
    assert done.result.summary.is_complete is complete
    assert (done.result.exit_code, "project.not-ready-import" in notices(done)) == (
        1 - complete,
        not complete,
    )


def test_one_file_that_imports_it_is_enough(make: Make, run: Migrate) -> None:
    done = run(
        make({"a.py": MODEL, "b.py": "import torch\ntorch.cuda.synchronize()\n"}), options=for_torch("2.1.0")
    )
    assert done.result.summary.is_complete


def test_a_project_without_torch_needs_nothing(make: Make, run: Migrate) -> None:
    assert run(make({"a.py": "print(1)\n"}), options=for_torch("2.1.0")).result.summary.is_complete


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("conf/trainer.yaml", "trainer:\n  accelerator: gpu\n  devices: 2\n"),
        ("conf/trainer.yaml", "accelerator: 'cuda'\n"),
        ("conf/trainer.json", '{\n  "accelerator": "gpu"\n}\n'),
        ("conf/trainer.yaml", "gpus: 2\n"),
    ],
)
def test_a_configuration_that_asks_lightning_for_gpus_is_an_obstacle(
    make: Make, run: Migrate, name: str, text: str
) -> None:
    done = run(make({"train.py": LIGHTNING, name: text}), options=for_torch("2.8.0"))
    assert done.result.exit_code == 1
    notices = [item for item in done.result.notices if item.id == "project.not-ready-trainer"]
    left = done.outcomes[name].remaining if name in done.outcomes else ()
    findings = [item for item in left if item.finding.code == "NPU1203"]
    assert len(notices) + len(findings) == 1
    assert all(str(dict(item.arguments)["place"]).startswith(name) for item in notices)


@pytest.mark.parametrize(
    ("code", "text"),
    [(LIGHTNING, "accelerator: npu\n"), (LIGHTNING, "gpus: 0\n"), (MODEL, "accelerator: gpu\n")],
)
def test_other_configurations_are_none(make: Make, run: Migrate, code: str, text: str) -> None:
    assert run(
        make({"train.py": code, "a.yaml": text}), options=for_torch("2.8.0")
    ).result.summary.is_complete


def test_a_trainer_that_its_code_asks_for_gpus_is_told_there_alone(make: Make, run: Migrate) -> None:
    code = LIGHTNING.replace("**read()", "accelerator='gpu', devices=read().gpus")
    done = run(make({"train.py": code, "a.yaml": "gpus: 1\n"}), options=for_torch("2.8.0"))
    assert done.result.exit_code == 1
    assert notices(done) == []


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("align.pyx", "cdef int run(x): ...\n", False),
        ("run.bat", "docker run --gpus all x\n", True),
        ("notes.md", "needs a GPU\n", False),
        ("missing.pyx", "", True),
    ],
)
def test_which_files_that_no_rule_covers_name_gpus(
    tmp_path: Path, name: str, text: str, expected: bool
) -> None:
    if text:
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert names_gpus(str(tmp_path), name) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"import torch\n", {Framework.TORCH}),
        (b"x = 1; from torch import nn\n", {Framework.TORCH}),
        (b"try:\n    import torch_npu\n", {Framework.TORCH_NPU}),
        (b'  "source": ["import torch\\n", "import torch_npu"]', {Framework.TORCH, Framework.TORCH_NPU}),
        (b"import pytorch_lightning as pl\n", {Framework.LIGHTNING}),
        (b"# import torch\nimport torchvision\n", set()),
    ],
)
def test_what_a_file_imports(text: bytes, expected: set[Framework]) -> None:
    assert frameworks_in(text) == expected
