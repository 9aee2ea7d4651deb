"""What is done with one file: what comes of it, what is written, and what is shown of it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import attrs
import pytest

from gpu2ascend.project.files.discover import Entry, EntryKind
from gpu2ascend.project.migrate.file_job import FileJob, frameworks_in
from gpu2ascend.project.report.result import FileOutcome, FileStatus, Framework
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.model.outcome import FileChange
from gpu2ascend_rules.model.project.project_view import STANDALONE
from gpu2ascend_rules.options.options import options_from
from tests.server.project.samples import CUDA, MIGRATED, OPTIONS, PLAIN, make_tree

KERNEL = "__global__ void add(float* x) {}\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {
        "a.py": CUDA,
        "plain.py": PLAIN,
        "k.cu": KERNEL,
        "conf.yaml": "device: cuda\n",
        "bad.py": b"\xff",
    }
    make_tree(tmp_path / "out", {"none": ""})
    return make_tree(tmp_path / "proj", files)


def done(
    root: Path, path: str, kind: EntryKind = EntryKind.PYTHON, *, writes: bool = True, **job: Any
) -> FileOutcome:
    destination = str(root.parent / "out") if writes else None
    values = {"options": OPTIONS, "project": STANDALONE, **job}
    make = FileJob(root=str(root), destination=destination, **values)
    size = (root / path).stat().st_size if (root / path).exists() else 0
    return make(Entry(kind, path, 0o644, size))


def written(root: Path, path: str) -> bytes | None:
    file = root.parent / "out" / path
    return file.read_bytes() if file.exists() else None


def test_a_migrated_file_is_written_and_told_with_its_digest(root: Path) -> None:
    outcome = done(root, "a.py")
    assert written(root, "a.py") == MIGRATED.encode()
    assert outcome.status is FileStatus.CHANGED and outcome.applied
    assert outcome.written == ("a.py", hashlib.sha256(MIGRATED.encode()).hexdigest())
    assert (outcome.diff, outcome.patch, outcome.hunks) == (None, None, None)
    assert outcome.imports == {Framework.TORCH, Framework.TORCH_NPU}


def test_where_nothing_is_written_the_difference_is_given_as_text_and_as_bytes(root: Path) -> None:
    outcome = done(root, "a.py", writes=False)
    assert outcome.written is None and written(root, "a.py") is None
    assert outcome.diff is not None and "+import torch_npu" in outcome.diff
    assert outcome.patch is not None and b"+import torch_npu" in outcome.patch
    plain = done(root, "plain.py", writes=False)
    assert (plain.status, plain.diff, plain.patch) == (FileStatus.UNCHANGED, None, None)


def test_a_file_in_which_nothing_changes_is_written_as_it_is(root: Path) -> None:
    outcome = done(root, "plain.py")
    assert written(root, "plain.py") == PLAIN.encode()
    assert outcome.written == ("plain.py", hashlib.sha256(PLAIN.encode()).hexdigest())


def test_of_a_cuda_source_the_kernels_are_named(root: Path) -> None:
    outcome = done(root, "k.cu", EntryKind.KERNELS)
    assert (outcome.status, outcome.kernels) == (FileStatus.UNCHANGED, ("add",))
    assert written(root, "k.cu") == KERNEL.encode()


def test_differences_side_by_side_are_given_where_they_are_wanted(root: Path) -> None:
    outcome = done(root, "a.py", wants_hunks=True)
    assert outcome.hunks is not None and any(not row.is_equal for part in outcome.hunks.parts for row in part)
    assert done(root, "plain.py", wants_hunks=True).hunks is None


def test_what_codemods_make_of_a_file_counts_for_that_file(root: Path) -> None:
    change = FileChange(f"{PLAIN}y = 2\n", (Edit(len(PLAIN), len(PLAIN), "y = 2\n"),), (), ())
    assert done(root, "plain.py", codemods={"plain.py": change}).status is FileStatus.CHANGED
    assert written(root, "plain.py") == f"{PLAIN}y = 2\n".encode()
    assert done(root, "plain.py", codemods={"a.py": change}).status is FileStatus.UNCHANGED


def test_a_file_that_is_too_large_is_copied_and_reported(root: Path) -> None:
    small = attrs.evolve(OPTIONS, max_file_size=1)
    (root / "a.py").write_text(CUDA + "#" * 2_000_000)
    outcome = done(root, "a.py", options=small)
    assert outcome.status is FileStatus.FAILED and outcome.problem is not None
    assert written(root, "a.py") == (root / "a.py").read_bytes()
    assert outcome.written is not None and outcome.written.path == "a.py"
    assert done(root, "a.py", options=small, writes=False).written is None


def test_a_file_that_cannot_be_read_is_reported_and_not_written(root: Path) -> None:
    outcome = done(root, "gone.py")
    assert (outcome.status, outcome.written) == (FileStatus.UNREADABLE, None)
    assert written(root, "gone.py") is None


def test_a_file_that_is_no_text_is_copied(root: Path) -> None:
    outcome = done(root, "bad.py")
    assert outcome.status is FileStatus.UNDECODABLE and outcome.problem is not None
    assert written(root, "bad.py") == b"\xff"


@pytest.mark.parametrize("writes", [True, False])
def test_a_file_on_which_the_worker_died_is_copied(root: Path, writes: bool) -> None:
    destination = str(root.parent / "out") if writes else None
    job = FileJob(root=str(root), destination=destination, options=OPTIONS, project=STANDALONE)
    outcome = job.give_up(Entry(EntryKind.PYTHON, "a.py", 0o644, 1))
    assert outcome.status is FileStatus.FAILED
    assert outcome.problem is not None and outcome.problem.id == "project.worker-died"
    assert (written(root, "a.py") == CUDA.encode()) is writes
    assert (outcome.written is not None) is writes
    gone = job.give_up(Entry(EntryKind.PYTHON, "gone.py", 0o644, 1))
    assert gone.status is (FileStatus.UNREADABLE if writes else FileStatus.FAILED)


@pytest.mark.parametrize(("target", "lists"), [("mindspore", True), ("ascend", False)])
def test_what_became_of_each_api_is_told_where_a_table_lists_it(root: Path, target: str, lists: bool) -> None:
    options = options_from({"target": target}, OPTIONS) if lists else OPTIONS
    (root / "m.py").write_text("import torch\nx = torch.zeros(2)\n")
    assert bool(done(root, "m.py", options=options).uses) is lists


@pytest.mark.parametrize(
    ("text", "frameworks"),
    [
        ("import torch\n", {Framework.TORCH}),
        ("from torch import nn\n", {Framework.TORCH}),
        ("    import torch.nn as nn\n", {Framework.TORCH}),
        ("import torch_npu\n", {Framework.TORCH_NPU}),
        ("import lightning as L\n", {Framework.LIGHTNING}),
        ("from pytorch_lightning import Trainer\n", {Framework.LIGHTNING}),
        ('   "import torch\\n",\n', {Framework.TORCH}),
        ("import torchvision\n", set()),
        ("x = 'torch'\n", set()),
        ("", set()),
    ],
)
def test_what_the_lines_of_a_file_import(text: str, frameworks: set[Framework]) -> None:
    assert frameworks_in(text.encode()) == frameworks
