"""All findings of a project, from a separate process."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from gpu2ascend.project.errors import CancelledError, ProjectError
from gpu2ascend.project.inspect.analysis import Analysis
from gpu2ascend.project.inspect.placed import PlacedFile
from gpu2ascend.project.processes.cancellable import CancellableProcess
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.lines import ColumnUnit
from tests.server.project.samples import CUDA, OPTIONS, PLAIN, STUCK, Files

Make = Callable[[Files], Path]


def analysed(root: Path, **changes: object) -> dict[str, PlacedFile]:
    """Every file by its path."""
    files: list[PlacedFile] = []
    values: dict[str, object] = {"root": root, "options": OPTIONS, "jobs": 1, **changes}
    count = CancellableProcess(Analysis(**values)).run(files.append)  # type: ignore[arg-type]
    assert count == len(files)
    return {file.path: file for file in files}


def codes(file: PlacedFile) -> list[str]:
    """The codes of what was found."""
    return [finding.code for finding, _ in file.findings]


def test_every_python_file_is_reported_with_how_far_it_is(make: Make) -> None:
    found = analysed(make({"a.py": CUDA, "pkg/b.py": PLAIN, "README.md": "x"}))
    assert {path: (file.done, file.total) for path, file in found.items()} == {
        "a.py": (1, 2),
        "pkg/b.py": (2, 2),
    }
    assert codes(found["a.py"]) and not codes(found["pkg/b.py"])


@pytest.mark.slow
def test_places_are_in_the_columns_asked_for(make: Make) -> None:
    root = make({"a.py": "import torch\ns = '😀'; torch.cuda.empty_cache()\n"})
    for unit, column in ((ColumnUnit.UTF16, 10), (ColumnUnit.BYTE, 12), (ColumnUnit.CODE_POINT, 9)):
        ((_, place),) = analysed(root, unit=unit)["a.py"].findings
        assert place.start == (1, column)


def test_texts_count_in_place_of_files(make: Make) -> None:
    root = make({"a.py": CUDA, "b.py": PLAIN})
    found = analysed(root, texts={"a.py": PLAIN, "b.py": STUCK})
    assert not codes(found["a.py"]) and len(codes(found["b.py"])) == 1


def test_a_file_that_cannot_be_read_has_a_problem(make: Make) -> None:
    found = analysed(make({"a.py": b"\xff\xfe", "b.py": CUDA}))
    problem = found["a.py"].problem
    assert problem is not None and problem.id == "project.encoding-bytes" and codes(found["b.py"])


def test_excluded_files_are_passed_over(make: Make) -> None:
    options = options_from({"version": "2.8.0", "exclude": "vendor"})
    assert list(analysed(make({"a.py": CUDA, "vendor/b.py": CUDA}), options=options)) == ["a.py"]


def test_a_folder_that_is_gone_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ProjectError) as caught:
        analysed(tmp_path / "gone")
    assert caught.value.message.id == "project.input-missing"


def test_cancelled_it_ends(make: Make) -> None:
    root = make({f"m{number}.py": CUDA * 40 for number in range(300)})
    seen: list[PlacedFile] = []
    process = CancellableProcess(Analysis(root=root, options=OPTIONS, jobs=1))

    def cancel(file: PlacedFile) -> None:
        seen.append(file)
        process.cancel()

    with pytest.raises(CancelledError):
        process.run(cancel)
    assert 0 < len(seen) < 300


def test_places_in_a_notebook_are_in_its_cells(make: Make) -> None:
    markdown = {"cell_type": "markdown", "metadata": {}, "source": ["text"]}
    code = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": lines}
        for lines in (["import torch"], ["%time\n", "torch.cuda.empty_cache()"])
    ]
    notebook = {"cells": [markdown, *code], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    ((_, place),) = analysed(make({"a.ipynb": json.dumps(notebook)}))["a.ipynb"].findings
    assert (place.cell, place.start.line, place.start.column) == (3, 1, 0)


@pytest.mark.slow
def test_what_only_the_project_shows_is_marked_and_fixes_are_told(make: Make) -> None:
    library = "import torch\n\n\ndef make():\n    return torch.zeros(1)\n"
    use = "import torch\nfrom library import make\n\nmake().to_dense()\ntorch.cuda.synchronize()\n"
    found = analysed(make({"library.py": library, "use.py": use}))["use.py"].findings
    assert [(item.code, place.is_proven, place.fix is not None) for item, place in found] == [
        ("NPU001", True, False),
        ("NPU101", False, True),
    ]


@pytest.mark.slow
def test_apis_of_unknown_support_are_told_where_that_is_asked_for(make: Make) -> None:
    root = make({"a.py": "import torch\n\ntorch.special.i0e(1)\n"})
    options = options_from({"version": "2.8.0", "unknown_apis": True})
    assert not codes(analysed(root)["a.py"])
    assert codes(analysed(root, options=options)["a.py"]) == ["NPU003"]
