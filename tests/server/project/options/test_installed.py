"""The torch of an interpreter, from the names of its metadata."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.project.options.installed import installed_version, version_in_environments
from tests.server.project.samples import make_tree

LINUX = "lib/python3.11/site-packages"


def environment(root: Path, *metadata: str, packages: str = LINUX, interpreter: str = "bin/python") -> Path:
    """An environment in which these are installed; gives its interpreter."""
    files = {f"{packages}/{name}/METADATA": "" for name in metadata}
    return make_tree(root, {interpreter: "", f"{packages}/numpy-2.1.0.dist-info/METADATA": "", **files}) / (
        interpreter
    )


def version_of(interpreter: Path) -> str | None:
    """What is detected."""
    detected = installed_version(interpreter)
    return str(detected.version) if detected is not None else None


@pytest.mark.parametrize(
    ("metadata", "version"),
    [
        ("torch-2.8.0.dist-info", "2.8.0"),
        ("torch-2.1.2+cu121.dist-info", "2.1.0"),
        ("torch-2.1.0-py3.11.egg-info", "2.1.0"),
        ("torch-0.4.1.dist-info", None),
        ("torch_npu-2.8.0.dist-info", None),
        ("torchvision-2.8.0.dist-info", None),
    ],
)
def test_by_the_metadata(tmp_path: Path, metadata: str, version: str | None) -> None:
    assert version_of(environment(tmp_path, metadata)) == version


@pytest.mark.parametrize(
    ("packages", "interpreter"),
    [
        ("Lib/site-packages", "Scripts/python.exe"),
        ("Lib/site-packages", "python.exe"),
        ("lib/python3/dist-packages", "bin/python3"),
    ],
)
def test_in_other_layouts(tmp_path: Path, packages: str, interpreter: str) -> None:
    path = environment(tmp_path, "torch-2.8.0.dist-info", packages=packages, interpreter=interpreter)
    assert version_of(path) == "2.8.0"


def test_a_virtual_environment_counts_before_what_its_interpreter_links_to(tmp_path: Path) -> None:
    base = environment(tmp_path / "usr", "torch-2.1.0.dist-info")
    inner = environment(tmp_path / "venv", "torch-2.8.0.dist-info")
    inner.unlink()
    inner.symlink_to(base)
    assert version_of(inner) == "2.8.0"


def test_a_link_to_an_interpreter_is_followed(tmp_path: Path) -> None:
    link = tmp_path / "shims" / "python"
    link.parent.mkdir()
    link.symlink_to(environment(tmp_path / "usr", "torch-2.8.0.dist-info"))
    assert version_of(link) == "2.8.0"


def test_two_versions_are_none(tmp_path: Path) -> None:
    assert version_of(environment(tmp_path, "torch-2.8.0.dist-info", "torch-2.1.0.dist-info")) is None


def test_an_interpreter_that_does_not_exist_has_none(tmp_path: Path) -> None:
    environment(tmp_path, "torch-2.8.0.dist-info")
    assert version_of(tmp_path / "bin" / "missing") is None


def test_the_environment_in_the_project_comes_before_the_active_one(tmp_path: Path) -> None:
    environment(tmp_path / "active", "torch-2.1.0.dist-info")
    environ = {"VIRTUAL_ENV": str(tmp_path / "active")}
    detected = version_in_environments(tmp_path, environ)
    assert detected is not None and str(detected.version) == "2.1.0"
    environment(tmp_path / ".venv", "torch-2.8.0.dist-info")
    detected = version_in_environments(tmp_path, environ)
    assert detected is not None and str(detected.version) == "2.8.0"
    assert detected.notice.id == "project.version-installed"
