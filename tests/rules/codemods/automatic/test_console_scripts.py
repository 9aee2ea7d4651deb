"""Which files commands of an installed project start."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.codemods.automatic.console_scripts import is_started_by_command
from gpu2ascend_rules.model.project.project_view import Standalone

PYPROJECT = (
    '[project.scripts]\ntrain = "pkg.cli.train:main"\n[tool.poetry.scripts]\neval = "pkg.evaluate:run.it"\n'
)
SETUP_CFG = "[options.entry_points]\nconsole_scripts =\n    train = pkg.cli.train:main\n"
SETUP_PY = 'setup(entry_points={"console_scripts": ["a-train = pkg.cli.train:main", "b=pkg.cli:main"]})\n'


class Project(Standalone):
    """A project of a few files."""

    def __init__(self, files: dict[str, str]) -> None:
        self._files = files

    def text_at(self, path: str) -> str | None:
        return self._files.get(path)


@pytest.mark.parametrize(
    ("name", "text"), [("pyproject.toml", PYPROJECT), ("setup.cfg", SETUP_CFG), ("setup.py", SETUP_PY)]
)
@pytest.mark.parametrize("path", ["pkg/cli/train.py", "src/pkg/cli/train.py"])
def test_the_module_of_a_command(name: str, text: str, path: str) -> None:
    project = Project({name: text})
    assert is_started_by_command(path, project)
    assert not is_started_by_command("pkg/cli/model.py", project)


def test_a_package_of_a_command() -> None:
    assert is_started_by_command("pkg/cli/__init__.py", Project({"setup.py": SETUP_PY}))


def test_a_project_within_another() -> None:
    project = Project({"sub/pyproject.toml": PYPROJECT})
    assert is_started_by_command("sub/pkg/cli/train.py", project)
    assert not is_started_by_command("pkg/cli/train.py", project)


def test_other_tables_name_no_module() -> None:
    project = Project({"pyproject.toml": '[tool.x]\ntrain = "pkg.cli.train:main"\n'})
    assert not is_started_by_command("pkg/cli/train.py", project)
    assert is_started_by_command("pkg/cli/train.py", Project({"pyproject.toml": PYPROJECT}))
