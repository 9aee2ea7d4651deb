"""What migrating files where they are would change in them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import attrs
import pytest

from gpu2ascend.project.errors import ProjectError
from gpu2ascend.project.inspect.placed import PlacedEdit
from gpu2ascend.project.inspect.previews.preview import PreviewRequest, Unsafe
from gpu2ascend.project.processes.cancellable import CancellableProcess
from gpu2ascend_rules.edits.offsets import apply_edits
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.lines import ColumnUnit, LineIndex
from tests.server.project.samples import CUDA, MIGRATED, OPTIONS, PLAIN, Files

Make = Callable[[Files], Path]
NOTEBOOK = '{"cells": [{"cell_type": "code", "metadata": {}, "source": ["CODE"]}], "nbformat": 4}'
TF32 = "torch.backends.cuda.matmul.allow_tf32 = True\n"


def preview(root: Path, **changes: object) -> dict[str, tuple[PlacedEdit, ...]]:
    """The edits of every file that would change."""
    values: dict[str, object] = {"root": root, "options": OPTIONS, "jobs": 1, **changes}
    process = CancellableProcess(PreviewRequest(**values))  # type: ignore[arg-type]
    return {file.path: file.edits for file in process.run()}


def edited(text: str, edits: tuple[PlacedEdit, ...], unit: ColumnUnit = ColumnUnit.UTF16) -> str:
    """A text after these edits."""
    data = text.encode()
    lines = LineIndex(data)
    own = [Edit(lines.offset(item.start, unit), lines.offset(item.end, unit), item.text) for item in edits]
    return apply_edits(data, own).decode()


def test_only_files_that_would_change_are_reported(make: Make) -> None:
    found = preview(make({"a.py": CUDA, "pkg/b.py": PLAIN, "c.txt": CUDA, "d.ipynb": PLAIN}))
    assert list(found) == ["a.py"]
    assert edited(CUDA, found["a.py"]) == MIGRATED


@pytest.mark.parametrize("unit", ColumnUnit)
def test_places_are_in_the_columns_asked_for(make: Make, unit: ColumnUnit) -> None:
    text = "import torch\ns = '😀'; torch.cuda.empty_cache()\n"
    edits = preview(make({"a.py": text}), unit=unit)["a.py"]
    assert edited(text, edits, unit).endswith("s = '😀'; torch_npu.npu.empty_cache()\n")


def test_notebooks_with_something_to_change_are_reported_and_left_out(make: Make) -> None:
    cuda, plain = (NOTEBOOK.replace("CODE", code) for code in ("import torch.cuda", "x = 1"))
    root = make({"a.py": PLAIN, "b.ipynb": cuda, "c.ipynb": PLAIN, "d.ipynb": plain})
    (file,) = CancellableProcess(PreviewRequest(root=root, options=OPTIONS, jobs=1)).run()
    assert (file.path, file.edits, file.is_left_out) == ("b.ipynb", (), True)


@pytest.mark.slow
def test_unsafe_fixes_are_distinguished_and_only_when_asked_for(make: Make) -> None:
    root = make({"a.py": CUDA + TF32})
    both, safe = preview(root)["a.py"], preview(root, unsafe=Unsafe.NONE)["a.py"]
    unsafe = [edit for edit in both if edit.change is not None and edit.change.unsafe is not None]
    assert unsafe and [edit for edit in both if edit not in unsafe] == list(safe)
    assert all(one.end <= other.start for one, other in pairwise(both))


def test_each_change_names_its_finding(make: Make) -> None:
    text = "import torch\nx = torch.ones(2).cuda()\n\ny = torch.zeros(2).cuda()\n"
    edits = preview(make({"a.py": text}))["a.py"]
    reasons = [edit.change.reasons for edit in edits if edit.change is not None]
    assert [[(reason.code, reason.line) for reason in found] for found in reasons] == [
        [("NPU110", 2)],
        [("NPU110", 4)],
    ]
    assert [edit.text for edit in edits if edit.change is None] == ["\nimport torch_npu"]


def test_what_a_package_beside_the_file_is_needed_for_is_left_to_a_migration(make: Make) -> None:
    """ModelArts' paths and equivalents are written with helpers that a migration adds to the project."""
    text = f"{CUDA}data = open('data.txt')\ny = torch.nn.TransformerDecoder(layer, 2)\n"
    options = attrs.evolve(OPTIONS, modelarts=True, replace_unsupported=True)
    found = preview(make({"a.py": text}), options=options, unsafe=Unsafe.NONE)
    assert edited(text, found["a.py"]) == text.replace(CUDA, MIGRATED)


def test_texts_count_in_place_of_files(make: Make) -> None:
    root = make({"a.py": CUDA, "b.py": PLAIN})
    assert list(preview(root, texts={"a.py": PLAIN, "b.py": CUDA})) == ["b.py"]


def test_files_that_cannot_be_read_are_passed_over(make: Make) -> None:
    assert list(preview(make({"a.py": b"\xff\xfe", "b.py": CUDA}))) == ["b.py"]


def test_a_folder_that_is_gone_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ProjectError) as caught:
        preview(tmp_path / "gone")
    assert caught.value.message.id == "project.input-missing"
