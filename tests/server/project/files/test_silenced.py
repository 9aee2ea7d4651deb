"""What a project silences is collected by its way; what the user chooses is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.project.files.discover import walk
from gpu2ascend.project.files.excludes import Excludes
from gpu2ascend.project.files.silenced import SilencedByProject
from gpu2ascend_rules.engine.suppressions import Silenced
from gpu2ascend_rules.options.options import MigrationOptions, options_from, options_of_project
from tests.server.project.samples import OPTIONS, PLAIN, Files, make_tree


def of_project(**values: object) -> MigrationOptions:
    return options_of_project(values, "pyproject.toml", OPTIONS)


def looked_at(root: Path, options: MigrationOptions) -> SilencedByProject:
    found = SilencedByProject(options)
    for entry in walk(root, Excludes(options.exclude, options.copy)):
        found.look_at(root, entry)
    return found


def said(found: SilencedByProject) -> list[tuple[str, str]]:
    """The ways with the names, or the values."""
    return [
        (message.id.removeprefix("project.silenced-"), str(arguments.get("names") or arguments.get("values")))
        for message in found.messages()
        for arguments in [dict(message.arguments)]
    ]


@pytest.mark.parametrize(
    ("files", "name", "way"),
    [
        ({"a.py": PLAIN}, "a.py", "copy"),
        ({"a.sh": "ls\n"}, "a.sh", "copy"),
        ({"start": "#!/bin/sh\nls\n"}, "start", "copy"),
        ({"a.cu": ""}, "a.cu", "copy"),
        ({"a.ipynb": "{}"}, "a.ipynb", "exclude"),
        ({"sub/deep/a.py": PLAIN}, "sub", "exclude"),
        ({"venv/a.py": PLAIN, "pyproject.toml": ""}, "pyproject.toml", "exclude"),
    ],
)
def test_a_source_is_named_once(tmp_path: Path, files: Files, name: str, way: str) -> None:
    root = make_tree(tmp_path / "proj", {"main.py": PLAIN, **files})
    found = looked_at(root, of_project(**{way: [name]}))
    assert said(found) == [(way, name)] and found.sources == 1


@pytest.mark.parametrize("way", ["exclude", "copy"])
def test_what_is_no_source_or_of_tools_is_not(tmp_path: Path, way: str) -> None:
    files = {"notes.md": "", "data/a.bin": "", "node_modules/a.py": PLAIN}
    root = make_tree(tmp_path / "proj", {"main.py": PLAIN, **files})
    found = looked_at(root, of_project(**{way: ["notes.md", "data", "node_modules"]}))
    assert said(found) == [] and not found.sources


def test_what_the_user_chooses_in_its_place_is_not(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "proj", {"a.py": PLAIN, "b.py": PLAIN})
    chosen = options_from(
        {"exclude": ["a.py"], "ignore": ["NPU1"]}, of_project(exclude=["b.py"], ignore=["NPU2"])
    )
    found = looked_at(root, chosen)
    assert said(found) == [] and not found.sources


def test_rules_are_named_and_count_where_none_is_left() -> None:
    some = SilencedByProject(of_project(ignore=["NPU1"], severities=["NPU2=hint"]))
    assert said(some) == [("rules", "NPU1"), ("rules", "NPU2=hint")] and some.sources == 0
    assert SilencedByProject(of_project(ignore=["NPU"])).sources == 1


def test_comments_count_by_files_and_findings() -> None:
    found = SilencedByProject(OPTIONS)
    found.add_file("a.py", Silenced(in_file=2))
    found.add_file("b.py", Silenced(on_lines=3))
    found.add_file("c.py", Silenced())
    counts = [(dict(item.arguments)["count"], dict(item.arguments)["findings"]) for item in found.messages()]
    assert (counts, found.sources) == ([("1", "2"), ("1", "3")], 1)


def test_a_long_list_is_cut_off() -> None:
    found = SilencedByProject(OPTIONS)
    for number in range(30):
        found.add_file(f"{number}.py", Silenced(in_file=1))
    (line,) = found.messages()
    assert dict(line.arguments)["names"].endswith("19.py, …") and found.sources == 30
