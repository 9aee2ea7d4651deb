"""Only what lies in the roots is reached: those of the command line, else those of the client."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .conftest import LEGACY, PROTOCOLS, TRAIN, Ask, V, asked, with_roots

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("path", ["..", "/etc", "proj/link", "proj/link/hosts", "--fix", "\0"])
@pytest.mark.parametrize("tool", ["check", "fix"])
def test_a_path_outside_of_the_roots_is_refused(ask: Ask, project: Path, tool: str, path: str) -> None:
    (project / "link").symlink_to("/etc")
    answer = ask(tool, paths=[path], **V)
    assert answer.failed and (project / "train.py").read_text() == TRAIN


def test_a_link_inside_of_the_roots_is_followed(ask: Ask, project: Path) -> None:
    (project.parent / "link").symlink_to(project)
    assert ask("check", paths=["link"], **V).data["total"] == 2


@pytest.mark.parametrize("name", ["--python=evil", "--allow-project-sources", "-o"])
def test_a_path_never_reads_as_a_flag(ask: Ask, project: Path, name: str) -> None:
    for tool in ("migrate", "what_is_left"):
        answer = ask(tool, project=name, **V)
        assert answer.failed and f"{name} does not exist" in answer.text and "proj/" in answer.text
    (project.parent / name).mkdir()
    (project.parent / name / "train.py").write_text(TRAIN)
    assert not ask("migrate", project=name, **V).failed


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_without_a_root_of_the_command_line_those_of_the_client_count(
    project: Path, protocol: dict[str, Any]
) -> None:
    arguments = {"paths": ["proj"], **V}
    alone = asked("check", arguments, **protocol)
    assert alone.failed and "--root" in alone.text
    found = asked("check", arguments, **with_roots(project.parent), **protocol)
    assert found.data["counts"]["error"] == 1


def test_a_root_of_the_command_line_wins(project: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    client = {**with_roots(project.parent), **LEGACY}
    assert asked("check", {"paths": ["proj"], **V}, (elsewhere,), **client).failed
    assert not asked("check", {"paths": ["proj"], **V}, (project.parent,), **client).failed


def test_paths_in_a_second_root_are_reached_by_their_full_names(project: Path, tmp_path: Path) -> None:
    first = tmp_path / "first"
    first.mkdir()
    found = asked("check", {"paths": [str(project)], **V}, (first, project.parent)).data
    assert found["findings"][0]["path"] == str(project / "train.py")
