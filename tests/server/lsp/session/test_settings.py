"""Which settings count for a document."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.lsp.session.settings import DEFAULT_VERSION, Settings
from gpu2ascend_rules.model.finding import Message
from tests.server.project.samples import make_tree

TABLE = "[tool.gpu2ascend]\nversion = '2.1.0'\nhardware = 'A3'\n"


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No torch but that of the test."""
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Two projects, the first with its own settings."""
    one = make_tree(tmp_path / "one", {"pyproject.toml": TABLE, "a.py": "", "sub/b.py": ""})
    return one, make_tree(tmp_path / "two", {"a.py": ""})


@pytest.fixture
def settings(folders: tuple[Path, Path]) -> Settings:
    """Of a workspace with both."""
    settings = Settings()
    settings.is_watched = True
    settings.use_folders(list(folders))
    return settings


def version(settings: Settings, path: Path) -> str:
    """The version that counts for a file."""
    return str(settings.of(path.as_uri()).options.version)


def test_the_client_wins_over_the_start_and_the_start_over_the_file(
    settings: Settings, folders: tuple[Path, Path]
) -> None:
    file = folders[0] / "a.py"
    assert version(settings, file) == "2.1.0"
    settings.initialize({"version": "2.5.1"}, None)
    settings.forget()
    assert version(settings, file) == "2.5.1"
    settings.use({"version": "2.8.0"})
    assert version(settings, file) == "2.8.0"
    assert settings.of(file.as_uri()).options.hardware.value == "A3"


def test_folders_have_settings_of_their_own(settings: Settings, folders: tuple[Path, Path]) -> None:
    one, two = folders
    settings.use({"version": "2.8.0"}, {one: {"version": "2.6.0"}, two: {"codeLens": False}})
    assert (version(settings, one / "a.py"), version(settings, two / "a.py")) == ("2.6.0", "2.8.0")
    assert settings.at(one / "a.py").shows_code_lenses and not settings.at(two / "a.py").shows_code_lenses


def test_the_nearest_file_counts(settings: Settings, folders: tuple[Path, Path]) -> None:
    inner = "[tool.gpu2ascend]\nversion = '2.8.0'\n"
    make_tree(folders[0], {"sub/pyproject.toml": inner})
    assert version(settings, folders[0] / "sub/b.py") == "2.8.0"
    assert version(settings, folders[0] / "a.py") == "2.1.0"


def test_a_file_outside_of_the_workspace_has_those_of_its_project(tmp_path: Path, settings: Settings) -> None:
    root = make_tree(tmp_path / "three", {"requirements.txt": "torch==2.3.1\n", "pkg/a.py": ""})
    assert version(settings, root / "pkg/a.py") == "2.3.1"


def test_a_folder_that_names_no_single_version_has_the_one_that_check_takes(
    tmp_path: Path, settings: Settings
) -> None:
    root = make_tree(tmp_path / "range", {"requirements.txt": "torch>=1.8,<2.3\n", "a.py": ""})
    assert version(settings, root / "a.py") == "2.2.0"
    layered = settings.at(root / "a.py").layered
    assert str(layered.options.version) == "2.2.0"
    assert layered.detected is not None and not layered.detected.is_exact


def test_texts_that_are_in_no_file_have_settings_too(settings: Settings) -> None:
    for uri in ("untitled:Untitled-1", "vscode-vfs://github/x/y.py"):
        assert settings.of(uri).options.version is not None
    alone = Settings()
    assert alone.of("untitled:1").options.version == DEFAULT_VERSION


def test_files_are_read_again_when_they_have_changed(settings: Settings, folders: tuple[Path, Path]) -> None:
    file = folders[0] / "a.py"
    assert version(settings, file) == "2.1.0"
    (folders[0] / "pyproject.toml").write_text(TABLE.replace("2.1.0", "2.8.0"))
    assert version(settings, file) == "2.1.0"
    settings.forget()
    assert version(settings, file) == "2.8.0"


def test_what_nobody_watches_is_not_kept_for_long(
    settings: Settings, folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.is_watched = False
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    file = folders[0] / "a.py"
    assert version(settings, file) == "2.1.0"
    (folders[0] / "pyproject.toml").write_text(TABLE.replace("2.1.0", "2.8.0"))
    assert version(settings, file) == "2.1.0"
    now += 60
    assert version(settings, file) == "2.8.0"


def test_the_language_is_the_clients_then_the_files_then_the_locales(
    settings: Settings, folders: tuple[Path, Path]
) -> None:
    file = (folders[0] / "a.py").as_uri()
    settings.initialize(None, "zh-CN")
    settings.forget()
    assert settings.of(file).language == "zh"
    (folders[0] / "pyproject.toml").write_text(TABLE + "language = 'en'\n")
    settings.forget()
    assert settings.of(file).language == "en"
    settings.use({"language": "zh"})
    assert settings.of(file).language == settings.language == "zh"


def test_what_is_wrong_is_reported(settings: Settings, folders: tuple[Path, Path]) -> None:
    reported: list[Message] = []
    settings.on_problems = reported.extend
    settings.use({"hardware": "V100", "version": "2.8.0", "language": "fr"})
    assert [problem.id for problem in settings.client_problems] == ["project.setting"]
    assert version(settings, folders[0] / "a.py") == "2.8.0"
    assert [problem.id for problem in reported] == ["project.setting"]
