"""What the program imports from, however Python was started: its own path once the first line has run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import gpu2ascend
import gpu2ascend_rules

OURS = [str(Path(package.__file__).parents[1]) for package in (gpu2ascend_rules, gpu2ascend)]
PROGRAM = """\
import sys
from gpu2ascend.isolation import isolate
isolate()
print(sys.pycache_prefix, *sys.path, sep="\\n")
"""


def isolated(
    folder: Path, *path: str, command: tuple[str, ...] = ("-c", PROGRAM), **variables: str
) -> list[str]:
    """The cache of bytecode and the entries of ``sys.path``, of a Python that is started in a folder."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*path, *OURS]), **variables}
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_the_current_directory_and_python_path_are_left(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    _, *path = isolated(tmp_path, ".", "", "relative", str(other), str(tmp_path))
    assert {"", ".", "relative", str(other), str(tmp_path)}.isdisjoint(path)
    assert all(os.path.isabs(entry) for entry in path)  # noqa: PTH117


def test_the_directory_of_a_script_is_left(tmp_path: Path) -> None:
    script = tmp_path / "scripts" / "program"
    script.parent.mkdir()
    script.write_text(PROGRAM, encoding="utf-8")
    assert str(script.parent) not in isolated(tmp_path, command=(str(script),))


def test_the_program_and_the_interpreter_stay_where_python_path_names_them_too(tmp_path: Path) -> None:
    library = str(Path(os.__file__).parent)
    _, *path = isolated(tmp_path, library)
    assert {*OURS, library} <= set(path)


def test_bytecode_comes_from_no_cache_in_the_current_directory(tmp_path: Path) -> None:
    for place in ("cache", str(tmp_path / "cache")):
        assert isolated(tmp_path, PYTHONPYCACHEPREFIX=place)[0] == "None"
    elsewhere = str(tmp_path.parent / "cache")
    assert isolated(tmp_path, PYTHONPYCACHEPREFIX=elsewhere)[0] == elsewhere


def test_an_isolated_python_keeps_its_path(tmp_path: Path) -> None:
    program = PROGRAM.replace("isolate()\n", f"sys.path.insert(0, {str(tmp_path)!r})\nisolate()\n")
    insert = f"import sys; sys.path[:0] = {OURS!r}\n"
    assert isolated(tmp_path, command=("-I", "-c", insert + program))[1] == str(tmp_path)
