"""A value is followed into what takes it, once for each part of it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from gpu2ascend_simulator.session.fake_data.files import uses

KEYS = [f"part{number}" for number in range(8)]


def test_a_function_that_calls_itself_is_entered_once_for_each_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = "".join(f"    f(d['{key}'])\n" for key in KEYS)
    path = tmp_path / "read.py"
    path.write_text(f"import json\ndef f(d):\n{calls}f(json.load(open('x.json')))\n", encoding="utf-8")
    followed: list[object] = []
    follow = uses._Reading.follow

    def counted(reading: uses._Reading, scope: ast.AST) -> None:
        followed.append(scope)
        follow(reading, scope)

    monkeypatch.setattr(uses._Reading, "follow", counted)
    found = uses._use_of(str(path), len(KEYS) + 3, ())
    assert sorted(found.keys) == KEYS
    assert len(followed) < sum(len(KEYS) ** depth for depth in range(5))
