"""Exclude patterns."""

from __future__ import annotations

import pytest

from gpu2ascend.project.files.excludes import Excludes


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("vendor", "vendor/a.py", True),
        ("vendor", "pkg/vendor/deep/a.py", True),
        ("vendor/", "pkg/vendor/a.py", True),
        ("vendor", "pkg/vendored/a.py", False),
        ("*_pb2.py", "pkg/model_pb2.py", True),
        ("*_pb2.py", "pkg/model.py", False),
        ("tools/old", "tools/old/a.py", True),
        ("./tools/old/", "tools/old/a.py", True),
        ("tools/old", "pkg/tools/old/a.py", False),
        ("tools/*.py", "tools/a.py", True),
        ("**/generated", "generated/a.py", True),
        ("**/generated", "a/b/generated/a.py", True),
        ("[ab].py", "pkg/a.py", True),
        ("", "a.py", False),
    ],
)
def test_pattern(pattern: str, path: str, matches: bool) -> None:
    assert Excludes([pattern]).match(path) is matches


def test_what_is_copied_is_not_left_out() -> None:
    excludes = Excludes(["data"], ["vendor"])
    assert excludes.match("vendor/a.py") and not excludes.leaves_out("vendor/a.py")
    assert excludes.match("data/a.py") and excludes.leaves_out("data/a.py")


def test_no_pattern_excludes_nothing() -> None:
    assert not Excludes(()).match("a.py")
