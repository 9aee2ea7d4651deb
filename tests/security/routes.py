"""The ways in which the program is started in a project, and what Python itself runs there before it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tests.security.pythons import SCRIPT, TOP, Installation

OURS = ("gpu2ascend", "gpu2ascend_rules")
IDLE = "idle_program"
"""A program that does nothing: whatever runs when it is started, nobody but Python has run."""
TRIES = 100
RUN_SERVER = TOP / "vscode-extension" / "bundled" / "run_server.py"
Environment = Mapping[str, str]


class Hostile(NamedTuple):
    """A project that leaves a trace of every line of it that is run."""

    folder: Path
    marker: Path

    def ran(self) -> list[str]:
        """The traps that were run since the last time."""
        if not self.marker.exists():
            return []
        names = self.marker.read_text(encoding="utf-8").splitlines()
        self.marker.unlink()
        return names

    def disarm(self, name: str) -> None:
        """Remove a module, of whatever kind."""
        for path in [*self.folder.glob(f"{name}.*"), *self.folder.glob(f"__pycache__/{name}.*")]:
            path.unlink()


class Route(NamedTuple):
    """A way to start the program."""

    name: str
    python_path: str | None = None
    """PYTHONPATH, if it is set; ``{project}`` is the project."""
    reaches_project: bool = False
    """Whether Python itself looks into the project before it has found the program."""

    def command(self, installation: Installation) -> list[str]:
        """What comes before the arguments."""
        return {
            "script": [installation.python, str(installation.script)],
            "module": [installation.python, "-m", "gpu2ascend"],
            "isolated module": [installation.python, "-I", "-m", "gpu2ascend"],
            "bundled": [installation.python, "-I", str(RUN_SERVER), "--announce"],
            "environment": [installation.python, "-I", str(RUN_SERVER), "--announce", "--from-environment"],
        }[self.name]

    def environment(self, project: Hostile) -> Environment:
        """Variables as a user's shell may have them while a virtual environment of the project is active."""
        values = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        values |= {"VIRTUAL_ENV": str(project.folder / "venv"), "LANG": "C.UTF-8", "COLUMNS": "110"}
        if self.python_path is not None:
            values["PYTHONPATH"] = self.python_path.format(project=project.folder)
        return values

    def prepare(self, installation: Installation, project: Hostile) -> None:
        """Disarm what Python runs before the first line of any program.

        Nobody can prevent that; and a program of our name in the project is then the one that was asked for.
        """
        if not self.reaches_project:
            return
        for name in OURS:
            project.disarm(name)
        idle = project.folder / IDLE
        idle.mkdir()
        (idle / "__init__.py").touch()
        (idle / "__main__.py").touch()
        script = installation.script.with_name(IDLE)
        script.write_text(SCRIPT.split("from ", 1)[0], encoding="utf-8")
        command = [*self.command(installation)[:-1], IDLE if self.name == "module" else str(script)]
        for _ in range(TRIES):
            done = subprocess.run(
                command, cwd=project.folder, env=self.environment(project), capture_output=True, text=True
            )
            names = project.ran()
            if not names and done.returncode == 0:
                break
            for name in names:
                project.disarm(name)
        else:
            raise AssertionError(done.stderr)
        shutil.rmtree(idle)
        script.unlink()
        installation.started()


SCRIPT_ROUTE = Route("script")
MODULE_ROUTE = Route("module", reaches_project=True)
ROUTES = (
    SCRIPT_ROUTE,
    Route("script", ""),
    Route("script", f".{os.pathsep}{{project}}", reaches_project=True),
    MODULE_ROUTE,
    Route("isolated module", "."),
)
SERVER_ROUTES = (SCRIPT_ROUTE, MODULE_ROUTE, Route("bundled", "."), Route("environment", "."))
"""As editors start the server: by its name, by ours in a Python, and as the extension does."""


def title(route: object) -> str:
    """The route's name, for a test's; what else is in it is a word already."""
    if not isinstance(route, Route):
        return str(route)
    paths = {None: "", "": ", empty PYTHONPATH", ".": ", PYTHONPATH=."}
    return route.name + paths.get(route.python_path, ", PYTHONPATH into the project")
