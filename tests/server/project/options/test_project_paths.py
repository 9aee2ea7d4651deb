"""Paths that a project's own settings name stay inside the project, by the rules of every system."""

from __future__ import annotations

import sys
from pathlib import Path

import attrs
import pytest

from gpu2ascend.project.options.settings import leads_out, require_inside
from gpu2ascend_rules.options.options import MigrationOptions, OptionError


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("a.py", False),
        ("pkg/a.py", False),
        ("..a/b..py", False),
        ("", False),
        ("/etc/passwd", True),
        ("C:\\a.py", True),
        ("C:a.py", True),
        ("\\a.py", True),
        ("\\\\host\\share\\a.py", True),
        ("../a.py", True),
        ("pkg/../../a.py", True),
        ("pkg\\..\\..\\a.py", True),
        ("a\0.py", True),
        ("con", True),
        ("pkg/nul.py", True),
    ],
)
def test_what_leads_out_of_a_project(path: str, answer: bool) -> None:
    assert leads_out(path) is answer


@pytest.mark.parametrize(
    ("option", "inside", "outside"),
    [
        ("custom_rule", "rules.json", "../rules.json"),
        ("main_file", "src/train.py", "/src/train.py"),
        ("api_files", ("a.json", "b.json"), ("a.json", "../b.json")),
        ("exclude", ("/build", "a/*"), ("/build", "../a/*")),
        ("copy", ("/build", "a/*"), ("//build", "a/*")),
    ],
)
def test_each_path_among_the_options_is_looked_at(
    tmp_path: Path, option: str, inside: object, outside: object
) -> None:
    require_inside(tmp_path, attrs.evolve(MigrationOptions(), **{option: inside}))
    with pytest.raises(OptionError) as caught:
        require_inside(tmp_path, attrs.evolve(MigrationOptions(), **{option: outside}))
    assert (caught.value.option, caught.value.reason.id) == (option, "option.error.outside")


@pytest.mark.skipif(sys.platform == "win32", reason="needs links")
def test_a_link_that_leads_out_is_refused_and_one_in_a_circle_is_left_to_who_opens_it(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / "rules.json").write_text("{}")
    (root / "link.json").symlink_to(tmp_path / "rules.json")
    (root / "circle.json").symlink_to(root / "circle.json")
    require_inside(root, attrs.evolve(MigrationOptions(), custom_rule="circle.json"))
    with pytest.raises(OptionError):
        require_inside(root, attrs.evolve(MigrationOptions(), custom_rule="link.json"))
