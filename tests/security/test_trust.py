"""Where the user has not said that a workspace is trusted, its files choose no files to be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpu2ascend.lsp.session.settings import Settings
from gpu2ascend.project.options.layers import Trust, layered_options
from tests.server.project.samples import make_tree

MANIFEST = Path(__file__).parents[2] / "vscode-extension" / "package.json"
RULES = '{"rules": {"FuncNameModifyRule": [{"old_name": "torch.a", "new_name": "torch.b"}]}}'
TABLE = "[tool.gpu2ascend]\nhardware = 'A3'\ncustom-rule = 'rules.json'\nmain-file = 'train.py'\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose settings name files."""
    return make_tree(tmp_path, {"pyproject.toml": TABLE, "rules.json": RULES, "train.py": ""})


def test_paths_of_a_project_that_is_not_trusted_do_not_count(project: Path) -> None:
    layered = layered_options(project, [], trust=Trust.NO_PATHS)
    options = layered.options
    assert (options.custom_rule, options.custom, options.main_file) == (None, (), None)
    assert options.hardware.value == "A3" and layered.problems == ()


def test_the_users_own_rules_count_there_all_the_same(project: Path, tmp_path: Path) -> None:
    own = make_tree(tmp_path / "home", {"own.json": RULES}) / "own.json"
    options = layered_options(project, [{"customRule": str(own)}], trust=Trust.NO_PATHS).options
    assert options.custom_rule == str(own) and options.custom


@pytest.mark.parametrize(
    ("given", "counts"),
    [({}, True), ({"trusted": True}, True), ({"trusted": False}, False), ({"trusted": 1}, False)],
)
def test_the_client_says_whether_a_workspace_is_trusted(
    project: Path, given: dict[str, object], counts: bool
) -> None:
    settings = Settings()
    settings.use_folders([project])
    settings.use(given)
    assert bool(settings.at(project).options.custom) is counts


def test_trust_comes_with_the_next_settings(project: Path) -> None:
    settings = Settings()
    settings.use_folders([project])
    settings.use({"trusted": False})
    before = settings.at(project).options.custom
    settings.use({"trusted": True})
    assert (before, bool(settings.at(project).options.custom)) == ((), True)


@pytest.mark.parametrize(
    ("given", "may"),
    [
        ({}, False),
        ({"trusted": True}, True),
        ({"trusted": False}, False),
        ({"trusted": 1}, False),
        ({"trusted": "true"}, False),
        (None, False),
    ],
)
def test_code_of_a_workspace_runs_only_where_the_client_says_that_it_is_trusted(
    given: object, may: bool
) -> None:
    settings = Settings()
    settings.use(given)
    assert settings.may_run_code is may


def test_one_folder_that_is_not_trusted_is_enough(project: Path) -> None:
    settings = Settings()
    settings.use_folders([project])
    settings.use({"trusted": True}, {project: {"trusted": False}})
    assert not settings.may_run_code


def test_a_project_cannot_say_that_it_is_trusted(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.gpu2ascend]\ntrusted = true\n")
    settings = Settings()
    settings.use_folders([project])
    settings.use({})
    settings.at(project)
    assert not settings.may_run_code


def test_vs_code_takes_no_paths_from_a_workspace_that_is_not_trusted() -> None:
    manifest = json.loads(MANIFEST.read_text(encoding="utf-8"))
    restricted = manifest["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]
    paths = {"gpu2ascend.customRule", "gpu2ascend.mainFile", "gpu2ascend.interpreter"}
    run = {"gpu2ascend.verify.interpreter", "gpu2ascend.verify.indexUrl", "gpu2ascend.verify.torchIndexUrl"}
    assert paths | run <= set(restricted)


def test_vs_code_offers_to_run_a_project_in_trusted_workspaces_only() -> None:
    commands = json.loads(MANIFEST.read_text(encoding="utf-8"))["contributes"]["commands"]
    (verify,) = [command for command in commands if command["command"] == "gpu2ascend.ui.verifyProject"]
    assert verify["enablement"] == "isWorkspaceTrusted"
