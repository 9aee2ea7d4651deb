"""Where a link leads, and what of a project a migration copies."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.project.files.discover import EntryKind, walk
from gpu2ascend.project.files.excludes import Excludes
from gpu2ascend.project.files.links import Leads, is_copied, leads
from tests.server.project.samples import PLAIN, Files, make_tree


@pytest.mark.parametrize(
    ("name", "target", "files", "expected"),
    [
        ("a.py", "b.py", {"b.py": PLAIN}, Leads.NOWHERE_NEW),
        ("a.py", "b.txt", {"b.txt": PLAIN}, Leads.UNEXAMINED_SOURCE),
        ("a.py", "left/b.py", {"left/b.py": PLAIN}, Leads.UNEXAMINED_SOURCE),
        ("a.txt", "left/b.py", {"left/b.py": PLAIN}, Leads.UNEXAMINED_SOURCE),
        ("a.txt", "b.md", {"b.md": ""}, Leads.NOWHERE_NEW),
        ("a.yaml", "b.md", {"b.md": ""}, Leads.UNEXAMINED),
        ("a.py", "a.py", {}, Leads.NOWHERE_NEW),
        ("a", "left", {"left/b.py": PLAIN}, Leads.UNEXAMINED_SOURCE),
        ("a", "left", {"left/b.txt": ""}, Leads.NOWHERE_NEW),
        ("a", "..", {}, Leads.UNEXAMINED),
        ("a", ".", {}, Leads.NOWHERE_NEW),
    ],
)
def test_a_link_leads(tmp_path: Path, name: str, target: str, files: Files, expected: Leads) -> None:
    root = make_tree(tmp_path / "proj", files)
    try:
        (root / name).symlink_to(target)
    except OSError:
        pytest.skip("links may not be made here")
    excludes = Excludes(("left",))
    (link,) = [entry for entry in walk(root, excludes) if entry.kind is EntryKind.LINK]
    assert leads(root, link, excludes) is expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.py", True),
        ("missing.py", True),
        ("left/a.py", False),
        (".git/a", False),
        ("sub/__pycache__/a.py", False),
        ("env/a.py", False),
        (".gpu2ascend.json", False),
    ],
)
def test_a_migration_copies(tmp_path: Path, path: str, expected: bool) -> None:
    root = make_tree(tmp_path / "proj", {"a.py": PLAIN, "env/pyvenv.cfg": "", "env/a.py": PLAIN})
    assert is_copied(root, path, Excludes(("left",))) is expected
