"""The packages of an environment are read from their metadata; nothing of it is started."""

from __future__ import annotations

from pathlib import Path

from gpu2ascend.doctor.python_environment import environment_of

from .host import environment


def test_names_are_those_of_the_index(tmp_path: Path) -> None:
    found = environment(tmp_path, ("torch_npu-2.8.0.post2", "PyYAML-6.0"))
    assert (found.python, dict(found.versions)) == ("3.11", {"torch-npu": "2.8.0.post2", "pyyaml": "6.0"})


def test_the_environment_of_the_project_comes_before_the_active_one(tmp_path: Path) -> None:
    environment(tmp_path / "p" / ".venv", ("torch-2.1.0",))
    environment(tmp_path / "active", ("torch-2.8.0",))
    found = environment_of(None, tmp_path / "p", {"VIRTUAL_ENV": str(tmp_path / "active")})
    assert found is not None and found.versions["torch"] == "2.1.0"


def test_packages_below_are_seen_where_the_environment_sees_them(tmp_path: Path) -> None:
    environment(tmp_path / "base", ("torch-2.8.0",))
    environment(tmp_path / "venv", ("numpy-1.26.4",))
    configuration = f"home = {tmp_path / 'base' / 'bin'}\ninclude-system-site-packages = true\n"
    (tmp_path / "venv" / "pyvenv.cfg").write_text(configuration)
    found = environment_of(tmp_path / "venv" / "bin" / "python", None, {})
    assert found is not None and set(found.versions) == {"torch", "numpy"}


def test_an_interpreter_of_the_project_is_not_run(tmp_path: Path) -> None:
    environment(tmp_path / ".venv", ("torch-2.1.0",))
    program = tmp_path / ".venv" / "bin" / "python"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path / 'ran'}\n")
    program.chmod(0o755)
    assert environment_of(None, tmp_path, {}) is not None
    assert not (tmp_path / "ran").exists()
