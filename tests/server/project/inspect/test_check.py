"""Checking files and fixing them where they are."""

from __future__ import annotations

import os
import stat
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import attrs
import pytest

from gpu2ascend.project.errors import InputError
from gpu2ascend.project.examination import Examination
from gpu2ascend.project.files.writing import replacing
from gpu2ascend.project.index import survey
from gpu2ascend.project.inspect import check as check_module
from gpu2ascend.project.inspect.check import check_paths
from gpu2ascend_rules.options.options import MigrationOptions, OptionError
from tests.server.project.samples import CUDA, MIGRATED, OPTIONS, PLAIN, STUCK, make_tree, names, tree


def checked(*paths: Path, **arguments: Any) -> dict[str, Examination]:
    options = arguments.pop("options", OPTIONS)
    return {file.path: file for file in check_paths(paths, options, **arguments)}


def test_every_python_file_below_a_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_tree(tmp_path, {"p/a.py": CUDA, "p/b.py": PLAIN, "p/c.txt": CUDA, "p/.git/d.py": CUDA, "e.py": CUDA})
    monkeypatch.chdir(tmp_path)
    found = checked(Path("p"), Path("e.py"))
    assert list(found) == ["p/a.py", "p/b.py", "e.py"]
    assert [finding.code for finding in found["p/a.py"].findings] == ["NPU101"]
    assert found["p/b.py"].findings == ()
    source = found["p/a.py"].source
    assert source is not None and source.text == CUDA


def test_a_file_named_directly_is_checked_whatever_its_name_and_the_patterns(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"script": CUDA, "vendor/a.py": CUDA})
    options = attrs.evolve(OPTIONS, exclude=("vendor", "script"))
    assert len(checked(root / "script", root / "vendor/a.py", options=options)) == 2
    assert checked(root, options=options) == {}


def test_a_file_that_two_paths_reach_is_checked_once(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"a.py": CUDA})
    (root / "link.py").symlink_to("a.py")
    assert len(checked(root, root / "a.py", root / "link.py", root)) == 1


def test_fixes_are_written_and_the_rest_is_left(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"a.py": CUDA, "b.py": STUCK, "c.py": PLAIN})
    (root / "a.py").chmod(0o751)
    found = checked(root, fix=True)
    fixed, stuck = found[str(root / "a.py")], found[str(root / "b.py")]
    assert (root / "a.py").read_text() == MIGRATED and fixed.findings == ()
    assert [item.operation for item in fixed.applied] == ["INSERT", "MODIFY"]
    assert fixed.source is not None and fixed.source.text == MIGRATED
    assert stat.S_IMODE((root / "a.py").stat().st_mode) == 0o751
    assert (root / "b.py").read_text() == STUCK and len(stuck.findings) == 1
    assert names(root) == ["a.py", "b.py", "c.py"]


def test_a_file_is_not_fixed_without_the_scripts_that_give_its_options(tmp_path: Path) -> None:
    program = (
        "import argparse, torch\np = argparse.ArgumentParser()\np.add_argument('--kind', default='cuda')\n"
        "torch.ones(1, device=p.parse_args().kind)\n"
    )
    root = make_tree(tmp_path, {"train.py": program, "run.sh": "python train.py --kind cuda\n"})
    (alone,) = checked(root / "train.py", fix=True).values()
    assert ((root / "train.py").read_text(), [item.code for item in alone.findings]) == (program, ["NPU201"])
    checked(root, fix=True)
    assert "default='npu'" in (root / "train.py").read_text()
    assert (root / "run.sh").read_text() == "python train.py --kind npu\n"


def written(path: Path) -> tuple[object, ...]:
    """What changes when a file is written, and not when it is read."""
    state = path.stat()
    return path.read_bytes(), state.st_ino, state.st_mode, state.st_mtime_ns


def test_without_fix_nothing_is_written(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"a.py": CUDA})
    before = written(root / "a.py")
    checked(root)
    assert written(root / "a.py") == before


@pytest.mark.parametrize("fix", [False, True])
@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"import torch\ntorch.cuda.empty_cache()\nx = (\n", "project.unparsable"),
        (b"# coding: klingon\n", "project.encoding-unknown"),
        (b"x = '\xff'\n", "project.encoding-bytes"),
    ],
)
def test_a_bad_file_is_a_problem_and_stays_as_it_is(
    tmp_path: Path, data: bytes, problem: str, fix: bool
) -> None:
    root = make_tree(tmp_path, {"bad.py": data, "good.py": CUDA})
    found = checked(root, fix=fix)
    bad = found[str(root / "bad.py")]
    assert bad.problem is not None and bad.problem.id == problem
    assert (root / "bad.py").read_bytes() == data
    assert len(found) == 2 and found[str(root / "good.py")].problem is None


def test_the_parts_that_parse_still_have_findings(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"a.py": CUDA + "\nx = (\n"})
    (bad,) = checked(root).values()
    assert bad.problem is not None and [finding.code for finding in bad.findings] == ["NPU101"]


def test_a_file_that_cannot_be_written_is_a_problem_with_its_findings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_tree(tmp_path, {"a.py": CUDA})

    def refuse(path: Path) -> object:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(replacing, "temporary_sibling", refuse)
    (file,) = checked(root, fix=True).values()
    assert file.problem is not None and file.problem.id == "project.disk-full"
    assert len(file.findings) == 1 and file.applied == ()
    assert tree(root) == {"a.py": CUDA.encode()}


def test_a_pipe_given_directly_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (file,) = checked(tmp_path / "pipe").values()
    assert file.problem is not None and file.problem.id == "project.not-regular"


def test_a_missing_path_and_a_missing_version_are_reported_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        check_paths([tmp_path / "missing"], OPTIONS)
    with pytest.raises(OptionError):
        check_paths([tmp_path], MigrationOptions())


def test_other_files_of_the_project_are_known_for_a_single_file_too(tmp_path: Path) -> None:
    use = "import torch\n\ndef f(thing):\n    return thing.cuda()\n"
    other = "class Thing:\n    def cuda(self):\n        return self\n"
    root = make_tree(tmp_path, {"pyproject.toml": "", "pkg/use.py": use, "other.py": other})
    (alone,) = checked(root / "pkg/use.py").values()
    within = checked(root)[str(root / "pkg/use.py")]
    assert alone.findings == within.findings
    (finding,) = alone.findings
    (root / "other.py").unlink()
    (sure,) = checked(root / "pkg/use.py").values()
    assert sure.findings[0].applicability != finding.applicability


@pytest.mark.slow
@pytest.mark.parametrize("fix", [False, True])
def test_several_processes_find_what_one_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fix: bool
) -> None:
    monkeypatch.setattr(survey, "_WORTH_A_WORKER", 1)
    files = {f"m{number}.py": CUDA + STUCK for number in range(20)}
    one = checked(make_tree(tmp_path / "one", files), fix=fix, jobs=1)
    two = checked(make_tree(tmp_path / "two", files), fix=fix, jobs=2)
    assert [file.findings for file in one.values()] == [file.findings for file in two.values()]
    assert tree(tmp_path / "one") == tree(tmp_path / "two")


def test_stopping_early_ends_the_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, started: list[subprocess.Popen[bytes]]
) -> None:
    monkeypatch.setattr(check_module, "worker_count", lambda *_: 2)
    root = make_tree(tmp_path, {f"m{number}.py": CUDA for number in range(50)})
    with closing(check_paths([root], OPTIONS)) as found:
        next(found)
    assert started and all(process.returncode is not None for process in started)


BEHIND_A_SETTING = """\
import argparse
p = argparse.ArgumentParser()
p.add_argument("--half", action="store_true")
args = p.parse_args()


def setup(m):
    if args.half:
        from apex import amp
        m = amp.initialize(m)
    return m
"""


def test_a_library_for_cuda_that_a_setting_chooses_is_told_for_other_accelerators(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"train.py": BEHIND_A_SETTING})
    options = attrs.evolve(OPTIONS, target="accelerator")
    (file,) = checked(root, options=options).values()
    assert [item.message.id for item in file.findings] == ["ACC114.optional"]
