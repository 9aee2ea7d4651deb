"""A forged marker hides nothing: a file is left out only if its name is one of a report, and that is said."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gpu2ascend.project.inspect.check import check_paths
from gpu2ascend.project.manifest.marker import LIST_NAME, MARKER_NAME, PLAN_NAME, read_marker
from gpu2ascend.project.manifest.report_names import PAGES, is_report_name, report_names
from gpu2ascend_rules.targets.registry import known_targets
from gpu2ascend_rules.targets.target import Target
from tests.security.bounded import command
from tests.server.project.conftest import Migrate, make, run
from tests.server.project.samples import CUDA, MIGRATED, OPTIONS, STUCK, Files, make_tree, tree

Make = Callable[[Files], Path]
__all__ = ["make", "run"]

SOURCES = (
    *("secret_cuda.py", "gui.pyw", "book.ipynb", "kernel.cu", "kernel.cuh", "setup.cfg", "pyproject.toml"),
    *("run_distributed_npu.sh", "env.sh", "ascend_function", "requirements.txt", "change_list.py"),
    *(
        "change_list.csv.py",
        "change_list_msft.py",
        "pkg",
        ".",
        "..",
        "pkg/change_list.csv",
        "change_list.csv\n",
    ),
)


def marker(*reports: object) -> str:
    return json.dumps({"tool": "gpu2ascend", "format": 2, "version": "0.1.0", "reports": list(reports)})


@pytest.mark.parametrize("name", SOURCES)
def test_the_name_of_a_source_is_never_that_of_a_report(tmp_path: Path, name: str) -> None:
    make_tree(tmp_path, {MARKER_NAME: marker(name, "change_list.csv")})
    found = read_marker(tmp_path)
    assert found is not None and found.reports == ("change_list.csv",)


@pytest.mark.parametrize("route", known_targets(), ids=lambda route: route.name)
def test_every_name_that_a_report_gets_counts(route: Target) -> None:
    usual = report_names(lambda name: False, route)
    renamed = report_names(lambda name: "_msft3" not in name, route)
    assert len(usual) == len(route.tables) + len(PAGES) + 2
    assert all(is_report_name(name) for name in (*usual.values(), *renamed.values(), f"{usual['log']}.9"))


def test_check_looks_at_what_a_forged_marker_names(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"secret_cuda.py": STUCK, MARKER_NAME: marker("secret_cuda.py")})
    (file,) = check_paths([root], OPTIONS)
    assert Path(file.path).name == "secret_cuda.py" and file.findings


def test_migrate_does_not_drop_what_a_forged_marker_names(run: Migrate, make: Make) -> None:
    names = ("secret_cuda.py", "data.bin", "kernel.cu", "pkg/part.py", "run_distributed_npu.sh")
    files = {"secret_cuda.py": CUDA, "data.bin": "x", "kernel.cu": "", "run_distributed_npu.sh": "#!"}
    done = run(make({**files, "pkg/part.py": CUDA, MARKER_NAME: marker(*names, "pkg", "part.py")}))
    assert set(names) <= set(tree(done.output))
    assert done.read("secret_cuda.py") == done.read("pkg/part.py") == MIGRATED


def test_what_is_left_out_is_said(run: Migrate, make: Make) -> None:
    done = run(make({"a.py": CUDA, "unknown_api.csv": "mine", MARKER_NAME: marker("unknown_api.csv")}))
    (notice,) = [notice for notice in done.result.notices if notice.id == "project.own-files"]
    assert dict(notice.arguments)["names"] == "unknown_api.csv"
    assert "unknown_api.csv: a report of an earlier migration, according to the marker" in done.read(
        "msFmkTranspltlog.txt"
    )
    assert done.summary.left_out == 2  # the marker, too


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_left_out_is_in_the_result_document(make: Make, tmp_path: Path, language: str) -> None:
    root = make({"a.py": CUDA, "unknown_api.csv": "mine", MARKER_NAME: marker("unknown_api.csv")})
    arguments = ("-o", tmp_path / "out", "-v", "2.8.0", "--json", "--language", language)
    document = json.loads(command("migrate", "-i", root, *arguments, at=tmp_path).stdout)
    assert [notice for notice in document["notices"] if "unknown_api.csv" in notice]
    assert document["summary"]["left_out"] == 2


def test_a_directory_of_a_report_s_name_is_part_of_the_project(run: Migrate, make: Make) -> None:
    done = run(make({"a.py": CUDA, "change_list.csv/b.py": CUDA, MARKER_NAME: marker("change_list.csv")}))
    assert done.read("change_list.csv/b.py") == MIGRATED
    assert "change_list_msft.csv" in done.result.reports


@pytest.mark.parametrize("name", [MARKER_NAME, LIST_NAME, PLAN_NAME])
@pytest.mark.parametrize("kind", ["file", "directory", "link"])
def test_the_project_s_own_bookkeeping_does_not_become_ours(
    run: Migrate, make: Make, tmp_path: Path, name: str, kind: str
) -> None:
    root = make({"a.py": CUDA, **({name: "x"} if kind == "file" else {})})
    if kind == "directory":
        make_tree(root / name, {"b.py": CUDA})
    elif kind == "link":
        (tmp_path / "outside").write_text("mine")
        (root / name).symlink_to(tmp_path / "outside")
    done = run(root)
    assert f"{name}: not part of the project's sources" in done.read("msFmkTranspltlog.txt")
    assert not (done.output / name).is_symlink() and not (done.output / name).is_dir()
    run(root, force=True)  # so that the list is intact
    assert kind != "link" or (tmp_path / "outside").read_text() == "mine"


@pytest.mark.parametrize("content", ["[" * 99_000, "{}", "[]", "\0", '{"tool": "gpu2ascend", "reports": 1}'])
def test_a_marker_may_hold_anything(tmp_path: Path, content: str) -> None:
    make_tree(tmp_path, {MARKER_NAME: content, "change_list.csv": "", "a.py": STUCK})
    found = read_marker(tmp_path)
    assert found is None or found.reports == ()


@pytest.mark.parametrize("verb", ["check", "analyze"])
@pytest.mark.parametrize("sign", ["pyvenv.cfg", "conda-meta"])
def test_a_directory_that_calls_itself_an_environment_is_named(tmp_path: Path, verb: str, sign: str) -> None:
    root = make_tree(tmp_path / "proj", {"a.py": CUDA, "src/secret.py": STUCK, f"src/{sign}": ""})
    done = command(verb, ".", "-v", "2.8.0", at=root)
    assert "not examined (1): src" in done.stderr


def test_a_pipe_with_the_name_of_a_source_is_named(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "proj", {"a.py": CUDA, ".git/HEAD": "", "__pycache__/a.pyc": ""})
    os.mkfifo(root / "secret.py")
    done = command("check", ".", "-v", "2.8.0", at=root)
    assert "not examined (1): secret.py" in done.stderr
