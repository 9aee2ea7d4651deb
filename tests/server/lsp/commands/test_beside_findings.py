"""Besides findings, an analysis of a project has kernels with their sizes, and the copy to run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ..editor import editing

pytestmark = pytest.mark.slow

TRAIN = "import torch\nfor x in loader:\n    y = torch.nonzero(x)\n"
KERNEL = "__global__ void add(float* x) { x[0] = 1; }\n"


async def analyzed(project: Path, parameters: dict[str, object], **options: object) -> Any:
    async with editing(project, initialization_options={"version": "2.8.0", **options}) as editor:
        return await editor.ask("gpu2ascend/analyze", {"folder": str(project), **parameters})


def made(folder: Path) -> Path:
    project = folder / "project"
    project.mkdir()
    (project / "train.py").write_text(TRAIN)
    (project / "add.cu").write_text(KERNEL)
    return project


async def test_the_kernels_are_sized(tmp_path: Path) -> None:
    result = await analyzed(made(tmp_path), {})
    (chapter,) = result["kernels"]
    assert [item["name"] for item in chapter["kernels"]] == ["add"] and chapter["total"]["kernels"] == 1
    assert result["copies"] == []


async def test_the_copy_that_watches_shapes_is_written_where_it_is_asked_for(tmp_path: Path) -> None:
    output = tmp_path / "out"
    result = await analyzed(made(tmp_path), {"output": str(output)}, modes=["dynamic_shape"])
    (copy,) = result["copies"]
    assert copy["loops"] == [{"path": "train.py", "line": 2}] and copy["notices"]
    assert "DETECTOR.start(loader)" in (Path(copy["path"]) / "train.py").read_text()
    assert [finding["code"] for finding in result["findings"]] == ["DYN001"]
