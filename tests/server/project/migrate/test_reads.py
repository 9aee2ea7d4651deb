"""What a migration does once: to open a file in each pass, to follow a word. Counts, no seconds."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from gpu2ascend.project import regular_files
from gpu2ascend.project.migrate.migrate import MigrationRequest, migrate
from gpu2ascend_rules.flow.tracing.entries.config_files import Loads
from gpu2ascend_rules.flow.tracing.tracer import Tracer
from gpu2ascend_rules.flow.tracing.values import Followed
from gpu2ascend_rules.options.options import options_from

OPTIONS = options_from({"version": "2.8.0"})
SETUP = (
    "from setuptools import setup\nfrom torch.utils.cpp_extension import CUDAExtension\n"
    "setup(ext_modules=[CUDAExtension('ops_cuda', ['ops.cu'])])\n"
)
MOST = 9
"""Times that a module is opened, whatever it imports: the passes over a project, each one read."""


def opened_by(root: Path, count: int, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each file is opened when a project with so many modules is migrated, which nobody changes."""
    project = root / f"project_{count}"
    project.mkdir()
    imports = "".join(f"from part_{number} import run_{number}\n" for number in range(count))
    files = {
        "setup.py": SETUP,
        "train.py": f"import torch\n{imports}if torch.cuda.is_available():\n    run_0(torch.ones(2))\n",
        "config.yaml": "device: cuda\n",
    }
    for number in range(count):
        body = f"import torch, ops_cuda\ndef run_{number}(x, device='cuda'):\n"
        files[f"part_{number}.py"] = f"{body}    if x.is_cuda:\n        return ops_cuda.run(x.to(device))\n"
    for name, text in files.items():
        (project / name).write_text(text, encoding="utf-8")
        then = (project / name).stat().st_mtime - 3600
        os.utime(project / name, (then, then))
    opened: Counter[str] = Counter()
    opening = regular_files._opened

    def noted(path: str | os.PathLike[str], *, follow: bool) -> int:
        if project in Path(path).parents:
            opened[Path(path).name] += 1
        return opening(path, follow=follow)

    with monkeypatch.context() as patch:
        patch.setattr(regular_files, "_opened", noted)
        migrate(MigrationRequest(input=project, output=root / f"out_{count}", options=OPTIONS, jobs=1))
    return opened


def test_no_file_is_opened_more_often_in_a_larger_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small, large = (opened_by(tmp_path, count, monkeypatch) for count in (3, 24))
    assert {name: large[name] for name in small} == small
    assert 0 < max(large.values()) <= MOST, large


def test_a_word_of_a_configuration_is_followed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "config.yaml").write_text("device: cuda\n", encoding="utf-8")
    (project / "train.py").write_text(
        "import torch, yaml\nsettings = yaml.safe_load(open('config.yaml'))\n"
        "x = torch.ones(2).to(settings['device'])\n",
        encoding="utf-8",
    )
    followed: list[tuple[str, ...]] = []
    follow = Tracer.follow_setting

    def noted(tracer: Tracer, loads: Loads, keys: tuple[str, ...]) -> Followed:
        followed.append(keys)
        return follow(tracer, loads, keys)

    monkeypatch.setattr(Tracer, "follow_setting", noted)
    migrate(MigrationRequest(input=project, output=tmp_path / "out", options=OPTIONS, jobs=1))
    assert followed == [("device",)]
    assert (tmp_path / "out/project_msft/config.yaml").read_text(encoding="utf-8") == "device: npu\n"
