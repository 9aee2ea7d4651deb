"""The Pythons that the tests of this folder run the program on, and what its processes say of themselves."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

TOP = Path(__file__).parents[2]
VERSIONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
CURRENT = "{}.{}".format(*sys.version_info)
GIVEN = "GPU2ASCEND_TEST_PYTHONS"
"""Interpreters that have the dependencies, separated as PATH is."""
DEPENDENCIES = (
    "attrs, jedi, libcst, lsprotocol, packaging, pygls, tree_sitter, tree_sitter_bash, tree_sitter_json, "
    "tree_sitter_python, tree_sitter_toml, tree_sitter_yaml"
)
PROBE = f"import sys, sysconfig, {DEPENDENCIES}; print(*sys.version_info[:2], sysconfig.get_path('purelib'))"
"""Fails where a dependency is missing; says which Python it is and where they are."""

JOURNAL = """\
import os, sys
if len(getattr(sys, "orig_argv", ())) > 1:
    variables = [name for name in os.environ if name.startswith("PYTHON")]
    entry = repr({{"arguments": sys.orig_argv, "isolated": bool(sys.flags.isolated), "directory": os.getcwd(),
                   "variables": variables}})
    handle = os.open({path!r}, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(handle, entry.encode("utf-8", "backslashreplace") + b"\\n")
    os.close(handle)
"""
SCRIPT = "#!{python}\nimport re\nimport sys\nfrom gpu2ascend.__main__ import main\nsys.exit(main())\n"
"""What pip makes of an entry point."""


class Python(NamedTuple):
    """An interpreter with the dependencies."""

    program: Path
    version: str
    packages: Path


class Started(NamedTuple):
    """A process of Python, as it was when it began."""

    arguments: list[str]
    isolated: bool
    directory: str
    variables: list[str]


def found_python(version: str) -> Python | str:
    """The Python of a version, or why there is none."""
    given = [item for item in os.environ.get(GIVEN, "").split(os.pathsep) if item]
    named = [sys.executable] if version == CURRENT else [*given, shutil.which(f"python{version}") or ""]
    reasons = [f"no python{version} on PATH or in {GIVEN}"]
    for program in filter(None, named):
        done = subprocess.run([program, "-I", "-c", PROBE], capture_output=True, text=True, check=False)
        if done.returncode:
            reasons.append(f"{program}: {done.stderr.strip().splitlines()[-1]}")
            continue
        major, minor, packages = done.stdout.split(maxsplit=2)
        if f"{major}.{minor}" == version:
            return Python(Path(program), version, Path(packages.strip()))
    return "; ".join(reasons)


class Installation:
    """A virtual environment with the program of this tree, which notes every start of its Python.

    A ``.pth`` file of the environment makes the note: that is trusted, and an isolated Python reads it, too.
    """

    def __init__(self, python: Python, folder: Path) -> None:
        self.version = python.version
        self._journal = folder / "journal"
        subprocess.run([python.program, "-I", "-m", "venv", "--without-pip", folder / "env"], check=True)
        windows = sys.platform == "win32"
        scripts = folder / "env" / ("Scripts" if windows else "bin")
        self.python = str(scripts / ("python.exe" if windows else "python"))
        self.script = scripts / "gpu2ascend"
        self.script.write_text(SCRIPT.format(python=self.python), encoding="utf-8")
        self.script.chmod(0o755)
        packages = next((folder / "env").glob("[Ll]ib/**/site-packages"))
        (packages / "journal.py").write_text(JOURNAL.format(path=str(self._journal)), encoding="utf-8")
        lines = [str(TOP / "rules"), str(TOP / "server"), str(python.packages), "import journal"]
        (packages / "installation.pth").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def started(self) -> list[Started]:
        """The processes since the last time, from the first on."""
        if not self._journal.exists():
            return []
        lines = self._journal.read_text(encoding="utf-8").splitlines()
        self._journal.unlink()
        return [Started(**_fields(line)) for line in lines]


def _fields(line: str) -> dict[str, Any]:
    fields: dict[str, Any] = ast.literal_eval(line)
    return fields
